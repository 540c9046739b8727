"""Worlds in files, and bodies that meshes deform."""

import pickle

import numpy as np
import pytest

import plush


def small_world():
    world = plush.World(threads=1)
    world.add_ground()
    world.add(plush.Soft(mesh=plush.generate("icosphere", size=0.3, triangles=320), young=3e4, name="toy"), position=(0, 0.2, 0))
    for _ in range(5):
        world.step()
    return world


def test_a_saved_world_goes_on_with_the_same_bits(tmp_path):
    world = small_world()
    world.save(tmp_path / "now.world")
    again = plush.World.load(tmp_path / "now.world", threads=1)
    assert again.state_hash == world.state_hash
    third = pickle.loads(pickle.dumps(again))
    for _ in range(5):
        for w in (world, again, third):
            w.step()
    assert again.state_hash == world.state_hash == third.state_hash
    assert again.find("toy").name == "toy"


def test_what_is_no_world_is_refused(tmp_path):
    file = tmp_path / "x.world"
    file.write_bytes(b"plushwld and nothing else")
    with pytest.raises(plush.Error, match="x.world"):
        plush.World.load(file)


def test_frames_deform_a_scripted_body():
    ball = plush.generate("icosphere", size=0.4, triangles=320)
    larger = plush.Mesh(2 * np.asarray(ball.positions), ball.triangles)
    world = plush.World(threads=1, gravity=(0, 0, 0))
    body = world.add(plush.Scripted(frames=[(0, ball), (1, larger)]))
    box = world.add(plush.Rigid(shape=plush.Shape.box((0.1, 0.1, 0.1))), position=(0.32, 0, 0))
    for _ in range(60):
        world.step()
    assert np.allclose(np.linalg.norm(body.surface_positions, axis=1).max(), 0.4, atol=1e-6)
    assert box.position[0] > 0.45
    with pytest.raises(plush.Error):
        plush.Scripted(frames=[(0, ball)], motion=lambda t: (0, 0, 0))
