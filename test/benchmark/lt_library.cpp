// The use of a vendor's library by bench_gemm, with a library made here in place of it: column-major, as they are.

#include "benchmark/gemm/lt_library.hpp"
#include "benchmark/gemm/verification.hpp"
#include "test/catch.hpp"

using namespace gemm_benchmark;

namespace {

int living = 0; // objects of the library

struct column_major
{
    std::uint64_t rows = 0, columns = 0;
    std::int64_t leading = 0;
    element type{};
};

struct description
{
    std::int32_t transposed[2] = {};
};

struct heuristic
{
    int algo = 0;
    std::size_t workspaceSize = 0;
    int state = 0;
};

struct host_memory
{
    tegula::status allocate(std::size_t bytes)
    {
        bytes_.resize(bytes);
        return {};
    }
    void* data() { return bytes_.data(); }
    std::vector<char> bytes_;
};

double value_of(const column_major& x, const void* data, std::uint64_t row, std::uint64_t column)
{
    return with_type(x.type, [&](auto tag) {
        using type = typename decltype(tag)::type;
        return static_cast<double>(
            static_cast<const type*>(data)[row + column * static_cast<std::uint64_t>(x.leading)]);
    });
}

template <class T>
int create(T** made)
{
    *made = new T;
    ++living;
    return 0;
}

template <class T>
int destroy(T* made)
{
    delete made;
    --living;
    return 0;
}

/// A library that works as the vendors' do: D = op(X) op(Y), all column-major.
struct test_api
{
    static constexpr const char* name = "a library";
    static void* stream() { return nullptr; }
    using memory = host_memory;
    using status = int;
    using handle = int*;
    using product = description*;
    using layout = column_major*;
    using preference = std::size_t*;
    using result = heuristic;
    static constexpr int success = 0;
    static constexpr std::int32_t not_transposed = 0, transposed = 1;
    static constexpr int compute_float = 1, scale_float = 2, operation_x = 0, operation_y = 1, most_workspace = 1;

    static element type_of(element e) { return e; }

    int (*create)(int**) = ::create<int>;
    int (*destroy)(int*) = ::destroy<int>;
    int (*create_product)(description**, int, int) = [](description** d, int, int) { return ::create(d); };
    int (*destroy_product)(description*) = ::destroy<description>;
    int (*set_product)(description*, int, const void*, std::size_t) = [](description* d, int which, const void* value,
                                                                         std::size_t bytes) {
        d->transposed[which] = *static_cast<const std::int32_t*>(value);
        return bytes == sizeof(std::int32_t) ? 0 : 7;
    };
    int (*create_layout)(column_major**, element, std::uint64_t, std::uint64_t, std::int64_t) =
        [](column_major** x, element type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
            ::create(x);
            **x = {rows, columns, leading, type};
            return 0;
        };
    int (*destroy_layout)(column_major*) = ::destroy<column_major>;
    int (*create_preference)(std::size_t**) = ::create<std::size_t>;
    int (*destroy_preference)(std::size_t*) = ::destroy<std::size_t>;
    int (*set_preference)(std::size_t*, int, const void*, std::size_t) = [](std::size_t* limit, int, const void* value,
                                                                            std::size_t) {
        *limit = *static_cast<const std::uint64_t*>(value);
        return 0;
    };
    /// Three algorithms: the second is not for this product, the third needs 1000 bytes.
    int (*get_heuristic)(int*, description*, column_major*, column_major*, column_major*, column_major*, std::size_t*,
                         int, heuristic*, int*) = [](int*, description*, column_major*, column_major*, column_major*,
                                                     column_major*, std::size_t*, int count, heuristic* found, int* n) {
        const heuristic all[] = {{10, 0, 0}, {11, 0, 5}, {12, 1000, 0}};
        *n = std::min(count, 3);
        std::copy(all, all + *n, found);
        return 0;
    };
    int (*multiply)(int*, description*, const void*, const void*, column_major*, const void*, column_major*,
                    const void*, const void*, column_major*, void*, column_major*, const int*, void*, std::size_t,
                    void*) = [](int*, description* p, const void*, const void* x, column_major* x_layout, const void* y,
                                column_major* y_layout, const void*, const void*, column_major*, void* d,
                                column_major* d_layout, const int*, void*, std::size_t, void*) {
        const bool tx = p->transposed[0] == 1, ty = p->transposed[1] == 1;
        const std::uint64_t k = tx ? x_layout->rows : x_layout->columns;
        if ((tx ? x_layout->columns : x_layout->rows) != d_layout->rows ||
            (ty ? y_layout->rows : y_layout->columns) != d_layout->columns ||
            (ty ? y_layout->columns : y_layout->rows) != k)
            return 7;
        with_type(d_layout->type, [&](auto tag) {
            using type = typename decltype(tag)::type;
            for (std::uint64_t i = 0; i < d_layout->rows; ++i)
                for (std::uint64_t j = 0; j < d_layout->columns; ++j) {
                    double sum = 0;
                    for (std::uint64_t l = 0; l < k; ++l)
                        sum += value_of(*x_layout, x, tx ? l : i, tx ? i : l) *
                               value_of(*y_layout, y, ty ? j : l, ty ? l : j);
                    static_cast<type*>(d)[i + j * static_cast<std::uint64_t>(d_layout->leading)] =
                        tegula::convert<type>(sum);
                }
        });
        return 0;
    };

