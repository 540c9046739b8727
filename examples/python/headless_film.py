"""A run recorded into a folder, read back as arrays, and drawn as a film without a display."""

import shutil

import plush
from common import out


def main() -> None:
    scene = plush.Scene({"plush": 1, "name": "film", "duration": 0.6, "bodies": [
        {"ground": {}},
        {"soft": {"shape": "torus", "triangles": 300, "size": 0.4, "young": 3e4}, "name": "ring", "at": [0, 0.4, 0],
         "rotate": {"axis": [1, 0, 0], "degrees": 60}}]})
    run = scene.run(out("film_run"), replace=True)
    ring = run.positions("ring")
    print(f"{len(run)} frames of {ring.shape[1]} points; lowest {ring[..., 1].min():.3f} m; "
          f"{run.metrics['contacts'].max():.0f} contacts at most")
    run.picture(out("headless_film.png"), -1, 640, 400)
    if shutil.which("ffmpeg"):
        run.film(out("headless_film.mp4"), 320, 200)
    assert len(run) == 19 and ring[..., 1].min() > -0.02


if __name__ == "__main__":
    main()
