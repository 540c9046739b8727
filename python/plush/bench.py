"""What Python costs: `plush bench python`, or `python -m plush.bench [--json]`.

The step of an empty world, called from Python, is an upper bound of what calling costs: it has no bodies to compute.
"""

from __future__ import annotations

import json
import sys
from statistics import median
from time import perf_counter

import plush


def seconds(call, times: int) -> float:
    """The median of so many calls, s."""
    taken = []
    for _ in range(times):
        start = perf_counter()
        call()
        taken.append(perf_counter() - start)
    return median(taken)


def steps(world: plush.World, count: int, read) -> tuple[float, float]:
    """Medians of steps without and with everything read after each, in turn, so that the machine's noise is the same."""
    plain, reading, kept = [], [], None
    for k in range(count):
        start = perf_counter()
        world.step()
        if k % 2:
            kept = read()
        (reading if k % 2 else plain).append(perf_counter() - start)
        if not k % 2:
            kept = None
    del kept
    return median(plain), median(reading)


def particles(count: int) -> plush.Body:
    """A cloud in a world of its own."""
    world = plush.World(threads=1)
    return world.add(plush.Particles(positions=[(0.01 * i, 0, 0) for i in range(count)]))


def measure() -> dict:
    """All figures."""
    empty = plush.World(threads=1)
    call = seconds(empty.step, 2000)
    world = plush.load_scene("soft_toys_10").build()
    toys = [body for body in world.bodies if body.kind == "deformable"]
    world.run(0.5)

    def read():
        return [[t.positions, t.velocities, t.contact_force] for t in toys], world.contacts, world.report

    plain, reading = steps(world, 40, read)
    small, large = particles(100), particles(1_000_000)
    return {
        "step_of_an_empty_world_us": 1e6 * call,
        "step_of_soft_toys_10_ms": 1e3 * plain,
        "overhead_percent": 100 * call / plain,
        "step_and_reading_all_ms": 1e3 * reading,
        "reading_all_percent": 100 * seconds(read, 200) / plain,
        "view_of_100_points_us": 1e6 * seconds(lambda: small.positions, 1000),
        "view_of_1000000_points_us": 1e6 * seconds(lambda: large.positions, 1000),
        "copy_of_1000000_points_us": 1e6 * seconds(lambda: large.positions.copy(), 20),
    }


if __name__ == "__main__":
    found = measure()
    if "--json" in sys.argv:
        print(json.dumps({"python": found}))
    else:
        for name, value in found.items():
            print(f"{name:28} {value:10.3f}")
