"""Young's modulus from a drop: the engine in an optimiser.

The data are synthetic: made by this engine with E = 40 kPa, and noise of 0.2 mm added. A real fit would put measured
heights in their place.
"""

import numpy as np
import plush
from common import plot

SOLID = plush.SoftSolid.fill(plush.generate("icosphere", size=0.2, triangles=320), cells_across=6)
TRUE = 4e4


def heights(young: float) -> np.ndarray:  # type: ignore[type-arg]
    """Of the centre of a ball that is dropped, m, in steps of 5 ms."""
    world = plush.World(step=0.005, threads=1, sleep={"enabled": False})
    world.add_ground()
    ball = world.add(plush.Soft(solid=SOLID, young=young, density=500, integrator="bdf2"), position=(0, 0.12, 0),
                     velocity=(0, -1, 0))
    out = []
    for _ in range(40):
        world.step()
        out.append(float(ball.position[1]))
    return np.array(out)


def main() -> None:
    data = heights(TRUE) + np.random.default_rng(1).normal(0, 2e-4, 40)

    def misfit(log_young: float) -> float:
        return float(np.sum((heights(float(np.exp(log_young))) - data) ** 2))

    # Golden-section search on the logarithm of E.
    low, high = np.log(1e4), np.log(3e5)
    ratio = (np.sqrt(5) - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    fa, fb = misfit(a), misfit(b)
    for _ in range(14):
        if fa < fb:
            high, b, fb = b, a, fa
            a = high - ratio * (high - low)
            fa = misfit(a)
        else:
            low, a, fa = a, b, fb
            b = low + ratio * (high - low)
            fb = misfit(b)
    found = float(np.exp(0.5 * (low + high)))
    times = list(0.005 * np.arange(1, 41))
    plot("fit_young.png", "time, s", "height of the centre, m",
         [("synthetic data", times, list(data), "."), (f"fit: {found / 1e3:.1f} kPa", times, list(heights(found)), "-"),
          ("start: 10 kPa", times, list(heights(1e4)), ":")])
    print(f"E = {found:.0f} Pa, made with {TRUE:.0f} Pa")
    assert abs(found / TRUE - 1) < 0.1


if __name__ == "__main__":
    main()
