"""Writes python/plush/__init__.pyi and env.pyi from the module itself: settings from their descriptions, the rest from signatures.

PYTHONPATH=build/test/python /usr/bin/python3 python/make_stubs.py [--check]

With --check it writes nothing and fails where a file is not what it would write.
"""

import inspect
import sys
from pathlib import Path

sys.path[:] = [p for p in sys.path if Path(p).resolve() != Path(__file__).resolve().parent]  # the sources are no package

import plush

FOLDER = Path(__file__).resolve().parent / "plush"

HEAD = '''"""Types of the module plush. Made by python/make_stubs.py; do not edit."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import env as env

Vector = Sequence[float] | NDArray[np.float64]
Points = ArrayLike
Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
File = str | PathLike[str]

__version__: str
__all__: list[str]
'''

EXTRAS = {
    "name": "str", "look": "Look | Mapping[str, Any]", "material": "Material", "friction": "float", "restitution": "float", "groups": "Sequence[int]",
    "collides_with": "Sequence[int]", "shape": "Shape", "solid": "SoftSolid", "skin": "Mesh", "tets": "TetMesh",
    "masses": "ArrayLike", "positions": "Points", "velocities": "Points", "rotation": "Vector",
    "surface": "SurfaceSettings | Mapping[str, Any]", "integration": "IntegrationSettings | Mapping[str, Any]",
    "keyframes": "Sequence[Keyframe]", "frames": "Sequence[tuple[float, Mesh]]", "motion": "Callable[[float], Any]", "blade": "Blade",
    "regions": "Sequence[ElasticRegion]",
}
GROUPS = {"constraints": "ConstraintSettings", "contact": "ContactSettings", "solver": "SolverSettings",
          "sleep": "SleepSettings", "surface": "SurfaceSettings", "volume": "VolumeSettings", "tets": "TetContactSettings",
          "limits": "JointLimits", "motor": "JointMotor", "spring": "JointSpring"}
# Types of parameters by their names, and of what functions give where nothing is annotated.
PARAMETERS = {
    "position": "Vector", "velocity": "Vector", "angular_velocity": "Vector", "rotation": "Vector", "force": "Vector",
    "point": "Vector | None", "torque": "Vector", "impulse": "Vector", "low": "Vector", "high": "Vector", "wind": "Vector",
    "gravity": "Vector", "origin": "Vector", "direction": "Vector", "target": "Vector | None", "axis": "Vector",
    "normal": "Vector", "centre": "Vector", "half_size": "Vector", "a": "Vector", "b": "Vector", "positions": "Points",
    "triangles": "ArrayLike", "tets": "ArrayLike", "points": "Points", "heights": "ArrayLike", "file": "File",
    "folder": "File", "out": "File | None", "value": "Vector", "groups": "Sequence[int]", "cells": "Sequence[int]",
    "collides_with": "Sequence[int]", "at_a": "tuple[Vector, Vector]", "at_b": "tuple[Vector, Vector]",
    "set": "Sequence[str]", "scene": "File", "content": "Mapping[str, Any] | str", "thing": "Any", "action": "ArrayLike",
    "actions": "ArrayLike", "motor": "JointMotor | None", "limits": "JointLimits | None", "spring": "JointSpring | None",
    "contact": "ContactSettings | None", "other": "object", "memo": "Any",
}
BETTER = {
    ("World", "add"): "def add(self, thing: Settings, position: Vector = ..., rotation: Vector = ..., velocity: Vector = ..., "
                      "angular_velocity: Vector = ...) -> Body: ...",
    ("World", "ray"): "def ray(self, origin: Vector, direction: Vector, max_distance: float = ...) -> "
                      "tuple[Body, float, Floats, Floats] | None: ...",
    ("World", "closest"): "def closest(self, point: Vector, max_distance: float = ...) -> "
                          "tuple[Body, float, Floats] | None: ...",
    ("World", "run"): "def run(self, seconds: float, progress: bool = ..., out: File | None = ..., "
                      "frame_rate: float = ...) -> Run | None: ...",
    ("World", "view"): "def view(self, port: int = ..., ready: Callable[[str], object] | None = ...) -> None: ...",
    ("Sdf", "__call__"): "def __call__(self, points: Points) -> Any: ...",
    ("Body", "add_force_field"): "def add_force_field(self, force: Callable[[Floats, Floats, float], ArrayLike]) -> None: ...",
    ("World", "on_step"): "def on_step(self, function: Callable[[World], object]) -> Callable[[World], object]: ...",
    ("World", "add_custom_force"): "def add_custom_force(self, function: Callable[[World], object]) -> "
                                   "Callable[[World], object]: ...",
    ("World", "remove_hook"): "def remove_hook(self, function: Callable[[World], object]) -> None: ...",
    ("World", "events"): "@property\n    def events(self) -> list[tuple[Body, Body, str, bool]]: ...",
    ("World", "contacts"): "@property\n    def contacts(self) -> NDArray[Any]: ...",
}
INTEGERS = {"triangles", "tets", "surface", "skin", "edges"}
GENERIC = {"dict": "dict[str, Any]", "list": "list[Any]", "Callable": "Callable[..., Any]"}


