"""Every example runs, and its own checks hold."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(os.environ.get("PLUSH_SOURCE", Path(__file__).resolve().parents[1].parent))
FOLDER = SOURCE / "examples/python"
EXAMPLES = sorted(f.stem for f in FOLDER.glob("*.py") if f.stem != "common")


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, tmp_path):
    pytest.importorskip("matplotlib")
    environment = {**os.environ, "MPLCONFIGDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-B", f"{name}.py", str(tmp_path)], cwd=FOLDER, env=environment,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / f"{name}.png").stat().st_size > 1000


def test_each_has_a_picture_in_the_docs():
    docs = SOURCE / "docs"
    text = (docs / "python.md").read_text()
    for name in EXAMPLES:
        assert (docs / "pictures/python" / f"{name}.png").exists() and f"pictures/python/{name}.png" in text
