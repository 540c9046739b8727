#!/usr/bin/env python3
"""Lines of src/ that a build with --coverage has run, by file: tests/coverage.py SOURCE BUILD. Lists files of algorithms below
90 %."""

import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

ALGORITHMS = ("core", "math", "geometry", "bodies", "detect", "contact", "world")


def main():
    source, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    hits = collections.defaultdict(dict)  # of a file: line -> runs
    with tempfile.TemporaryDirectory() as folder:
        for data in build.rglob("*.gcda"):
            subprocess.run(["gcov", "--json-format", str(data)], cwd=folder, capture_output=True, check=False)
            for report in pathlib.Path(folder).glob("*.gcov.json.gz"):
                with gzip.open(report) as stream:
                    for file in json.load(stream)["files"]:
                        path = (build / file["file"]).resolve()
                        if not path.is_relative_to(source / "src"):
                            continue
                        lines = hits[str(path.relative_to(source))]
                        for line in file["lines"]:
                            number = line["line_number"]
                            lines[number] = lines.get(number, 0) + line["count"]
                report.unlink()
    if not hits:
        print("no counts: build with the preset coverage and run the tests first")
        return 1
    total = [0, 0]
    modules = collections.defaultdict(lambda: [0, 0])
    low = []
    for path, lines in sorted(hits.items()):
        run, all_lines = sum(1 for n in lines.values() if n > 0), len(lines)
        module = path.split("/")[1]
        for sums in (total, modules[module]):
            sums[0] += run
            sums[1] += all_lines
        if module in ALGORITHMS and run < 0.9 * all_lines:
            low.append((run / all_lines, path, all_lines))
    for module, (run, all_lines) in modules.items():
        print(f"{module:<10} {100 * run / all_lines:5.1f} % of {all_lines} lines")
    print(f"{'all':<10} {100 * total[0] / total[1]:5.1f} % of {total[1]} lines")
    for share, path, count in sorted(low):
        print(f"below 90 %: {path} {100 * share:.1f} % of {count}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
