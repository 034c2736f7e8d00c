#include "arrays.hpp"

#include "bad_input.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace examples {

std::string shape_text(const std::vector<long_index_t>& shape)
{
    std::string text = "(";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

tegula::npy_array read_array(const std::string& option, const std::string& path)
{
    tegula::npy_array array;
    if (const tegula::status read = tegula::read_npy(path, array); !read)
        throw bad_input(option + " " + read.message());
    if (!array.holds<float>() && !array.holds<tegula::half>())
        throw bad_input(option + " \"" + path + "\" holds elements of type " +
                        std::string(tegula::npy_name(array.dtype)) + "; they must be float32 (f4) or float16 (f2)");
    return array;
}

std::vector<float> to_floats(const tegula::npy_array& array)
{
    if (array.holds<float>()) {
        const auto values = array.values<float>();
        return {values.begin(), values.end()};
    }
    std::vector<float> floats;
    floats.reserve(static_cast<std::size_t>(array.elements()));
    for (const tegula::half value : array.values<tegula::half>())
        floats.push_back(static_cast<float>(value));
    return floats;
}

void check_output(const char* option, const std::string& path)
{
    namespace files = std::filesystem;
    if (path.empty())
        return;
    std::error_code error;
    const auto kind = files::status(path, error).type();
    const files::path parent = files::path(path).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    std::string wrong;
    if (kind == files::file_type::directory)
        wrong = "is a directory; give the name of a file";
    else if (!files::is_directory(folder, error))
        wrong = "cannot be written: there is no folder \"" + folder + "\"; make it or give another name";
    else if (::access(folder.c_str(), W_OK) != 0)
        wrong = "cannot be written: " + std::string(std::strerror(errno)) + "; give a name in a folder of your own";
    if (!wrong.empty())
        throw bad_input(std::string(option) + " \"" + path + "\" " + wrong);
}

double memory_of_machine()
{
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

} // namespace examples
