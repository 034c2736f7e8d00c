// The one main function of all test programs. Arguments are Catch2's: a test name, [tag], --list-tests.

#define CATCH_CONFIG_RUNNER // Catch2 2: put the implementation here; 3 ignores it

#include "test/catch.hpp"

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
