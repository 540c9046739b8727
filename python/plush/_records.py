"""Scenes, and the folders that runs are recorded in."""

from __future__ import annotations

import base64
import csv
import json
import tempfile
from pathlib import Path

import numpy as np

from . import _plush
from ._error import Error
from ._world import Force, World


def _first(loaded) -> tuple:
    scene, errors, warnings = loaded
    if scene is None:
        error = errors[0]
        error.all = errors
        raise error
    return scene, warnings


class Scene:
    """A scene that was read and checked, ready to become a world."""

    def __init__(self, content, folder=".", name: str = "scene", set=(), variant: str = "") -> None:
        """Of a dict (or a text) as in docs/scenes.md. Files in it are relative to `folder`."""
        text = content if isinstance(content, str) else json.dumps(content, default=_jsonable)
        self._inner, self.warnings = _first(
            _plush.parse_scene(text, str(Path(folder).absolute()), name, [str(s) for s in set], variant))

    @classmethod
    def load(cls, scene, set=(), variant: str = "") -> "Scene":
        """A file, or the name of a built-in scene; `set` holds overrides such as "step=0.01"."""
        made = cls.__new__(cls)
        made._inner, made.warnings = _first(_plush.load_scene(str(scene), [str(s) for s in set], variant))
        return made

    @property
    def name(self) -> str:
        """Of the scene."""
        return self._inner.name

    @property
    def description(self) -> str:
        """One line."""
        return self._inner.description

    @property
    def duration(self) -> float:
        """s."""
        return self._inner.duration

    @property
    def frame_rate(self) -> float:
        """Recorded frames a second of simulated time."""
        return self._inner.frame_rate

    @property
    def settings(self) -> dict:
        """Of its world."""
        return self._inner.settings

    @property
    def resolved(self) -> dict:
        """The whole scene, with includes expanded and overrides applied."""
        return json.loads(self._inner.resolved)

    def build(self, threads: int = 0) -> World:
        """A new world at time 0."""
        world = World._of(self._inner.build(threads), [("scene", self._inner.resolved, self.name)])
        world._threads = threads
        return world

    def run(self, out, **settings) -> "Run":
        """Simulates it into a run folder. Keywords: duration (s), steps, threads, frames, replace, checkpoint_every (s),
        verify (a run folder), progress (a function of step, steps, time, wall, contacts; False stops)."""
        _plush_settings = {**settings, "out": str(out)}
        self._inner.run(_plush_settings)
        return Run(out)

    def __repr__(self) -> str:
        return f"<plush.Scene {self.name}>"

    def __reduce__(self):
        return Scene, (self._inner.resolved, "/", self.name)


def _jsonable(value):
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"a scene cannot hold a {type(value).__name__}")


def load_scene(scene, set=(), variant: str = "") -> Scene:
    """A scene file, or the name of a built-in scene."""
    return Scene.load(scene, set, variant)


def scenes() -> dict[str, str]:
    """The built-in scenes, each with a line that says what it shows."""
    return _plush.scenes()


class Run:
    """What was recorded in a folder: frames, metrics and summary."""

    def __init__(self, folder) -> None:
        self.folder = Path(folder)
        if not (self.folder / "frames.plush").exists() and not (self.folder / "summary.json").exists():
            raise Error("this is no run folder", "name a folder that `plush run` or World.run(out=…) has written",
                        file=str(folder))
        file = self.folder / "frames.plush"
        self._reader = _plush.FrameReader(str(file)) if file.exists() else None
        self._header = self._reader.header if self._reader else {"bodies": [], "meshes": []}

    @property
    def summary(self) -> dict:
        """The content of summary.json; empty where there is none."""
        file = self.folder / "summary.json"
        return json.loads(file.read_text()) if file.exists() else {}

    @property
    def metrics(self) -> dict[str, np.ndarray]:
        """The columns of metrics.csv by name; empty where there is none."""
        file = self.folder / "metrics.csv"
        if not file.exists():
            return {}
        with file.open(newline="") as stream:
            rows = list(csv.reader(stream))
        columns = {}
        for k, name in enumerate(rows[0]):
            texts = [row[k] for row in rows[1:]]
            try:
                columns[name] = np.array([float(text) if text else np.nan for text in texts])
            except ValueError:
                columns[name] = np.array(texts)
        return columns

    @property
    def bodies(self) -> list[Force]:
        """name, kind, mesh (an index of `meshes`, or −1), points and radius (m) of each."""
        return [Force(b) for b in self._header["bodies"]]

    @property
    def meshes(self) -> list[Force]:
        """positions (m), triangles and segments of each distinct mesh."""
        return [Force(m) for m in self._header["meshes"]]

    def __len__(self) -> int:
        if not self._reader:
            return 0
        self._reader.refresh()  # it may be written still
        return len(self._reader)

    def frame(self, k: int) -> Force:
        """Frame k, negative from the end: step, time (s), and by body poses ((position, rotation) or None) and points (m)."""
        count = len(self)
        if not -count <= k < count:
            raise IndexError(f"there are {count} frames")
        return Force(self._reader.read(k % count))

    def __getitem__(self, k: int) -> Force:
        return self.frame(k)

    def positions(self, body: int | str) -> np.ndarray:
        """Of a body in every frame, m: its points (frames × n × 3), or its origin (frames × 3)."""
        if isinstance(body, str):
            names = [b["name"] for b in self._header["bodies"]]
            if body not in names:
                raise Error(f'no body is called "{body}"', _plush.did_you_mean(body, names) or f"known: {names}",
                            file=str(self.folder))
            body = names.index(body)
        frames = [self.frame(k) for k in range(len(self))]
        if frames and frames[0]["poses"][body] is None:
            return np.array([f["points"][body] for f in frames])
        return np.array([f["poses"][body][0] for f in frames])

    @property
    def times(self) -> np.ndarray:
        """Of the frames, s."""
        return np.array([self.frame(k)["time"] for k in range(len(self))])

    def picture(self, file, frame: int | None = None, width: int = 960, height: int = 600, camera: str = "") -> None:
        """Draws a frame into a PNG."""
        _plush.render(str(self.folder), str(file), frame, None, width, height, camera)

    def film(self, file, width: int = 640, height: int = 400, camera: str = "") -> None:
        """Draws all frames into an MP4, without a display (ffmpeg must be installed)."""
        _plush.render(str(self.folder), str(file), None, 1, width, height, camera)

    def _repr_html_(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            self.film(Path(folder) / "film.mp4", 480, 300)
            data = base64.b64encode((Path(folder) / "film.mp4").read_bytes()).decode()
        return f'<video controls loop src="data:video/mp4;base64,{data}"></video>'

    def __repr__(self) -> str:
        return f"<plush.Run {self.folder}: {len(self)} frames>"


def open_run(folder) -> Run:
    """A run folder as arrays."""
    return Run(folder)


def resume(folder, **settings) -> Run:
    """Goes on with an interrupted run."""
    _plush.resume(str(folder), settings)
    return Run(folder)
