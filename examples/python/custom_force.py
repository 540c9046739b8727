"""A force of your own: a magnet pulls steel balls; the energy that it gives is in the ledger."""

import numpy as np
import plush
from common import plot


def main() -> None:
    world = plush.World(gravity=(0, 0, 0), step=0.005, threads=1)
    magnet = np.array((0.0, 0.0, 0.0))
    world.add(plush.Fixed(shape=plush.Shape.sphere(0.1)))
    ball = plush.Rigid(shape=plush.Shape.sphere(0.05), mass=0.5, restitution=0.5)
    balls = [world.add(ball, position=(0.5 * np.cos(a), 0.5 * np.sin(a), 0), velocity=(-np.sin(a) * 0.2, np.cos(a) * 0.2, 0))
             for a in np.linspace(0, 2 * np.pi, 6, endpoint=False)]

    def pull(w: plush.World) -> None:
        for b in balls:
            way = magnet - b.position
            r = float(np.linalg.norm(way))
            b.apply_force(0.05 * way / r**3)

    world.add_custom_force(pull)
    times, distances = [], []
    while world.time < 3:
        world.step()
        times.append(world.time)
        distances.append([float(np.linalg.norm(b.position)) for b in balls])
    plot("custom_force.png", "time, s", "distance to the magnet, m",
         [("each of six balls", times, [d[0] for d in distances], "-"), ("contact", [0, 3], [0.15, 0.15], "k:")])
    print(f"closest {min(min(d) for d in distances):.3f} m; work of forces in the last step {world.report['ledger']['forces']:.2e} J")
    assert 0.149 < min(min(d) for d in distances) < 0.3


if __name__ == "__main__":
    main()
