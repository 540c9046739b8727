"""What README, CONTRIBUTING and the pages of docs/ show as code is code that works.

Usage: snippets.py cpp TREE FILE          writes one C++ source of all C++ snippets, for test_docs
       snippets.py check TREE PLUSH       scenes, commands, options, names, Python and links of all pages
       snippets.py run TREE PLUSH PYTHON  runs docs/start.md, guide.md and troubleshooting.md line by line, and the
                                          Python of README and docs/python.md; PYTHON: the folder of the module
Exit status: 0 all is well; 1 something is not; 77 it cannot run here.

A comment in the line above a block says what is special about it:
    <!-- file: NAME -->      it is the content of this file; where docs/scenes has a file of that name they must be equal
    <!-- not run: WHY -->    its lines are checked but not run
    <!-- with: CODE -->      C++: what stands before it, in a function
    <!-- no code: WHY -->    nothing is checked
"""

import ast
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass

RUN = ["docs/start.md", "docs/guide.md", "docs/troubleshooting.md"]
SHELL = {"sh", "bash", ""}


@dataclass
class Block:
    page: str
    line: int
    language: str
    marks: dict
    text: str

    @property
    def where(self):
        return f"{self.page}:{self.line}"


def pages(tree):
    tree = pathlib.Path(tree)
    return [page for page in [tree / "README.md", tree / "CONTRIBUTING.md", *sorted((tree / "docs").glob("*.md")),
                              *sorted((tree / "docs/notes").glob("*.md"))] if page.exists()]


def blocks_of(text, page="page"):
    """The fenced blocks of a page, each with the marks that stand above it."""
    blocks, marks, inside = [], {}, None
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"(\s*)```(\w*)\s*$", line)
        if inside:
            if fence and not fence[2]:
                blocks.append(inside)
                inside, marks = None, {}
            else:
                inside.text += line.removeprefix(inside.indent) + "\n"
        elif fence:
            inside = Block(page, number + 1, fence[2], marks, "")
            inside.indent = fence[1]
        elif mark := re.match(r"\s*<!-- (file|not run|with|no code): (.*?) -->\s*$", line):
            marks[mark[1]] = mark[2]
        elif line.strip():
            marks = {}
    return blocks


def all_blocks(tree):
    return [block for page in pages(tree)
            for block in blocks_of(page.read_text(encoding="utf-8"), page.relative_to(tree).as_posix())]


# ------------------------------------------------------------------ C++


def cpp_source(tree):
    """One translation unit: each snippet in a namespace of its own, where lines are those of its page."""
    head, body = [], []
    for number, block in enumerate(b for b in all_blocks(tree) if b.language == "cpp" and "no code" not in b.marks):
        lines = []
        for line in block.text.splitlines():
            if line.startswith("#include") or line.startswith("#pragma once"):
                head.append(line if "once" not in line else "")
                line = ""
            lines.append(re.sub(r"\bint main\(\)", "int snippet_main()", line))
        code = "\n".join(lines)
        place = f'#line {block.line} "{block.page}"'
        if "snippet_main" in code:
            body.append(f"namespace snippet_{number} {{\n{place}\n{code}\n}}\n")
        elif re.search(r"^(TEST|class |struct |namespace |[\w:<>]+ \w+\(.*\) \{$)", code, re.M):
            space = "plush::lab" if re.search(r"\bCheck\b", code) else "plush"
            body.append(f"namespace {space} {{\nnamespace snippet_{number} {{\n{place}\n{code}\n}}\n}}\n")
        else:
            body.append(f"namespace plush::lab {{\nvoid snippet_{number}() {{\n{block.marks.get('with', '')}\n{place}\n"
                        f"{code}\n}}\n}}\n")
    common = ["#include <gtest/gtest.h>", '#include "lab/report/report.hpp"', '#include "lab/validation/validate.hpp"',
              '#include "plush/plush.hpp"', '#include "plush/record/run.hpp"', '#include "plush/render/render.hpp"']
    pragmas = ['#pragma GCC diagnostic ignored "-Wreturn-type"', '#pragma GCC diagnostic ignored "-Wmissing-declarations"',
               '#pragma GCC diagnostic ignored "-Wunused-parameter"']
    return "\n".join(["// Made by tests/docs/snippets.py from the pages."] + list(dict.fromkeys(common + head)) +
                     pragmas + body)


# ------------------------------------------------------------------ scenes


def without_comments(text):
    """JSON with comments as plain JSON, of the same lines."""
    return re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/',
                  lambda m: m[1] or re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


