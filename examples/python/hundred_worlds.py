"""One hundred worlds in parallel: how far a ball rolls, by its first speed and friction. Steps release the GIL."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import plush
from common import plot


def way(case: tuple[float, float]) -> float:
    """How far a box slides, m."""
    speed, mu = case
    world = plush.World(threads=1, step=0.01)
    world.add_ground(friction=mu)
    box = world.add(plush.Rigid(shape=plush.Shape.box((0.1, 0.05, 0.1)), friction=mu), position=(0, 0.05, 0),
                    velocity=(speed, 0, 0))
    world.run(2)
    return float(box.position[0])


def main() -> None:
    mus, speeds = [0.2, 0.3, 0.4, 0.5, 0.6], list(np.linspace(0.2, 3, 20))
    cases = [(float(v), mu) for mu in mus for v in speeds]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        ways = np.array(list(pool.map(way, cases))).reshape(len(mus), len(speeds))
    plot("hundred_worlds.png", "speed, m/s", "way, m",
         [(f"μ = {mu}", speeds, list(w), "o") for mu, w in zip(mus, ways)]
         + [("v²/2μg", speeds, [v * v / (2 * mu * 9.81) for v in speeds], "k-") for mu in mus[:1]])
    exact = np.array([[v * v / (2 * mu * 9.81) for v in speeds] for mu in mus])
    worst = float(np.abs(ways - exact).max())
    print(f"{len(cases)} worlds; largest difference to v²/2μg: {1e3 * worst:.1f} mm")
    assert worst < 0.04


if __name__ == "__main__":
    main()
