"""The volume in which two meshes overlap, as a function of where one of them is: no preparation, any closed meshes."""

import numpy as np
import plush
from common import plot


def main() -> None:
    ring = plush.generate("torus", size=1, triangles=2000)
    ball = plush.generate("icosphere", size=0.5, triangles=1280)
    xs = np.linspace(-1, 1, 41)
    volumes = [plush.overlap(ring, ball, at_b=((x, 0, 0), (1, 0, 0, 0))).volume for x in xs]
    turned = [plush.overlap(ring, ball, at_a=((0, 0, 0), plush.rotation((0, 0, 1), 90)), at_b=((x, 0, 0), (1, 0, 0, 0))).volume
              for x in xs]
    plot("overlap_of_pose.png", "x of the ball, m", "shared volume, l",
         [("ring lying", list(xs), [1e3 * v for v in volumes], "-"), ("ring upright", list(xs), [1e3 * v for v in turned], "--")])
    print(f"at most {1e3 * max(volumes):.2f} l of the ball's {1e3 * ball.volume:.2f} l")
    assert max(volumes) < ball.volume and volumes[0] < 1e-9 and abs(volumes[10] - volumes[30]) < 0.02 * max(volumes)


if __name__ == "__main__":
    main()
