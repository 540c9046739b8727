"""The reference of the public headers (docs/Doxyfile) is made without a warning: every class, struct and enumeration says
what it is, and no comment names a parameter that is not there. Members whose name says it all need no comment.

Usage: reference.py TREE OUT      Exit status: 0 clean; 1 not; 77 doxygen is not here.
"""

import pathlib
import re
import shutil
import subprocess
import sys

# A variable or function may do without a comment of its own.
SILENT = re.compile(r"Member .* \((variable|function|typedef|friend)\) of .* is not documented|^\s*$")


def warnings(output):
    return [line for line in output.splitlines() if re.search(r"\b(warning|error):", line) and not SILENT.search(line)]


def check(tree, out):
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    settings = pathlib.Path(tree, "docs/Doxyfile").read_text(encoding="utf-8") + f"\nOUTPUT_DIRECTORY = {out}\n"
    done = subprocess.run(["doxygen", "-"], input=settings, cwd=tree, capture_output=True, text=True)
    return [line.replace(str(pathlib.Path(tree).resolve()) + "/", "") for line in warnings(done.stdout + done.stderr)]


if __name__ == "__main__":
    if not shutil.which("doxygen"):
        print("doxygen is not here")
        sys.exit(77)
    found = check(sys.argv[1], sys.argv[2])
    print("\n".join(found) or "clean")
    sys.exit(1 if found else 0)
