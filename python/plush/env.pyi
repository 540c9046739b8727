"""Types of plush.env. Made by python/make_stubs.py; do not edit."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import World

Floats = NDArray[np.float64]

class Gripper:
    observation_shape: tuple[int, ...]
    action_shape: tuple[int, ...]
    world: World | None
    def __init__(self, steps: int = ..., substeps: int = ...) -> None: ...
    def reset(self, seed: int = ...) -> tuple[Floats, dict[str, Any]]: ...
    def step(self, action: ArrayLike) -> tuple[Floats, float, bool, bool, dict[str, Any]]: ...
class Vector:
    envs: list[Gripper]
    def __init__(self, make: Callable[[], Gripper], count: int) -> None: ...
    def reset(self, seed: int = ...) -> tuple[Floats, list[dict[str, Any]]]: ...
    def step(self, actions: ArrayLike) -> tuple[Floats, Floats, Floats, Floats, list[dict[str, Any]]]: ...
    def close(self) -> None: ...
