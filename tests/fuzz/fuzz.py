#!/usr/bin/env python3
"""Fuzzes every reader with clang's libFuzzer, address and undefined-behaviour sanitizers (build preset `fuzz`).

    tests/fuzz/fuzz.py PLUSH_FUZZ [--seconds N] [--jobs N] [--keep] [TARGET ...]

Each target runs for N seconds (600; PLUSH_FUZZ_SECONDS), from its seeds, tests/fuzz/corpus/TARGET.txt and the words of
tests/fuzz/words/. A finding is printed as a line for that file and left in the working folder; exit status 1. --keep adds the
inputs that reach new code to the corpus, the smallest first, up to KEPT bytes a target.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KEPT = 24 * 1024  # bytes of a corpus: it stays in the history for ever
LONGEST = 1024    # bytes of a kept input
# Targets whose inputs are edits of a valid file: short.
EDITS = {"snapshot", "world_file", "frames", "checkpoint"}
WORDS = {"scene": "scene", "override": "scene", "messages": "view", "input_record": "view"}
MESHES = {"obj", "off", "ply", "stl", "msh", "medit", "pipeline"}


def escaped(data):
    out = []
    for c in data:
        if c == 0x5c:
            out.append("\\\\")
        elif c == 0x0a:
            out.append("\\n")
        elif 0x20 <= c <= 0x7e:
            out.append(chr(c))
        else:
            out.append("\\x%02x" % c)
    return "".join(out)


def words_of(target):
    name = WORDS.get(target, "meshes" if target in MESHES else None)
    path = HERE / "words" / f"{name}.dict"
    return [f"-dict={path}"] if name and path.exists() else []


def environment(target, **more):
    return dict(os.environ, PLUSH_FUZZ_TARGET=target, UBSAN_OPTIONS="print_stacktrace=1",
                ASAN_OPTIONS="allocator_may_return_null=0:detect_leaks=0", **more)


def write_seeds(program, target, folder):
    subprocess.run([program], env=environment(target, PLUSH_FUZZ_SEEDS=str(folder)), check=True)


def merge(program, target, folder, found):
    """Adds to the corpus what reaches code that it does not reach yet."""
    new, base = folder / "merged", folder / "base"
    for path in (new, base):
        path.mkdir()
    write_seeds(program, target, base)
    subprocess.run([program, "-merge=1", "-rss_limit_mb=4096", "-timeout=60", base, found], env=environment(target),
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    corpus = HERE / "corpus" / f"{target}.txt"
    lines = set(corpus.read_text().splitlines()) if corpus.exists() else set()
    size = sum(map(len, lines))
    inputs = [p.read_bytes() for p in base.iterdir() if not p.name.startswith("seed_")]
    for data in sorted(inputs, key=len):
        line = escaped(data)
        if len(data) <= LONGEST and size + len(line) <= KEPT and line not in lines:
            lines.add(line)
            size += len(line)
    corpus.write_text("".join(line + "\n" for line in sorted(lines)))


def fuzz(program, target, seconds, keep):
    """(target, runs, features, finding or None)"""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        found = folder / "found"
        found.mkdir()
        write_seeds(program, target, found)
        artifact = pathlib.Path.cwd() / f"fuzz_{target}_"
        done = subprocess.run([program, f"-max_total_time={seconds}", "-rss_limit_mb=4096", "-timeout=60", "-print_final_stats=1",
                               f"-max_len={264 if target in EDITS else 4096}", "-use_value_profile=1",
                               f"-artifact_prefix={artifact}", *words_of(target), found],
                              env=environment(target), capture_output=True, text=True, errors="replace")
        runs = re.search(r"number_of_executed_units:\s+(\d+)", done.stderr)
        slow = re.search(r"slowest_unit_time_sec:\s+(\d+)", done.stderr)
        features = re.findall(r"cov: (\d+)", done.stderr)
        figures = (runs[1] if runs else "?", features[-1] if features else "?", slow[1] if slow else "?")
        if done.returncode != 0:
            path = re.search(r"Test unit written to (\S+)", done.stderr)
            data = pathlib.Path(path[1]).read_bytes() if path else b""
            return target, figures, done.stderr[-6000:] + f"\n\nas a line of tests/fuzz/corpus/{target}.txt:\n{escaped(data)}"
        if keep:
            merge(program, target, folder, found)
        return target, figures, None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=lambda p: str(pathlib.Path(p).resolve()))
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=int, default=int(os.environ.get("PLUSH_FUZZ_SECONDS", 600)))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", action="store_true")
    asked = parser.parse_args()
    known = subprocess.run([asked.program], capture_output=True, text=True, check=True,
                           env={k: v for k, v in os.environ.items() if k != "PLUSH_FUZZ_TARGET"}).stdout.split()
    unknown = [t for t in asked.targets if t not in known]
    if unknown:
        print(f"there is no target {unknown[0]}: choose from {' '.join(known)}")
        return 2
    findings = 0
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        work = [pool.submit(fuzz, asked.program, t, asked.seconds, asked.keep) for t in asked.targets or known]
        for done in concurrent.futures.as_completed(work):
            target, (runs, covered, slowest), finding = done.result()
            print(f"{target}: {runs} inputs, {covered} edges, slowest {slowest} s, {'FOUND' if finding else 'nothing found'}",
                  flush=True)
            if finding:
                print(finding, flush=True)
                findings += 1
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