def keys_of_schema(schema):
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for value in schema.values():
            yield from keys_of_schema(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from keys_of_schema(value)


def unknown_keys(value, known, named=False):
    """Keys that no scene has; below `materials` and `variants` the first level are names, and paths have dots."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not named and key not in known and "." not in key and "[" not in key:
                yield key
            yield from unknown_keys(inner, known, not named and key in ("materials", "variants"))
    elif isinstance(value, list):
        for inner in value:
            yield from unknown_keys(inner, known)


def check_scene(block, plush, known, tree):
    try:
        text = without_comments(block.text).strip()
        scene = json.loads(text if text.startswith("{") and '"plush"' in text else "{" + text.rstrip(",") + "}")
    except ValueError as error:
        return [f"{block.where}: no JSON: {error}"]
    if "plush" not in scene:
        return [f'{block.where}: no scene has a key "{key}"' for key in unknown_keys(scene, known)]
    with tempfile.TemporaryDirectory() as folder:
        for name in re.findall(r'"([\w./]+\.(?:obj|stl|off|ply))"', block.text):
            pathlib.Path(folder, name).write_bytes(pathlib.Path(tree, "docs/scenes/bar.obj").read_bytes())
        file = pathlib.Path(folder, "scene.jsonc")
        file.write_text(block.text, encoding="utf-8")
        done = subprocess.run([plush, "check", file], capture_output=True, text=True)
    return [] if done.returncode == 0 else [f"{block.where}: {done.stdout}{done.stderr}"]


def check_file(block, tree):
    """A file that a page shows and docs/scenes has."""
    name = block.marks.get("file")
    file = pathlib.Path(tree, "docs/scenes", name) if name else None
    if not file or not file.exists() or file.read_text(encoding="utf-8") == block.text:
        return []
    return [f"{block.where}: not the same as docs/scenes/{name}"]


# ------------------------------------------------------------------ commands


class Commands:
    """What the program, ./run and ./test understand."""

    def __init__(self, plush, tree):
        self.plush, self.help_texts, self.tree = plush, {}, pathlib.Path(tree)
        scenes = json.loads(self.output("scenes", "--json"))
        self.scenes = {scene["name"] for scene in scenes["scenes"]}
        parts = re.search(r"full_parts=\((.*?)\)", (self.tree / "scripts/full.sh").read_text(encoding="utf-8"))
        self.parts = set(parts[1].split()) if parts else set()

    def output(self, *words):
        return subprocess.run([self.plush, *words], capture_output=True, text=True).stdout

    def help(self, *command):
        if command not in self.help_texts:
            self.help_texts[command] = self.output(*command, "--help")
        return self.help_texts[command]

    def subcommands(self, *command):
        return set(re.findall(r"^  (\w+) ", self.help(*command).split("Subcommands:\n", 1)[-1], re.M))

    def names(self, command):
        """The names in the list below the help of validate and study."""
        return set(re.findall(r"^  (\w+) ", self.help(command).split(":\n", 1)[-1], re.M))

    def problem(self, words):
        """What is wrong with the words of one command; none: nothing."""
        program = words[0]
        if program == "./test":
            if words[1:2] == ["--full"] and len(words) == 3 and words[2].islower() and words[2] not in self.parts:
                return f"./test --full has no part {words[2]}"
            return None
        if pathlib.PurePosixPath(program).name != "plush" or len(words) < 2:
            return None
        command = words[1:3] if words[1] == "mesh" else words[1:2]
        if command[0].startswith("-") or command[0].isupper() or command[-1].isupper():
            return None
        for depth, word in enumerate(command):
            if word not in self.subcommands(*command[:depth]):
                return f"there is no command {' '.join(command)}"
        text = self.help(*command)
        for word in words[1 + len(command):]:
            option = word.split("=")[0]
            if re.match(r"--?[a-z]", option) and not re.search(rf"(^|[\s,]){re.escape(option)}([\s,=]|$)", text, re.M):
                return f"plush {' '.join(command)} has no option {option}"
        names = []  # what stands before the first option
        for word in words[2:]:
            if not re.fullmatch(r"[a-z][a-z_0-9]*", word):
                break
            names.append(word)
        if command[0] in ("validate", "study"):
            for name in names:
                if name not in self.names(command[0]):
                    return f"plush {command[0]} knows no {name}"
        if command[0] == "bench":
            for name in names:
                if name not in self.names("bench") | self.scenes | {"python"}:
                    return f"plush bench knows no {name}"
        if command[0] in ("run", "gallery") and names and names[0] not in self.scenes:
            return f"there is no scene {names[0]}"
        return None


def words_of(line):
    """The commands of one line of a shell, each as words."""
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars="&|;()")
        lexer.whitespace_split, lexer.commenters = True, "#"
        words = list(lexer)
    except ValueError:
        words = line.split()
    commands, command = [], []
    for word in words + [";"]:
        if set(word) <= set("&|;()"):
            if command:
                commands.append(command)
            command = []
        else:
            command.append(word)
    return commands


def check_commands(tree, commands):
    problems = []
    for page in pages(tree):
        name = page.relative_to(tree).as_posix()
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            candidates = re.findall(r"`((?:plush|\./test|\./run)\b[^`]*)`", line)
            if re.match(r"\s*(\S*/)?plush [a-z]|\./test|\./run", line) and "`" not in line:
                candidates.append(line)
            for candidate in candidates:
                for words in words_of(candidate.strip()):
                    if problem := commands.problem(words):
                        problems.append(f"{name}:{number}: {problem}")
    return problems


# ------------------------------------------------------------------ links


def anchors(text):
    """The anchors of a page's headings, as GitHub and GitLab make them."""
    found, seen = set(), {}
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M):
        anchor = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).strip().lower()).replace(" ", "-")
        count = seen[anchor] = seen.get(anchor, -1) + 1
        found.add(f"{anchor}-{count}" if count else anchor)
    return found


