"""Reports source files and functions that are too long to be read in one go: files of src/ over FILE_LINES lines,
functions of src/ and include/ over FUNCTION_LINES lines, from the first line of the signature to the closing brace.
A lambda is a part of the function around it.

Usage: size.py TREE        Exit status 0: all is well; 1: something is too long.
"""

import pathlib
import sys

import scopes

FILE_LINES = 500
FUNCTION_LINES = 80


def check_file(path, file):
    text = path.read_text(encoding="utf-8")
    lines = len(text.splitlines())
    problems = []
    if file.startswith("src/") and lines > FILE_LINES:
        problems.append(f"{file}:1: a file of {lines} lines, more than {FILE_LINES}")
    for found in scopes.definitions(text):
        length = found.end - found.line + 1
        if found.kind == "function" and length > FUNCTION_LINES:
            problems.append(f"{file}:{found.line}: {found.name}() of {length} lines, more than {FUNCTION_LINES}")
    return problems


def check(tree):
    """All problems of a tree, as "FILE:LINE: PROBLEM"."""
    tree = pathlib.Path(tree)
    paths = [path for top in ("include", "src") for path in sorted((tree / top).rglob("*"))
             if path.suffix in (".hpp", ".cpp", ".h")]
    if not paths:
        return [f"{tree}: no sources here"]
    return [problem for path in paths for problem in check_file(path, path.relative_to(tree).as_posix())]


if __name__ == "__main__":
    found = check(sys.argv[1])
    print("\n".join(found) or "every file and function is short")
    sys.exit(1 if found else 0)
