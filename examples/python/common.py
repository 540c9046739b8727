"""What the examples share: where their pictures go, and a plot of one look."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import matplotlib  # type: ignore[import]

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # type: ignore[import]  # noqa: E402


def out(name: str) -> Path:
    """The file for a picture: in the folder that the command line names, or in out/."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name


Line = tuple[str, Sequence[float], Sequence[float], str]


def plot(name: str, x: str, y: str, lines: Sequence[Line]) -> None:
    """Lines of (label, x, y, format) in one picture."""
    figure, axes = plt.subplots(figsize=(6, 3.6), dpi=110)
    for label, xs, ys, form in lines:
        axes.plot(xs, ys, form, label=label, markersize=4)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(out(name))
    plt.close(figure)