def typed(annotation, name=""):
    """An annotation of the sources as one of the stub."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    text = text.strip("'\"").replace('"', "")
    text = text.replace("np.ndarray", "Ints" if name in INTEGERS else "Floats")
    text = text.replace("list[dict]", "list[dict[str, Any]]").replace(", dict]", ", dict[str, Any]]")
    return GENERIC.get(text, text)


def parameter(p):
    text = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "") + p.name
    if p.name in ("self", "cls"):
        return text
    if p.annotation is not p.empty:
        text += ": " + typed(p.annotation)
    elif p.kind is p.VAR_KEYWORD:
        text += ": Any"
    else:
        text += ": " + PARAMETERS.get(p.name, "Any")
    return text + (" = ..." if p.default is not p.empty else "")


def function(name, f, indent, owner=""):
    if (owner, name) in BETTER:
        return [indent + BETTER[owner, name]]
    signature = inspect.signature(f)
    parts, keyword_only = [], False
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and not keyword_only:
            parts.append("*")
            keyword_only = True
        parts.append(parameter(p))
    given = signature.return_annotation
    back = "None" if name == "__init__" else "Any" if given is signature.empty else typed(given, name)
    return [f"{indent}def {name}({', '.join(parts)}) -> {back}: ..."]


def settings(cls):
    lines = [f"class {cls.__name__}({'Joint' if issubclass(cls, plush.Joint) else 'Settings'}):"]
    arguments = []
    for key in cls._extras:
        kind = EXTRAS.get(key, "Any")
        if key == "mesh":
            kind = "TetMesh" if cls.__name__ == "TetSprings" else "Mesh"
        arguments.append((key, f"{kind} | None"))
    for field in cls._fields.values():
        kind = field["type"]
        if kind == "group":
            kind = f"{GROUPS.get(field['key'], 'Settings')} | Mapping[str, Any] | None"
        elif kind == "list":
            kind = "Sequence[Any]"
        elif field.get("choices"):
            kind = "str"
        if not kind.endswith("None"):
            kind += " | None"
        arguments.append((plush._settings._argument(field["key"]), kind))
    whole = f"    def __init__(settings, *, {', '.join(f'{k}: {t} = ...' for k, t in arguments)}) -> None: ..."
    lines.append(whole if any(k == "self" for k, _ in arguments) else whole.replace("(settings,", "(self,", 1))
    for key, kind in arguments:
        lines.append(f"    @property\n    def {key}(self) -> Any: ...")
    return lines


def plain_class(cls):
    bases = [b.__name__ for b in cls.__bases__ if b is not object]
    if cls.__name__ == "Settings":
        bases = []
    bases = ["dict[str, Any]" if b == "dict" else b for b in bases]
    lines = [f"class {cls.__name__}({', '.join(bases)}):" if bases else f"class {cls.__name__}:"]
    if cls.__name__ == "Error":
        return lines + [f"    {key}: str" for key in ("problem", "fix", "place", "file")] + [
            "    def __init__(self, problem: str, fix: str = ..., place: str = ..., file: str = ...) -> None: ..."]
    if issubclass(cls, dict):
        return lines + ["    def __getattr__(self, key: str) -> Any: ..."]
    if cls.__name__ == "Settings":
        return lines + ["    def replace(self, **changes: Any) -> Any: ..."]
    if cls.__name__ == "Joint":
        return lines + ["    ..."]
    annotations = {k: t for k, t in vars(cls).get("__annotations__", {}).items() if not k.startswith("_")}
    lines += [f"    {key}: {typed(kind)}" for key, kind in annotations.items()]
    if cls.__name__ == "Run":
        lines.append("    folder: Path")
    if cls.__name__ == "Scene":
        lines.append("    warnings: list[Error]")
    keep = {"__enter__", "__exit__", "__init__", "__or__", "__and__", "__sub__", "__call__", "__len__", "__getitem__", "__copy__"}
    for name, member in vars(cls).items():
        if name.startswith("_") and name not in keep or name in annotations:
            continue
        if name == "__init__" and cls.__name__ in ("Sdf", "Shape", "Body", "JointHandle", "DragHandle"):
            continue
        if isinstance(member, property):
            if (cls.__name__, name) in BETTER:
                lines.append("    " + BETTER[cls.__name__, name])
                continue
            back = inspect.signature(member.fget).return_annotation
            kind = "Any" if back is inspect.Signature.empty else typed(back, name)
            lines.append(f"    @property\n    def {name}(self) -> {kind}: ...")
            if member.fset:
                lines.append(f"    @{name}.setter\n    def {name}(self, value: Vector) -> None: ...")
        elif isinstance(member, classmethod):
            lines.append("    @classmethod")
            lines += function(name, member.__func__, "    ", cls.__name__)
        elif inspect.isfunction(member):
            lines += function(name, member, "    ", cls.__name__)
    return lines


def stub():
    lines = [HEAD]
    for name in plush.__all__:
        thing = getattr(plush, name)
        if inspect.isclass(thing):
            lines += settings(thing) if issubclass(thing, plush.Settings) and thing._kind else plain_class(thing)
        elif inspect.isfunction(thing):
            lines += function(name, thing, "")
    text = "\n".join(lines) + "\n"
    return text.replace("import numpy as np\n", "from pathlib import Path\n\nimport numpy as np\n", 1)


ENV = '''"""Types of plush.env. Made by python/make_stubs.py; do not edit."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import World

Floats = NDArray[np.float64]
'''


def env_stub():
    lines = [ENV]
    for cls in (plush.env.Gripper, plush.env.Vector):
        lines += plain_class(cls)
    text = "\n".join(lines) + "\n"
    text = text.replace("class Gripper:", "class Gripper:\n    observation_shape: tuple[int, ...]\n"
                        "    action_shape: tuple[int, ...]\n    world: World | None")
    return text.replace("class Vector:", "class Vector:\n    envs: list[Gripper]")


if __name__ == "__main__":
    for file, wanted in ((FOLDER / "__init__.pyi", stub()), (FOLDER / "env.pyi", env_stub())):
        if "--check" not in sys.argv:
            file.write_text(wanted)
        elif not file.exists() or file.read_text() != wanted:
            sys.exit(f"{file} is not what this module has: make it anew with python/make_stubs.py")
