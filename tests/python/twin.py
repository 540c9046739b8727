"""The Python twin of twin.cpp: the same calls, and so the same hash."""

import plush


def run() -> plush.World:
    world = plush.World(step=1 / 100, threads=1)
    world.add_ground(0, friction=0.7)
    ball = plush.generate("icosphere", triangles=80, size=0.3)
    toy = world.add(plush.Soft(mesh=ball, name="ball", young=5e4, density=300), position=(0, 0.3, 0), velocity=(0.5, 0, 0))
    box = plush.Rigid(shape=plush.Shape.box((0.1, 0.1, 0.1)), mass=0.5)
    load = world.add(box, position=(0.02, 0.6, 0))
    arm = world.add(box, position=(1.2, 0.6, 0))
    world.add_joint(plush.HingeJoint(anchor=(1, 0.6, 0), axis=(0, 0, 1), motor=plush.JointMotor(speed=1)), arm)
    for _ in range(15):
        load.apply_force((0, 0, 0.1))
        world.step()
    toy.cut(from_=(-1, 0.1, -1), to=(2, 0.1, -1), back=(0, 0, 2))
    for _ in range(4):
        world.step()
    return world


if __name__ == "__main__":
    print(f"{run().state_hash:016x}")
