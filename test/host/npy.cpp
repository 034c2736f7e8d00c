// .npy files: what NumPy writes is read, what is written is read back, and every malformed file gets its sentence.

#include "npy_files.hpp"

#include <tegula/reference/npy.hpp>

#include "test/catch.hpp"

#include <fstream>
#include <iterator>

using namespace tegula;

namespace {

// Catch2 2 and 3 name their string matchers differently.
void require_contains(const std::string& text, const std::string& part)
{
    INFO(text << "\nshould contain: " << part);
    REQUIRE(text.find(part) != std::string::npos);
}

/// A new empty folder, removed at the end.
class temporary_folder
{
public:
    temporary_folder()
    {
        for (int i = 0; !std::filesystem::create_directory(path_ = std::filesystem::temp_directory_path() /
                                                                   ("tegula_npy_test" + std::to_string(i)));
             ++i) {
        }
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder() { std::filesystem::remove_all(path_); }

    std::string file(const std::string& name) const { return (path_ / name).string(); }
    auto entries() const { return std::distance(std::filesystem::directory_iterator(path_), {}); }

private:
    std::filesystem::path path_;
};

void save(const std::string& path, const std::string& content) { std::ofstream(path, std::ios::binary) << content; }

std::string load(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

npy_array read_content(const std::string& content)
{
    const temporary_folder folder;
    save(folder.file("a.npy"), content);
    npy_array array;
    const status read = read_npy(folder.file("a.npy"), array);
    INFO(read.message());
    REQUIRE(read.ok());
    return array;
}

std::string error_of(const std::string& content)
{
    const temporary_folder folder;
    save(folder.file("a.npy"), content);
    npy_array array;
    array.shape = {77};
    const status read = read_npy(folder.file("a.npy"), array);
    REQUIRE(read.code() == status_code::invalid_argument);
    REQUIRE(array.shape == std::vector<long_index_t>{77}); // unchanged
    require_contains(read.message(), "a.npy' ");
    return read.message();
}

template <class T>
void check_counting(const std::string& content, const std::vector<long_index_t>& shape, int first)
{
    const npy_array array = read_content(content);
    REQUIRE(array.shape == shape);
    REQUIRE(array.holds<T>());
    for (int i = 0; const T value : array.values<T>())
        REQUIRE(static_cast<double>(value) == first + i++);
    long_index_t count = 1;
    for (long_index_t length : shape)
        count *= length;
    REQUIRE(array.elements() == count);
}

/// A version 1 file with this dictionary and so many bytes of data.
std::string file_with(const std::string& dictionary, std::size_t data_bytes)
{
    std::string content("\x93NUMPY\x01\x00", 8);
    content += static_cast<char>(dictionary.size() & 0xff);
    content += static_cast<char>(dictionary.size() >> 8);
    return content + dictionary + std::string(data_bytes, '\0');
}

} // namespace

TEST_CASE("files written by NumPy are read", "[host]")
{
    check_counting<float>(npy_files::f4_2x3, {2, 3}, -2);
    check_counting<float>(npy_files::f4_2x3_fortran, {2, 3}, -2);
    check_counting<std::uint8_t>(npy_files::u1_2x3x4_fortran, {2, 3, 4}, 0);
    check_counting<half>(npy_files::f2_7, {7}, -2);
    check_counting<double>(npy_files::f8_2x2_big_endian, {2, 2}, -2);
    check_counting<std::int32_t>(npy_files::i4_2x3_big_endian_fortran, {2, 3}, -2);
    check_counting<std::int8_t>(npy_files::i1_4, {4}, -2);
    check_counting<std::int64_t>(npy_files::i8_scalar, {}, -2);
    check_counting<float>(npy_files::f4_0x3, {0, 3}, -2);
    check_counting<float>(npy_files::f4_5_version_2, {5}, -2);
    check_counting<float>(npy_files::f4_5_version_3, {5}, -2);
    CHECK(read_content(npy_files::booleans).dtype == npy_dtype::b1);
    // As ml_dtypes saves them: bfloat16, float8_e5m2 and, without their names, the other types of one byte.
    for (const auto& [descr, dtype] :
         {std::pair{"<V2", npy_dtype::v2}, {"<f1", npy_dtype::f1}, {"|V1", npy_dtype::v1}}) {
        const std::string dictionary = std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (3,)}";
        CHECK(read_content(file_with(dictionary, 3 * static_cast<std::size_t>(npy_bytes(dtype)))).dtype == dtype);
    }
}

TEST_CASE("headers as other writers spell them", "[host]")
{
    const auto reads = [](const std::string& dictionary) { return read_content(file_with(dictionary, 24)).shape; };
    const std::vector<long_index_t> shape{2, 3};
    REQUIRE(reads("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}") == shape);
    REQUIRE(reads("{\"shape\":(2,3),\"fortran_order\":True,\"descr\":\"=f4\"}\n") == shape);
    REQUIRE(reads("{ 'shape' : ( 2L , 3L ) , 'descr' : 'i4' , 'fortran_order' : False , }   \n") == shape);
}

TEMPLATE_TEST_CASE("arrays come back as they were written", "[host]", half, float, double, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, bfloat16,
                   float8_e5m2)
{
    const temporary_folder folder;
    for (const std::vector<long_index_t>& shape :
         std::vector<std::vector<long_index_t>>{{}, {1}, {5}, {3, 4}, {2, 3, 5}, {2, 1, 3, 4}, {0}, {4, 0, 2}}) {
        long_index_t count = 1;
        for (long_index_t length : shape)
            count *= length;
        std::vector<TestType> values;
        for (long_index_t i = 0; i < count; ++i)
            values.push_back(static_cast<TestType>(static_cast<int>(i)));
        const auto array = make_npy_array(shape, std::span<const TestType>(values));
        for (bool fortran_order : {false, true}) {
            const std::string path = folder.file("a.npy");
            REQUIRE(write_npy(path, array, {fortran_order}).ok());
            REQUIRE(load(path).find('\n') % 64 == 63); // the data begins at a multiple of 64 bytes
            npy_array back;
            REQUIRE(read_npy(path, back).ok());
            REQUIRE(back.dtype == array.dtype);
            REQUIRE(back.shape == array.shape);
            REQUIRE(back.data == array.data);
            REQUIRE(folder.entries() == 1);
        }
    }
}

TEST_CASE("Fortran order in a file is column after column", "[host]")
{
    const temporary_folder folder;
    const std::vector<std::int8_t> values{1, 2, 3, 4, 5, 6};
    REQUIRE(write_npy(folder.file("a.npy"), make_npy_array({2, 3}, std::span(values)), {.fortran_order = true}).ok());
    const std::string content = load(folder.file("a.npy"));
    REQUIRE(content.substr(content.size() - 6) == "\1\4\2\5\3\6");
    require_contains(content, "'fortran_order': True");
}

TEST_CASE("a header too long for version 1 is written as version 2", "[host]")
{
    const temporary_folder folder;
    const std::vector<std::int8_t> value{9};
    const std::vector<long_index_t> shape(30000, 1);
    REQUIRE(write_npy(folder.file("a.npy"), make_npy_array(shape, std::span(value))).ok());
    REQUIRE(load(folder.file("a.npy"))[6] == 2);
    npy_array back;
    REQUIRE(read_npy(folder.file("a.npy"), back).ok());
    REQUIRE(back.shape == shape);
}

TEST_CASE("files that are not arrays are refused", "[host]")
{
    const temporary_folder folder;
    npy_array array;
    const status missing = read_npy(folder.file("missing.npy"), array);
    REQUIRE(missing.code() == status_code::invalid_argument);
    require_contains(missing.message(), "missing.npy' cannot be opened: No such file");
    require_contains(read_npy(folder.file("."), array).message(), "is a directory");

    require_contains(error_of(""), "is not an .npy file");
    require_contains(error_of("PK\3\4 a zip archive, as .npz is"), "is not an .npy file");
    require_contains(error_of(std::string("\x93NUMPY\x04\x00\x10\x00", 10)), "format version 4;");
    require_contains(error_of(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)), "a header of 4294967295 bytes");
}

