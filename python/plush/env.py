"""Environments in the manner of reinforcement learning: reset(seed) and step(action), without any other package.

    env = plush.env.Gripper()
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step([0.5, 0.2])
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from . import _plush  # noqa: F401
from ._meshes import Shape, SoftSolid, generate
from ._settings import Fixed, Rigid, SliderJoint, Soft
from ._world import Body, JointHandle, World

_solid: SoftSolid | None = None


def _ball() -> SoftSolid:
    """A soft ball of few tets, filled once for all environments."""
    global _solid
    if _solid is None:
        _solid = SoftSolid.fill(generate("icosphere", size=0.1, triangles=80), cells_across=4)
    return _solid


class Gripper:
    """Two jaws hold a soft ball and lift it. The same seed and actions give the same bits.

    Action: two numbers from −1 to 1: how hard the jaws close (up to 20 N), how fast they rise (up to 0.3 m/s).
    Observation: height of the ball (m), its velocity (m/s, 3), opening of the jaws (m), height of the jaws (m), and the
    normal force on the left and on the right jaw (N).
    Reward: the height gained in the step, m, less a thousandth of the closing force, N.
    Terminated: the ball is 0.2 m up. Truncated: `steps` actions are done.
    """

    observation_shape = (8,)
    action_shape = (2,)

    def __init__(self, steps: int = 100, substeps: int = 4) -> None:
        """`substeps` steps of 1/120 s an action."""
        self._limit, self._substeps = steps, substeps
        self._count = 0
        self.world: World | None = None

    def reset(self, seed: int = 0) -> tuple[np.ndarray, dict]:
        """A new ball, of a stiffness, friction and place that the seed decides."""
        random = np.random.default_rng(seed)
        world = World(threads=1, step=1 / 120, sleep={"enabled": False})
        world.add_ground(0)
        friction = float(random.uniform(0.4, 0.9))
        soft = Soft(solid=_ball(), young=float(random.uniform(2e4, 6e4)), density=300, friction=friction)
        self._ball = world.add(soft, position=(float(random.uniform(-0.005, 0.005)), 0.055, 0))
        wrist = Rigid(shape=Shape.box((0.02, 0.02, 0.02)), mass=1, groups=[1], collides_with=[])
        jaw = Rigid(shape=Shape.box((0.01, 0.04, 0.04)), mass=0.2, friction=friction)
        self._wrist = world.add(wrist, position=(0, 0.3, 0))
        self._jaws = [world.add(jaw, position=(side * 0.08, 0.06, 0)) for side in (-1, 1)]
        self._lift = world.add_joint(SliderJoint(anchor=(0, 0.3, 0), axis=(0, 1, 0)), self._wrist)
        self._fingers = [world.add_joint(SliderJoint(anchor=(side * 0.08, 0.06, 0), axis=(-side, 0, 0),
                                                     limits={"low": -0.02, "high": 0.07}), body, self._wrist)
                         for side, body in zip((-1, 1), self._jaws)]
        self._drive(0.0, 0.0)
        self.world, self._count = world, 0
        return self._observe(), {"world": world, "friction": friction}

    def _drive(self, close: float, rise: float) -> None:
        self._closing = 20 * max(close, 0.0)
        for finger in self._fingers:
            finger.set_motor(speed=0.2 if close > 0 else -0.2, max_force=max(self._closing, 1e-3))
        self._lift.set_motor(speed=0.3 * rise)

    def _observe(self) -> np.ndarray:
        jaws = [b.centre for b in self._jaws]
        forces = [abs(b.contact_force[0]) for b in self._jaws]
        return np.array([self._ball.centre[1], *self._ball.velocity, jaws[1][0] - jaws[0][0] - 0.02,
                         self._wrist.centre[1], *forces])

    def step(self, action) -> tuple[np.ndarray, float, bool, bool, dict]:
        """One action: observation, reward, terminated, truncated, info."""
        if self.world is None:
            raise RuntimeError("call reset() first")
        close, rise = np.clip(np.asarray(action, float), -1, 1)
        before = float(self._ball.centre[1])
        self._drive(float(close), float(rise))
        for _ in range(self._substeps):
            self.world.step()
        self._count += 1
        height = float(self._ball.centre[1])
        slipping = [not c["sticking"] for c in self.world.contacts if c["normal_force"] > 0]
        info = {"slipping": float(np.mean(slipping)) if slipping else 0.0, "closing_force": self._closing}
        return self._observe(), height - before - 1e-3 * self._closing / 20, height > 0.2, self._count >= self._limit, info


class Vector:
    """Several environments at once, each in a thread: stacked observations, rewards and ends. An environment that ended is
    reset with its next seed at the next step."""

    def __init__(self, make: Callable[[], Gripper], count: int) -> None:
        """`make()` makes one of `count` environments."""
        self.envs = [make() for _ in range(count)]
        self._pool = ThreadPoolExecutor(count)
        self._seeds = list(range(count))
        self._ended = [False] * count

    def reset(self, seed: int = 0) -> tuple[np.ndarray, list[dict]]:
        """Environment k gets the seed `seed` + k."""
        self._seeds = [seed + k for k in range(len(self.envs))]
        self._ended = [False] * len(self.envs)
        out = list(self._pool.map(lambda pair: pair[0].reset(pair[1]), zip(self.envs, self._seeds)))
        return np.stack([o for o, _ in out]), [info for _, info in out]

    def _one(self, k: int, action):
        if not self._ended[k]:
            return self.envs[k].step(action)
        self._seeds[k] += len(self.envs)
        observation, info = self.envs[k].reset(self._seeds[k])
        return observation, 0.0, False, False, info

    def step(self, actions) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, list[dict]]:
        """One action each."""
        out = list(self._pool.map(self._one, range(len(self.envs)), actions))
        self._ended = [o[2] or o[3] for o in out]
        return (np.stack([o[0] for o in out]), np.array([o[1] for o in out]), np.array([o[2] for o in out]),
                np.array([o[3] for o in out]), [o[4] for o in out])

    def close(self) -> None:
        """Ends the threads."""
        self._pool.shutdown()
