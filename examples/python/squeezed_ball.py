"""Force against displacement of a soft ball between two plates, beside Hertz: F = 4/3 E* √R (d/2)^1.5 for each plate."""

import numpy as np
import plush
from common import plot

RADIUS, YOUNG, POISSON, PLATES = 0.1, 1e5, 0.3, 0.3


def main() -> None:
    world = plush.World(gravity=(0, 0, 0), step=0.01, sleep={"enabled": False})
    ball = plush.generate("icosphere", size=2 * RADIUS, triangles=1280)
    solid = plush.SoftSolid.fill(ball, cells_across=10)
    soft = plush.Soft(solid=solid, young=YOUNG, poisson=POISSON, density=1000, damping=5, friction=0)
    world.add(soft)
    plate = plush.Shape.box((PLATES, 0.02, PLATES))
    world.add(plush.Fixed(shape=plate, friction=0), position=(0, -RADIUS - 0.02, 0))
    speed = 0.02
    press = world.add(plush.Scripted(shape=plate, friction=0, motion=lambda t: (0, RADIUS + 0.02 - speed * t, 0)))
    world.smooth_forces(0.05)
    depth, force = [], []
    while world.time < 1.2:
        world.step()
        depth.append(speed * world.time)
        force.append(float(press.contact_forces(smoothed=True).force[1]))
    d = np.array(depth)
    hertz = 4 / 3 * YOUNG / (1 - POISSON**2) * np.sqrt(RADIUS) * (d / 2) ** 1.5
    plot("squeezed_ball.png", "displacement of the plate, mm", "force, N",
         [("Hertz", list(1e3 * d), list(hertz), "-"), ("plush", list(1e3 * d), force, "-")])
    ratio = force[-1] / hertz[-1]
    print(f"at {1e3 * d[-1]:.0f} mm: {force[-1]:.1f} N, Hertz {hertz[-1]:.1f} N, ratio {ratio:.2f}")
    assert 0.6 < ratio < 1.8


if __name__ == "__main__":
    main()
