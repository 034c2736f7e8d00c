#pragma once

#pragma GCC warning "tegula: deprecated, include <tegula/notation/text_reader.hpp>"

#include <tegula/notation/text_reader.hpp>
