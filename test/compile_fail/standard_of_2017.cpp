// The flags of C++17: one error, before hundreds that follow from it.
//
// a beginner's mistake
// expect: tegula needs C++20: compile with -std=c++20
// errors: 1
// flags: -std=c++17

#include <tegula/gemm.hpp>
