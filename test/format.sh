#!/bin/sh
# format.sh CLANG_FORMAT ARGUMENTS...: runs it over every C++ source of the project.
cd "$(dirname "$0")/.." || exit 1
find include examples test benchmark cmake -type f \
    \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.hip' -o -name '*.h' -o -name '*.c' \) -print0 | xargs -0 "$@"
