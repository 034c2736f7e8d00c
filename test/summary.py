"""The end of `./dev test`: the slowest tests, what was skipped and why, what failed, and ctest's last lines.

summary.py JUNIT_XML CTEST_OUTPUT
"""

import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path


def was_not_built(case):
    skipped = case.find("skipped")
    return skipped is not None and not (skipped.get("message") or "").startswith("SKIP_")


def skip_reason(case):
    output = case.findtext("system-out") or ""
    reason = re.search(r"skipped: *(.*)", output)
    return reason.group(1).strip() if reason else "no reason given"


def print_skipped(cases):
    """One line a reason, with the tests it keeps away."""
    by_reason = {}
    for case in cases:
        by_reason.setdefault(skip_reason(case), []).append(case.get("name"))
    for reason, names in by_reason.items():
        shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
        print(f"  {shown}: {reason}")


def main():
    junit, log = (Path(path) for path in sys.argv[1:])
    cases = list(xml.parse(junit).getroot().iter("testcase"))
    unbuilt = [case for case in cases if was_not_built(case)]
    skipped = [case for case in cases if case.find("skipped") is not None and case not in unbuilt]
    failed = [case.get("name") for case in cases if case.find("failure") is not None or case in unbuilt]
    slow = sorted(cases, key=lambda case: -float(case.get("time", 0)))[:8]

    print("\nLongest:")
    for case in slow:
        print(f"  {float(case.get('time', 0)):7.1f} s  {case.get('name')}")
    print(f"\nSkipped here: {len(skipped) or 'nothing'}")
    print_skipped(skipped)
    if failed:
        print("\nFailed: " + " ".join(failed))
    print()
    for line in log.read_text(errors="replace").splitlines():
        if re.match(r"\d+% tests passed|Total Test time|No tests were found", line):
            print(line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
