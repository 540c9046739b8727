"""Reports calls of libm's transcendental functions in what decides about motion: the rooms from core to record. They
round differently from machine to machine; core/transcendental.hpp has the same functions with the same bits everywhere.

Usage: pinned.py TREE        Exit status 0: all is well; 1: something calls libm.
"""

import pathlib
import re
import sys

ROOMS = ("core", "math", "geometry", "bodies", "detect", "contact", "world", "scene", "record")
FUNCTIONS = ("sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10 log1p pow cbrt "
             "hypot erf erfc tgamma lgamma").split()
CALL = re.compile(r"\bstd::(?:%s)[fl]?\b" % "|".join(FUNCTIONS))


def check(tree):
    """All problems of a tree, as "FILE:LINE: PROBLEM"."""
    tree = pathlib.Path(tree)
    paths = [path for room in ROOMS for top in ("include/plush", "src")
             for path in sorted((tree / top / room).rglob("*")) if path.suffix in (".hpp", ".cpp", ".h")]
    if not paths:
        return [f"{tree}: no sources here"]
    problems = []
    for path in paths:
        file = path.relative_to(tree).as_posix()
        if file.startswith("src/core/transcendental."):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = CALL.search(line.split("//")[0])
            if match:
                problems.append(f"{file}:{number}: {match[0]} is libm's: take pinned:: of core/transcendental.hpp")
    return problems


if __name__ == "__main__":
    found = check(sys.argv[1])
    print("\n".join(found) or "nothing calls libm")
    sys.exit(1 if found else 0)
