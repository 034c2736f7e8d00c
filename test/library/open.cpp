/// Where programs look for a library of kernels.

#include "library/open.hpp"

#include "test/catch.hpp"

#include <unistd.h>

#include <fstream>

namespace fs = std::filesystem;
using gpu_library::find_libraries;

TEST_CASE("a program takes the library beside it, else that of its build")
{
    const fs::path top = fs::temp_directory_path() / ("tegula_open_" + std::to_string(getpid()));
    for (const char* const folder : {"bin", "library", "steps"})
        fs::create_directories(top / folder);
    CHECK(find_libraries(top / "bin").empty());
    for (const char* const file : {"library/libtegula_sm_90a.so", "steps/libtegula_sm_90a.so", "steps/libtegula_jit.so",
                                   "steps/libtegula_sm_90a.so.xz"})
        std::ofstream(top / file) << "no library";
    CHECK(find_libraries(top / "bin") == std::vector{(top / "library/libtegula_sm_90a.so").string()});
    CHECK(find_libraries(top / "steps") == std::vector{(top / "steps/libtegula_sm_90a.so").string()});
    std::ofstream(top / "library/libtegula_gfx942.so") << "no library";
    CHECK(find_libraries(top / "bin").size() == 2);
    const std::string wrong = gpu_library::open_library((top / "steps/libtegula_sm_90a.so").string());
    CHECK(wrong.starts_with("cannot load the library of kernels: " + top.string()));
    CHECK(gpu_library::open_library("").find("no library of kernels is beside the program") == 0);
    fs::remove_all(top);
}
