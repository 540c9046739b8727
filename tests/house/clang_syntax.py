"""Asks clang 14 whether it accepts the sources, without building them: each public header alone, and the source files
of some modules. Errors and warnings of the second compiler are found where they are made; `./test --full clang` builds
and runs all modules with it.

The headers that these modules include are parsed once, as a precompiled header whose templates are instantiated in it:
then a source file takes half a second instead of two to five. A file that clang refuses is read again without it:
another module's header may have a name that the file has in its anonymous namespace. The folder BUILD keeps it.

Usage: clang_syntax.py TREE BUILD OPTION...        the options of the compiler
Exit status 0: accepted; 1: not, and where; 77: there is no clang 14 here.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

from tracked import CANNOT_RUN

MODULES = ("world", "contact")
LIBRARY = re.compile(r"^#include <.*>", re.MULTILINE)


def clang_14():
    """The command, or None."""
    program = shutil.which("clang++-14")
    # g++ has warnings that clang does not know.
    return [program, "-std=c++20", "-Wno-unknown-warning-option"] if program else None


def run(command, **more):
    """What the compiler says; "" where it accepts."""
    done = subprocess.run(command, capture_output=True, text=True, **more)
    return done.stderr or ("" if done.returncode == 0 else f"exit status {done.returncode}: {command[-1]}\n")


def check(tree, build, compiler):
    """The complaints about a tree, one text for each file. `compiler` is the command with its options."""
    tree, build = pathlib.Path(tree).resolve(), pathlib.Path(build)
    build.mkdir(parents=True, exist_ok=True)
    command = [*compiler, f"-I{tree / 'include'}", f"-I{tree / 'src'}"]
    public = sorted((tree / "include").rglob("*.hpp"))
    headers = [header for module in MODULES for header in sorted((tree / "src" / module).rglob("*.hpp"))]
    sources = [source for module in MODULES for source in sorted((tree / "src" / module).rglob("*.cpp"))]
    if not public or not sources:
        return [f"{tree}: no sources here"]

    common, parsed = build / "common.hpp", build / "common.pch"
    libraries = {line for file in sources for line in LIBRARY.findall(file.read_text(encoding="utf-8"))}
    common.write_text("\n".join([*sorted(libraries), *(f'#include "{header}"' for header in headers), ""]))
    found = run([*command, "-fpch-instantiate-templates", "-x", "c++-header", str(common), "-o", str(parsed)])
    if found:
        return [found]

    def header_alone(header):
        line = f'#include "{header.relative_to(tree / "include").as_posix()}"\n'
        return run([*command, "-fsyntax-only", "-x", "c++", "-"], input=line)

    def source(file):
        syntax = [*command, "-fsyntax-only", str(file)]
        return run([*syntax, "-include-pch", str(parsed)]) and run(syntax)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = [*pool.map(source, sources), *pool.map(header_alone, public)]
    return [complaint for complaint in complaints if complaint]


if __name__ == "__main__":
    clang = clang_14()
    if not clang:
        print("not run: no clang 14 (Debian package clang-14)")
        sys.exit(CANNOT_RUN)
    complaints = check(sys.argv[1], sys.argv[2], [*clang, *sys.argv[3:]])
    print("\n".join(complaints) or f"accepted: the public headers, and the sources of {' and '.join(MODULES)}")
    sys.exit(1 if complaints else 0)
