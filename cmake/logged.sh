#!/bin/sh
# logged.sh REPORT COMMAND...: runs the command with its output in REPORT, which a test reads later. The output is
# shown where the command fails, and its warnings are shown in any case.
report=$1
shift
"$@" >"$report" 2>&1
status=$?
if [ "$status" -ne 0 ]; then
    cat "$report" >&2
else
    grep -i "warning" "$report" >&2
fi
exit "$status"