TEST_CASE("arrays of anything but plain numbers are refused", "[host]")
{
    require_contains(error_of(npy_files::objects), "holds Python objects (dtype object)");
    require_contains(error_of(npy_files::fields), "named fields");
    require_contains(error_of(npy_files::complex_numbers), "has dtype '<c8', which is not supported");
    require_contains(error_of(npy_files::text), "has dtype '<U1', which is not supported");
}

TEST_CASE("a file cut anywhere is refused, and so is one that goes on", "[host]")
{
    const std::string whole = npy_files::f4_2x3;
    for (std::size_t length = 0; length < whole.size(); ++length) {
        INFO(length);
        const char* expected = length < 8 ? "is not an .npy file" : "is truncated";
        require_contains(error_of(whole.substr(0, length)), expected);
    }
    require_contains(error_of(whole.substr(0, whole.size() - 1)), "promises 24 bytes of data, it has 23.");
    require_contains(error_of(whole + 'x'), "has bytes after the 24 bytes of data");
}

TEST_CASE("malformed headers are refused", "[host]")
{
    for (const char* dictionary : {
             "",
             "{",
             "{}",
             "x",
             "{'descr': '<f4', 'fortran_order': False}",
             "{'descr': '<f4', 'shape': (1,)}",
             "{'fortran_order': False, 'shape': (1,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': (1,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
             "{'descr': '<f4', 'fortran_order': No, 'shape': (1,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
             "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}",
             "{'fortran_order': False, 'shape': (1,), 'descr': 'f4}",
             "{'descr': f4, 'fortran_order': False, 'shape': (1,)}",
             "{descr: '<f4', 'fortran_order': False, 'shape': (1,)}",
         }) {
        INFO(dictionary);
        require_contains(error_of(file_with(dictionary, 4)), "has a malformed header");
    }
    require_contains(error_of(file_with("{'descr': '', 'fortran_order': False, 'shape': (1,)}", 4)),
                     "dtype '', which is not supported");
}

