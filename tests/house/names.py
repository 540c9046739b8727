"""Reports types that two files define under one name. The program would have two layouts for one name, and the
linker would choose for both: the one-definition rule is broken, and no compiler tells.

- Two headers of include/ and src/ must not define one name in the same namespace, be it struct, class, union, enum,
  using or typedef.
- A source file must not define a type outside an anonymous namespace that another file defines too. An alias is seen
  by its own source file only, so two sources may have equal ones.

The headers and sources of include/ and src/ are one program; the tests of a folder tests/MODULE and the headers of all
tests come on top. Types inside a class, specialisations and forward declarations do not count.

Usage: names.py TREE        Exit status 0: all is well; 1: something is wrong.
"""

import collections
import pathlib
import sys

import scopes


def types(path, file):
    """The types of a file that other files can meet: (name, "FILE:LINE")."""
    for found in scopes.definitions(path.read_text(encoding="utf-8")):
        if found.kind == "function" or found.private or found.nested:
            continue
        if found.kind == "alias" and path.suffix == ".cpp":
            continue
        yield found.name, f"{file}:{found.line}"


def program_of(file):
    """Where a file is linked: "" for the library, which all tests link too, else the folder of tests."""
    parts = pathlib.PurePosixPath(file).parts
    if parts[0] != "tests" or not file.endswith(".cpp"):
        return ""
    return "/".join(parts[:2])


def check(tree):
    """All problems of a tree, one text for each name that is defined twice."""
    tree = pathlib.Path(tree)
    programs = collections.defaultdict(lambda: collections.defaultdict(list))
    for top in ("include", "src", "tests"):
        for path in sorted((tree / top).rglob("*")):
            if path.suffix not in (".hpp", ".cpp", ".h"):
                continue
            file = path.relative_to(tree).as_posix()
            for name, place in types(path, file):
                programs[program_of(file)][name].append(place)
    if not programs[""]:
        return [f"{tree}: no types here"]
    problems = []
    for program, names in programs.items():
        for name, places in names.items():
            places = (programs[""][name] if program and name in programs[""] else []) + places
            if len({place.rsplit(":", 1)[0] for place in places}) > 1:
                problems.append(f"{places[-1]}: {name} is defined in {', '.join(places[:-1])} too")
    return problems


if __name__ == "__main__":
    found = check(sys.argv[1])
    print("\n".join(found) or "every name is one type")
    if found:
        print("fix: give them different names, or an anonymous namespace where one source file uses the type alone")
    sys.exit(1 if found else 0)
