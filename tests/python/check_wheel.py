"""Builds the wheel without a network, installs it into a fresh environment, and tests it from there.

check_wheel.py BUILD      BUILD is a build folder with the module and the program.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parents[1]


def run(*command, **more):
    print("+", *command, flush=True)
    done = subprocess.run([str(c) for c in command], text=True, **more)
    if done.returncode != 0:
        sys.exit(f"failed with status {done.returncode}: {' '.join(map(str, command))}")
    return done


def main(build):
    if not (build / "bin/plush").exists():
        print("not run: the program is not built")
        sys.exit(77)
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PLUSH_SCENES", "LD_PRELOAD")}
    environment |= {"PLUSH_BUILD": str(build), "PLUSH_SOURCE": str(ROOT), "PIP_NO_INDEX": "1",
                    "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        shutil.copytree(ROOT / "python", folder / "python", ignore=shutil.ignore_patterns("build", "*.egg-info"))
        run("/usr/bin/python3", "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "-w", folder / "wheels",
            folder / "python", env=environment, cwd=folder)
        wheel = next((folder / "wheels").glob("plush-*.whl"))
        run("/usr/bin/python3", "-m", "venv", "--system-site-packages", folder / "venv", env=environment)
        python = folder / "venv/bin/python"
        run(python, "-m", "pip", "install", "-q", "--no-deps", wheel, env=environment, cwd=folder)
        shutil.copytree(TESTS, folder / "tests")
        place = run(python, "-c", "import plush; print(plush.__file__)", env=environment, cwd=folder, capture_output=True)
        if str(folder / "venv") not in place.stdout:
            sys.exit(f"the module that was imported is not the installed one: {place.stdout}")
        run(python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_settings.py", "test_lifetimes.py",
            "test_names.py", "test_view.py", "test_twin.py", "test_saved_worlds.py", "test_examples.py", env=environment, cwd=folder / "tests")
        run(python, "-m", "plush", "scenes", env=environment, cwd=folder, stdout=subprocess.DEVNULL)
        examples = sorted((ROOT / "examples/python").glob("*.py"))
        run("/usr/bin/mypy", "--strict", "--python-executable", python, "--cache-dir", folder / "cache", *examples,
            env=environment, cwd=folder)
    print("the wheel is good")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
