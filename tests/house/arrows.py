"""Reads every #include of include/, src/ and tests/ and reports those against the rules of the house:

- a module includes only itself and modules to its left (the order is MODULES below);
- a public header (include/plush/) includes no private one, and no library but the standard one;
- oneTBB, CLI11 and the JSON library stay in the modules that own them;
- a quoted include names a file that exists.

Only the umbrella plush/plush.hpp may include every public header, and only programs include it.

Usage: arrows.py TREE        Exit status 0: all is well; 1: something is wrong.
"""

import pathlib
import re
import sys

MODULES = "core math geometry bodies detect contact world scene record render view lab app".split()
UMBRELLA = "plush/plush.hpp"
# Who stands right of all modules: they may include anything public or private, and the umbrella.
OUTSIDE = {"app", "python", "bench", "package", "examples"}

# Libraries: how their headers begin, and the modules whose sources may use them.
LIBRARIES = {
    "oneTBB": (r"(oneapi/)?tbb/", {"core"}),
    "CLI11": (r"CLI/|CLI11", {"app"}),
    "nlohmann-json": (r"nlohmann/", {"scene", "record", "render", "view", "lab", "app"}),
    "fmt": (r"fmt/", set(MODULES)),
    "xxHash": (r"xxhash", {"core"}),
    "Embree": (r"embree", {"render"}),
    "libpng": (r"png\.h", {"render"}),
    "civetweb": (r"civetweb", {"view"}),
    "FreeType": (r"ft2build|freetype", {"render"}),
    "Eigen": (r"Eigen/", set(MODULES)),
    "pybind11": (r"pybind11/", set()),
    "GoogleTest": (r"gtest/|gmock/", set()),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def module_of(path):
    """The module of a file of the tree or of an include: include/plush/MODULE/…, src/MODULE/…, plush/MODULE/…"""
    parts = pathlib.PurePosixPath(path).parts
    parts = parts[1:] if parts[0] in ("include", "src", "tests") else parts
    parts = parts[1:] if parts[0] == "plush" else parts
    return parts[0] if len(parts) > 1 else ""


def check_library(file, module, header, public, test):
    for library, (pattern, owners) in LIBRARIES.items():
        if not re.match(pattern, header):
            continue
        if public:
            return f"a public header must not show {library} ({header}): move it to a source file"
        if not test and module in MODULES and module not in owners:
            allowed = ", ".join(r for r in MODULES if r in owners) or "tests"
            return f"{library} ({header}) belongs to {allowed} only, and this is {module}"
    return None


def check_include(tree, file, header, quoted):
    """What is wrong with one include, or None. `file` is relative to the tree, with forward slashes."""
    module = module_of(file)
    public = file.startswith("include/")
    test = file.startswith("tests/")
    ours = quoted or header.startswith("plush/")
    if not ours:
        return check_library(file, module, header, public, test)
    if public and not header.startswith("plush/"):
        return f"a public header must not include the private header {header}"
    roots = ["include", "src"] + (["tests"] if test else [])
    found = [r for r in roots if (tree / r / header).is_file()]
    if not found and not (tree / file).parent.joinpath(header).is_file():
        return check_library(file, module, header, public, test) or f"there is no file {header}"
    if header == UMBRELLA:
        return None if module in OUTSIDE else f"only programs include {UMBRELLA}: name the headers that are needed"
    if file == "include/" + UMBRELLA or module in OUTSIDE:
        return None
    target = module_of(header)
    if target not in MODULES or module not in MODULES:
        return None  # beside the file, or a helper that several tests share
    if MODULES.index(target) > MODULES.index(module):
        return f"a wrong arrow: {module} must not include {header}, which is of {target}, to its right"
    return None


def check(tree):
    """All problems of a tree, as "FILE:LINE: PROBLEM"."""
    tree = pathlib.Path(tree)
    problems = []
    files = 0
    for top in ("include", "src", "tests"):
        for path in sorted((tree / top).rglob("*")):
            if path.suffix not in (".hpp", ".cpp", ".h"):
                continue
            files += 1
            file = path.relative_to(tree).as_posix()
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if match:
                    problem = check_include(tree, file, match[1] or match[2], match[1] is not None)
                    if problem:
                        problems.append(f"{file}:{number}: {problem}")
    if not files:
        problems.append(f"{tree}: no sources here")
    return problems


if __name__ == "__main__":
    found = check(sys.argv[1])
    print("\n".join(found) or "every arrow points to the left")
    sys.exit(1 if found else 0)
