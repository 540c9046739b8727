"""Friction on an incline: a block slides where the slope is steeper than Coulomb says, with a = g (sin θ − μ cos θ)."""

import numpy as np
import plush
from common import plot

MU, G = 0.4, 9.81


def acceleration(degrees: float) -> float:
    """Of a block along the slope, m/s²: gravity is turned instead of the floor."""
    angle = np.radians(degrees)
    world = plush.World(gravity=(G * np.sin(angle), -G * np.cos(angle), 0), step=0.005, threads=1)
    world.add_ground(friction=MU)
    block = world.add(plush.Rigid(shape=plush.Shape.box((0.2, 0.05, 0.2)), friction=MU), position=(0, 0.05, 0))
    world.run(0.2)
    start = float(block.velocity[0])
    world.run(0.2)
    return (float(block.velocity[0]) - start) / 0.2


def main() -> None:
    degrees = np.linspace(10, 40, 13)
    measured = np.array([acceleration(d) for d in degrees])
    angle = np.radians(degrees)
    expected = np.maximum(0.0, G * (np.sin(angle) - MU * np.cos(angle)))
    plot("incline.png", "slope, degrees", "acceleration, m/s²",
         [("Coulomb, μ = 0.4", list(degrees), list(expected), "-"), ("plush", list(degrees), list(measured), "o")])
    worst = float(np.abs(measured - expected).max())
    print(f"largest difference {worst:.1e} m/s²")
    assert worst < 0.02


if __name__ == "__main__":
    main()
