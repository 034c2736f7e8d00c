#pragma once

/// Catch2, whichever major version the machine has: 3 is a library with many headers, 2 is one header.
/// Test files include this one; test/main.cpp holds the only main function.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx; // version 2 says this itself
#else
#include <catch2/catch.hpp>
#endif