    tegula::status read_version(int*, std::string& version) const
    {
        version = "1.2";
        return {};
    }
};

template <class T>
std::vector<T> random_matrix(std::uint64_t seed, long_index_t count)
{
    std::vector<T> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = random_element<T>(seed, i);
    return values;
}

} // namespace

TEMPLATE_TEST_CASE("a column-major library computes the row-major product of every layout", "[benchmark]",
                   tegula::bfloat16, tegula::half, tegula::float8_e4m3)
{
    using output = std::conditional_t<sizeof(TestType) == 1, tegula::bfloat16, TestType>;
    const element type = sizeof(TestType) == 1                        ? element::f8e4m3
                         : std::is_same_v<TestType, tegula::bfloat16> ? element::bf16
                                                                      : element::f16;
    const shape s{5, 7, 33};
    for (layout l : all_layouts) {
        const auto a = random_matrix<TestType>(seed_of_a(0), s.m * s.k);
        const auto b = random_matrix<TestType>(seed_of_b(0), s.k * s.n);
        std::vector<output> d(static_cast<std::size_t>(s.m * s.n));
        {
            lt_library<test_api> library{test_api{}};
            REQUIRE(library.start());
            CHECK(library.name() == "a library 1.2");
            const gpu_problem p{s, type, l, a.data(), b.data(), d.data()};
            std::vector<candidate> found;
            REQUIRE(library.algorithms(p, 999, 64, found));
            REQUIRE(found.size() == 1);
            launcher launch;
            REQUIRE(found[0].prepare(p, launch));
            REQUIRE(launch());
        }
        CHECK(living == 0);
        for (long_index_t row = 0; row < s.m; ++row)
            for (long_index_t column = 0; column < s.n; ++column) {
                const double exact = exact_element<TestType>(s, l, 0, row, column);
                CHECK(static_cast<double>(d[static_cast<std::size_t>(row * s.n + column)]) ==
                      static_cast<double>(tegula::convert<output>(exact)));
            }
    }
}

TEST_CASE("algorithms that do not suit, or need too much workspace, are left out", "[benchmark]")
{
    lt_library<test_api> library{test_api{}};
    REQUIRE(library.start());
    const gpu_problem p{{1, 1, 1}, element::bf16, layout::tn, nullptr, nullptr, nullptr};
    const auto count = [&](std::size_t workspace, int most) {
        std::vector<candidate> found;
        const bool ok = library.algorithms(p, workspace, most, found).ok();
        CHECK(ok == !found.empty());
        return found.size();
    };
    CHECK(count(1000, 64) == 2);
    CHECK(count(999, 64) == 1);
    CHECK(count(1000, 2) == 1);
    CHECK(count(1000, 0) == 0);
}

namespace {

/// The library is there, but it has no function of that name.
struct missing_function_api : test_api
{
    static constexpr const char* name = "the C library";
    static std::vector<std::string> files() { return {"libnone-such.so.9", "libc.so.6"}; }
    void load(loaded_library& library) { library.find(create, "tegula_none_such"); }
};

} // namespace

TEST_CASE("a library that is not there, or not whole, is one sentence", "[benchmark]")
{
    std::string why;
    CHECK(open_lt_library<missing_function_api>("/none/such.so", why) == nullptr);
    CHECK(why.rfind("no the C library: ", 0) == 0);
    CHECK(why.find("/none/such.so") != std::string::npos);
    CHECK(why.find("--vendor-library") != std::string::npos);
    CHECK(open_lt_library<missing_function_api>("", why) == nullptr); // the second name is found
    CHECK(why.find("no function tegula_none_such") != std::string::npos);
}
