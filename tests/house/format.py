"""Asks clang-format 14, the version of Debian 12, whether it would change any tracked C++ file.

Usage: format.py TREE        Exit status 0: no; 1: yes, and where; 77: there is no clang-format 14 here.
"""

import re
import shutil
import subprocess
import sys

from tracked import CANNOT_RUN, tracked


def clang_format_14():
    for name in ("clang-format-14", "clang-format"):
        program = shutil.which(name)
        if program:
            version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
            if re.search(r"version 14\.", version):
                return program
    return None


def check(tree, program):
    sources = [name for name in tracked(tree) if name.endswith((".cpp", ".hpp"))]
    if not sources:
        return [f"{tree}: no sources here"]
    run = subprocess.run([program, "--dry-run", "-Werror", *sources], cwd=tree, capture_output=True, text=True)
    places = [line for line in run.stderr.splitlines() if "error:" in line]
    if run.returncode and not places:
        return run.stderr.splitlines()
    return places


if __name__ == "__main__":
    formatter = clang_format_14()
    if not formatter:
        print("not run: no clang-format 14 (Debian package clang-format-14)")
        sys.exit(CANNOT_RUN)
    found = check(sys.argv[1], formatter)
    print("\n".join(found) or "formatted")
    if found:
        print("fix: clang-format-14 -i FILE")
    sys.exit(1 if found else 0)
