#!/usr/bin/env python3
"""Short runs of every built-in scene: their motion is the one that is stored, and nothing goes unseen in them.

    tests/scenes/short_runs.py PLUSH [--threads N]... [--renew | --findings] [SCENE ...]

Beside this file, short_runs.txt has a line for each scene and variant: the motion_hash after so many steps, and the kinds of
findings (docs/reliability.md) that its start is allowed to have. --renew writes it anew: CHANGELOG.md then says why.
--findings compares these alone: hashes are those of one libm and one processor.
"""

import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

STORE = pathlib.Path(__file__).with_name("short_runs.txt")
STEPS = 10
# Scenes of minutes or gigabytes; they are run by the bench and the gallery.
LEFT_OUT = {"armadillos", "armadillos_soft", "soft_toys_20", "soft_toys_40"}
# Why a scene may have a finding: said here, so that it does not grow unseen.
REASONS = {}


def scene_list(plush):
    out = subprocess.run([plush, "scenes", "--json"], capture_output=True, text=True, check=True).stdout
    return [s["name"] for s in json.loads(out)["scenes"] if s["name"] not in LEFT_OUT]


def run(plush, scene, threads):
    """Lines "NAME HASH KINDS" of a scene's variants."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([plush, "run", scene, "--steps", str(STEPS), "--threads", str(threads), "--no-frames", "--out",
                               folder + "/run", "--json", "--quiet"], capture_output=True, text=True)
    if done.returncode not in (0, 1) or not done.stdout:
        return [f"{scene} failed {done.stderr.strip()[-200:]}"]
    document = json.loads(done.stdout)
    runs = document.get("variants", [document])
    lines = []
    for r in runs:
        if not r.get("finished"):
            lines.append(f"{r.get('scene', scene)} failed {r.get('error', document.get('errors'))}")
            continue
        kinds = ",".join(f["kind"] for f in r["findings"]) or "-"
        lines.append(f"{r['scene']} {r['motion_hash']} {kinds}")
    return lines


def main():
    words = sys.argv[1:]
    plush, words = words[0], words[1:]
    renew, findings_alone = "--renew" in words, "--findings" in words
    threads, scenes, k = [], [], 0
    while k < len(words):
        if words[k] == "--threads":
            k += 1
            threads.append(int(words[k]))
        elif words[k] not in ("--renew", "--findings"):
            scenes.append(words[k])
        k += 1
    scenes = scenes or scene_list(plush)
    wrong = 0
    stored = {line.split()[0]: line for line in STORE.read_text().splitlines()} if STORE.exists() else {}
    for count in threads or [1]:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = [line for lines in pool.map(lambda s: run(plush, s, count), scenes) for line in lines]
        if renew:
            kept = [line for name, line in stored.items() if name.split("/")[0] not in scenes]
            STORE.write_text("".join(sorted(line + "\n" for line in found + kept)))
            stored = {line.split()[0]: line for line in found + kept}
        for line in found:
            name = line.split()[0]
            known = stored.get(name, "")
            same = known.split()[2:] == line.split()[2:] if findings_alone else known == line
            if not known or not same:
                print(f"{count} thread(s): {line}\n    stored: {stored.get(name, 'nothing')}")
                wrong += 1
    print(f"{len(stored)} runs stored, {wrong} differ")
    if wrong:
        print("where the change is meant: the same command with --renew, and a line in CHANGELOG.md that says why")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