def check_links(tree):
    problems = []
    for page in pages(tree):
        name = page.relative_to(tree).as_posix()
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                file = (page.parent / path) if path else page
                if not file.exists():
                    problems.append(f"{name}:{number}: there is no {path}")
                elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
                    problems.append(f"{name}:{number}: {path or name} has no heading #{anchor}")
    return problems


# ------------------------------------------------------------------ all of it


def check(tree, plush):
    commands = Commands(plush, tree)
    known = set(keys_of_schema(json.loads(commands.output("schema"))))
    problems = check_commands(tree, commands) + check_links(tree)
    for block in all_blocks(tree):
        if "no code" in block.marks:
            continue
        problems += check_file(block, tree)
        if block.language in ("json", "jsonc"):
            problems += check_scene(block, plush, known, tree)
        elif block.language == "python":
            try:
                ast.parse(block.text)
            except SyntaxError as error:
                problems.append(f"{block.where}: {error}")
    return problems


def run_page(tree, page, folder, environment):
    problems = []
    for block in blocks_of(pathlib.Path(tree, page).read_text(encoding="utf-8"), page):
        if name := block.marks.get("file"):
            pathlib.Path(folder, name).write_text(block.text, encoding="utf-8")
        elif block.language in SHELL and block.language and "not run" not in block.marks and "no code" not in block.marks:
            for offset, line in enumerate(block.text.splitlines()):
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", line], cwd=folder, env=environment,
                                      capture_output=True, text=True)
                if done.returncode:
                    problems.append(f"{page}:{block.line + offset}: {line}: status {done.returncode}\n"
                                    f"{done.stdout}{done.stderr}")
    return problems


def run(tree, plush, module):
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        wrappers = pathlib.Path(folder, "bin")
        wrappers.mkdir()
        short = pathlib.Path(folder, "short")
        short.mkdir()
        # Ten steps of each run, and the smallest films: that the lines work is what is tested here.
        (wrappers / "plush").write_text(
            "#!/bin/bash\n"
            f"plush={shlex.quote(str(pathlib.Path(plush).resolve()))}\n"
            'case $1 in run) [[ " $* " == *" --steps "* ]] || set -- "$@" --steps 10 ;; esac\n'
            'exec "$plush" "$@"\n')
        (short / "sitecustomize.py").write_text(
            "import plush\n_run = plush.World.run\n"
            "plush.World.run = lambda self, seconds, *a, **k: _run(self, min(seconds, 0.05), *a, **k)\n")
        (wrappers / "python").write_text(f'#!/bin/bash\nexec {shlex.quote(sys.executable)} "$@"\n')
        for wrapper in wrappers.iterdir():
            wrapper.chmod(0o755)
        environment = dict(os.environ, PATH=f"{wrappers}:{os.environ['PATH']}",
                           PYTHONPATH=f"{short}:{pathlib.Path(module).resolve()}")
        work = pathlib.Path(folder, "work")
        work.mkdir()
        for page in RUN:
            problems += run_page(tree, page, work, environment)
        for block in all_blocks(tree):
            if block.language == "python" and block.text.startswith("import plush") and "file" not in block.marks:
                done = subprocess.run([sys.executable, "-c", block.text], cwd=work, env=environment,
                                      capture_output=True, text=True)
                if done.returncode:
                    problems.append(f"{block.where}: {done.stderr}")
    return problems


def main(words):
    if words[0] == "cpp":
        source, file = cpp_source(words[1]), pathlib.Path(words[2])
        if not file.exists() or file.read_text(encoding="utf-8") != source:
            file.write_text(source, encoding="utf-8")
        return 0
    if words[0] == "run" and not pathlib.Path(words[3]).is_dir():
        print("the Python module was not built")
        return 77
    problems = check(words[1], words[2]) if words[0] == "check" else run(*words[1:4])
    print("\n".join(problems) or "every snippet is good")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
