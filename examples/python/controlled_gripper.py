"""A controller in a loop: it reads the force on the jaws and sets their motors, until the grip is 5 N; then it lifts."""

import plush
import plush.env
from common import plot

WANTED = 5.0


def main() -> None:
    env = plush.env.Gripper(steps=120)
    observation, info = env.reset(seed=2)
    close, times, forces, heights = 0.0, [], [], []
    for k in range(100):
        force = 0.5 * float(observation[6] + observation[7])
        close += 0.02 * (WANTED - force) / WANTED if force > 0.1 or close < 0.3 else 0.01
        close = min(max(close, 0.05), 1.0)
        rise = 0.6 if k > 50 else 0.0
        observation, reward, terminated, truncated, info = env.step([close, rise])
        times.append(k / 30)
        forces.append(force)
        heights.append(100 * float(observation[0]))
        if terminated or truncated:
            break
    plot("controlled_gripper.png", "time, s", "",
         [("grip, N", times, forces, "-"), ("height of the ball, cm", times, heights, "-"),
          ("wanted grip", [times[0], times[-1]], [WANTED, WANTED], "k:")])
    print(f"grip {forces[-1]:.2f} N, the ball is at {heights[-1]:.1f} cm")
    assert abs(forces[50] - WANTED) < 1 and heights[-1] > 8


if __name__ == "__main__":
    main()
