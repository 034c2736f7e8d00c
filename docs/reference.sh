#!/bin/sh
# reference.sh FOLDER: writes the reference and the guide as HTML into FOLDER/html. Fails after a warning.
cd "$(dirname "$0")/.." || exit 1
mkdir -p "$1"
{ cat docs/Doxyfile && echo "OUTPUT_DIRECTORY = $1"; } | doxygen -