TEST_CASE("shapes past 2^63 bytes are refused, large ones that the file does not hold cost nothing", "[host]")
{
    const auto file = [](const std::string& shape) {
        return file_with("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + "}", 4);
    };
    for (const char* shape : {"(4294967296, 4294967296)", "(1152921504606846976,)", "(99999999999999999999999,)",
                              "(0, 4294967296, 4294967296)"})
        require_contains(error_of(file(shape)), "has a shape whose bytes pass 2^63.");
    require_contains(error_of(file("(1152921504606846975,)")), "is truncated");
}

TEST_CASE("a failed write leaves what was there", "[host]")
{
    const temporary_folder folder;
    const std::vector<float> values{1, 2};
    const auto array = make_npy_array({2}, std::span(values));
    require_contains(write_npy(folder.file("no/such/folder.npy"), array).message(), "cannot be written: No such");
    require_contains(write_npy(folder.file("."), array).message(), "is a directory");

    save(folder.file("a.npy"), "before");
    npy_array wrong = array;
    wrong.shape = {3};
    require_contains(write_npy(folder.file("a.npy"), wrong).message(), "shape does not match its 8 bytes");
    REQUIRE(load(folder.file("a.npy")) == "before");
    save(folder.file("a.npy.partial0"), "someone else's");
    REQUIRE(write_npy(folder.file("a.npy"), array).ok());
    REQUIRE(load(folder.file("a.npy.partial0")) == "someone else's");
    REQUIRE(folder.entries() == 2);

    if (std::filesystem::exists("/dev/full"))
        require_contains(write_npy("/dev/full", array).message(), "cannot be written: No space left");
}
