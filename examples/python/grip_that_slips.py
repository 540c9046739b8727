"""Two plates hold a block against its weight: it slips where 2 μ F is less than m g. The contacts' stick flags tell."""

import numpy as np
import plush
from common import plot

FORCE, MASS = 10.0, 1.0


def grip(mu: float) -> tuple[float, float]:
    """How far the block falls (m), and the share of its contacts that slip."""
    world = plush.World(step=1 / 120, threads=1, sleep={"enabled": False})
    block = world.add(plush.Rigid(shape=plush.Shape.box((0.05, 0.05, 0.05)), mass=MASS, friction=mu), position=(0, 1, 0))
    jaw = plush.Rigid(shape=plush.Shape.box((0.01, 0.05, 0.05)), mass=0.2, friction=mu)
    for side in (-1, 1):
        body = world.add(jaw, position=(side * 0.06, 1, 0))
        joint = world.add_joint(plush.SliderJoint(anchor=(side * 0.06, 1, 0), axis=(-side, 0, 0)), body)
        joint.set_motor(speed=0.1, max_force=FORCE)
    slipping = []
    for _ in range(36):
        world.step()
        pressing = world.contacts[world.contacts["normal_force"] > 0]
        if len(pressing):
            slipping.append(float(np.mean(~pressing["sticking"])))
    return float(1 - block.position[1]), float(np.mean(slipping[18:])) if slipping[18:] else 1.0


def main() -> None:
    needed = MASS * 9.81 / (2 * FORCE)
    mus = np.round(np.arange(0.2, 0.85, 0.05), 3)
    found = [grip(float(mu)) for mu in mus]
    plot("grip_that_slips.png", "friction μ", "", [
        ("fall in 0.3 s, m", list(mus), [fall for fall, _ in found], "o-"),
        ("share of contacts that slip", list(mus), [share for _, share in found], "s--"),
        ("m g / 2 F", [needed, needed], [0, 1], "k:")])
    for mu, (fall, share) in zip(mus, found):
        print(f"μ {mu:.2f}: fall {1e3 * fall:6.1f} mm, slipping {share:.2f}")
        if abs(mu - needed) > 0.03:
            assert (fall > 0.02) == (mu < needed)


if __name__ == "__main__":
    main()
