"""Ten soft bears fall on a floor; the last moment as a picture."""

import plush
from common import out


def main() -> None:
    world = plush.World()
    world.add_ground(friction=0.6)
    bear = plush.SoftSolid.fill(plush.generate("bear", size=0.5, triangles=400), cells_across=5)
    toys = [world.add(plush.Soft(solid=bear, young=5e4, density=300),
                      position=(0.15 * (i % 3) - 0.15, 0.35 + 0.3 * i, 0.1 * (i % 2)),
                      rotation=plush.rotation((0, 1, 0), 40 * i)) for i in range(10)]
    world.run(1.0, progress=True)
    world.picture(out("ten_bears.png"), 640, 400)
    print(f"{len(world.contacts)} contacts, the floor carries {-world.bodies[0].contact_force[1]:.0f} N")
    assert all(-0.5 < toy.position[1] < 4 for toy in toys)


if __name__ == "__main__":
    main()
