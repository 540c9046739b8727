"""Runs clang-tidy 14 with .clang-tidy over the sources of src/: `./test --full tidy`.

Usage: tidy.py TREE BUILD [FILE...]    BUILD: a configured build; FILE: these alone.
Exit status: 0 clean; 1 not; 77 clang-tidy 14 is not here.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

KEEP = re.compile(r"-(D|I|isystem|std=|march=)")


def arguments(command):
    """What clang needs of g++'s command: definitions, folders, the standard and the machine; no precompiled headers."""
    words, kept = shlex.split(command), []
    for word, following in zip(words, words[1:] + [""]):
        if KEEP.match(word):
            kept += [word, following] if word in ("-isystem", "-I", "-D") else [word]
    return kept


def findings(tree, build, files=(), program="clang-tidy-14"):
    """All findings, as "FILE:LINE:COLUMN: error: ..."."""
    tree = pathlib.Path(tree).resolve()
    commands = {}
    for entry in json.loads(pathlib.Path(build, "compile_commands.json").read_text(encoding="utf-8")):
        name = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if name.is_relative_to(tree / "src") and (not files or name.relative_to(tree).as_posix() in files):
            commands[name] = arguments(entry["command"])

    def one(name):
        done = subprocess.run([program, "--quiet", str(name), "--", *commands[name]], cwd=tree, capture_output=True, text=True)
        return [line.replace(f"{tree}/", "") for line in done.stdout.splitlines() if re.search(r": (error|warning): ", line)]

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = [line for lines in pool.map(one, sorted(commands)) for line in lines]
    return list(dict.fromkeys(found)) if commands else [f"{tree}: no sources of src/ in {build}"]


if __name__ == "__main__":
    if not shutil.which("clang-tidy-14"):
        print("clang-tidy 14 is not here")
        sys.exit(77)
    found = findings(sys.argv[1], sys.argv[2], set(sys.argv[3:]))
    print("\n".join(found) or "clean")
    sys.exit(1 if found else 0)
