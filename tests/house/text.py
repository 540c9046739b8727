"""Reports what no tracked file may hold: paths of somebody's machine, hosts of package registries, marks of
unfinished work, large pictures, and binaries other than PNG. Broken on purpose are only small files of
tests/data/*_bad/, which readers must refuse.

Usage: text.py TREE        Exit status 0: clean; 1: not; 77: git cannot list the files.
"""

import pathlib
import re
import sys

from tracked import tracked

PNG_LIMIT = 300 * 1024  # bytes; pictures stay in the history for ever
BROKEN_INPUT = re.compile(r"tests/data/[^/]+_bad/[^/]+")
BROKEN_LIMIT = 4 * 1024  # bytes; enough to be wrong

# (what, pattern, files where it is allowed). The patterns are written so that they do not match themselves.
FORBIDDEN = [
    ("a path of one machine", r"(?<![\w.\-}])/(?:wor[k]|hom[e]|roo[t])/", set()),
    ("a folder outside the repository", r"(?<![\w])share[d]/", {"tests/CMakeLists.txt"}),
    ("a mark of unfinished work", r"\b(?:TOD[O]|FIXM[E]|XX[X])\b", set()),
    ("a package registry", r"\b(?:registry\.npmj[s]\.org|registry\.yarnpk[g]\.com|pyp[i]\.org|"
                           r"files\.pythonhoste[d]\.org|crate[s]\.io|(?:deb|security|ftp|snapshot)\.debia[n]\.org|"
                           r"archive\.ubunt[u]\.com)\b", set()),
]


def check_file(tree, name):
    content = pathlib.Path(tree, name).read_bytes()
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        if len(content) > PNG_LIMIT:
            return [f"{name}: a picture of {len(content)} bytes, more than {PNG_LIMIT}"]
        return []
    if BROKEN_INPUT.fullmatch(name) and len(content) <= BROKEN_LIMIT:
        return []
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return [f"{name}: neither UTF-8 text nor PNG"]
    if "\0" in text:
        return [f"{name}: binary, and not PNG"]
    problems = []
    for number, line in enumerate(text.splitlines(), 1):
        for what, pattern, allowed in FORBIDDEN:
            match = re.search(pattern, line)
            if match and name not in allowed:
                problems.append(f"{name}:{number}: {what}: {match[0]}")
    return problems


def check(tree):
    return [problem for name in tracked(tree) for problem in check_file(tree, name)]


if __name__ == "__main__":
    found = check(sys.argv[1])
    print("\n".join(found) or "clean")
    sys.exit(1 if found else 0)
