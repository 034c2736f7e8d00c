#!/bin/bash
# timed.sh LOG KIND COMMAND...: runs the command and adds "KIND user system wall OUTPUT" in seconds to LOG.
log=$1
kind=$2
shift 2
output=-
previous=
for word in "$@"; do
    [ "$previous" = -o ] && output=$word
    previous=$word
done
# ccache asks for this for sources with a precompiled header; no source uses the macros for the time of day. A copy of the
# project in another folder finds what this one compiled: paths below the folder of cmake/ are hashed as relative ones. The
# headers are those that the compiler names, so that nothing is preprocessed twice.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$(cd "$(dirname "$0")/.." && pwd)}
export CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
TIMEFORMAT="$kind %U %S %R ${output//%/}"
{ time "$@" 2>&3; } 3>&2 2>>"$log"
