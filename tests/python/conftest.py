"""Fixtures for the tests of the module. Small worlds: one thread, few triangles, steps of a millisecond."""

import pytest

import plush


@pytest.fixture
def world():
    made = plush.World(threads=1)
    made.add_ground()
    return made


@pytest.fixture(scope="session")
def ball():
    return plush.generate("icosphere", size=0.3, triangles=80)


@pytest.fixture(scope="session")
def solid():
    return plush.SoftSolid(plush.TetMesh.box((0.15, 0.15, 0.15), (2, 2, 2)))
