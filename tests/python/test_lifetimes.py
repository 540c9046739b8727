"""Arrays keep the memory they show, whatever becomes of the world; threads that touch a world in its step are refused."""

import copy
import gc
import pickle
import resource
import threading
import weakref

import numpy as np
import pytest

import plush


@pytest.fixture
def toy(world, solid):
    return world.add(plush.Soft(solid=solid, young=5e4, density=300), position=(0, 0.5, 0))


def test_an_array_is_a_view_and_read_only(toy):
    a, b = toy.positions, toy.positions
    assert a.ctypes.data == b.ctypes.data  # no copy
    with pytest.raises(ValueError):
        a[0, 0] = 1
    with pytest.raises(ValueError):
        a.flags.writeable = True


def test_an_array_shows_the_state_in_which_it_was_taken(world, toy):
    x, part = toy.positions, toy.positions[3:5, 1]
    kept, kept_part = x.copy(), part.copy()
    for _ in range(5):
        world.step()
    assert np.array_equal(x, kept) and np.array_equal(part, kept_part)
    assert not np.array_equal(toy.positions, kept)


def test_arrays_outlive_cuts_removals_and_the_world(world, toy):
    arrays = [toy.positions, toy.velocities, toy.masses, toy.tets, toy.surface, toy.skin]
    kept = [a.copy() for a in arrays]
    before = toy.topology_version
    assert toy.cut(from_=(-1, 0.5, -1), to=(1, 0.5, -1), back=(0, 0, 2)) == 2
    assert toy.topology_version != before and len(toy.positions) > len(arrays[0])
    arrays += [toy.positions, toy.masses, toy.surface]
    kept += [a.copy() for a in arrays[-3:]]
    toy.remove()
    assert all(np.array_equal(a, k) for a, k in zip(arrays, kept))
    gone = weakref.ref(world._inner)
    toy._world = None
    del toy
    world._inner = None
    gc.collect()
    assert gone() is None
    churn = [np.ones(n) for n in range(1000)]  # memory that was freed is used again
    assert all(np.array_equal(a, k) for a, k in zip(arrays, kept)) and churn


def test_contacts_are_a_structured_array(world):
    ball = world.add(plush.Rigid(shape=plush.Shape.sphere(0.1), name="ball"), position=(0, 0.1, 0))
    world.run(0.2)
    contacts = world.contacts
    assert contacts.dtype.names[:4] == ("a", "b", "point", "normal") and contacts["point"].shape == (len(contacts), 3)
    weight = 9.81 * ball.mass
    assert contacts["normal_force"].sum() == pytest.approx(weight, rel=1e-6)  # measured: 1e-12
    assert {world.body(n).name for n in contacts["a"]} | {world.body(n).name for n in contacts["b"]} >= {"ball"}
    assert ball.contact_force[1] == pytest.approx(weight, rel=1e-6)
    old = contacts.copy()
    ball.remove()
    world.step()
    assert np.array_equal(contacts, old) and len(world.contacts) == 0


def test_the_handle_of_what_was_removed_says_so(world, ball):
    body = world.add(plush.Rigid(mesh=ball), position=(0, 1, 0))
    body.remove()
    assert not body.alive and "removed" in repr(body)
    for use in (lambda: body.position, lambda: body.velocity, body.wake, body.remove):
        with pytest.raises(plush.Error, match="it was removed from this world"):
            use()


def test_a_world_that_another_thread_steps_is_refused(world, toy):
    told, entered, go_on = [], threading.Event(), threading.Event()
    world.add_custom_force(lambda w: (entered.set(), go_on.wait(300)))
    stepper = threading.Thread(target=world.step)
    stepper.start()
    assert entered.wait(300)
    for touch in (lambda: toy.positions, world.step, lambda: world.remove(toy), lambda: world.contacts, world.snapshot):
        try:
            touch()
        except plush.Error as error:
            told.append(error.problem)
    go_on.set()
    stepper.join()
    assert told == ["another thread is stepping it"] * 5
    assert toy.positions.shape[1] == 3


def test_many_worlds_run_in_threads(solid):
    worlds = [plush.World(threads=1) for _ in range(4)]
    for w in worlds:
        w.add_ground()
        w.add(plush.Soft(solid=solid, young=5e4), position=(0, 0.3, 0))
    threads = [threading.Thread(target=w.run, args=(0.2,)) for w in worlds]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len({w.state_hash for w in worlds}) == 1


def test_an_exception_leaves_the_last_good_state(world, toy):
    world.run(0.05)
    before = world.state_hash

    def bad(w):
        w.bodies[1].apply_force((0, 100, 0))
        raise KeyError("mine")

    other = world.copy()
    other.add_custom_force(bad)
    with pytest.raises(KeyError, match="mine"):
        other.step()
    assert other.state_hash == before and world.state_hash == before

    field = world.copy()
    field.bodies[1].add_force_field(lambda x, v, t: np.zeros((1, 3)))
    with pytest.raises(plush.Error, match="did not return an array"):
        field.step()
    assert field.state_hash == before

    hooked = world.copy()
    hooked.on_step(lambda w: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        hooked.step()
    assert hooked.state_hash == before


def test_a_force_field_must_not_use_the_world(world, toy):
    toy.add_force_field(lambda x, v, t: np.zeros_like(x) + world.time)
    with pytest.raises(plush.Error, match="must not use the world"):
        world.step()


def test_copies_and_pickles_go_on_with_the_same_bits(world, toy, ball):
    extra = world.add(plush.Rigid(mesh=ball, name="ball"), position=(0, 1.2, 0))
    gone = world.add(plush.Rigid(mesh=ball), position=(3, 1, 0))
    world.add_joint(plush.BallJoint(anchor=(0, 1.5, 0)), extra)
    gone.remove()
    world.add(plush.Rope(from_=(1, 1, 0), to=(2, 1, 0), segments=4)).pin(0)
    world.run(0.1)
    others = [copy.copy(world), pickle.loads(pickle.dumps(world))]
    snapshot = world.snapshot()
    for w in (world, *others):
        w.run(0.1)
    assert len({w.state_hash for w in (world, *others)}) == 1
    others[0].restore(snapshot)
    others[0].run(0.1)
    assert others[0].state_hash == world.state_hash


def test_a_world_with_functions_is_not_pickled(world):
    world.add_custom_force(lambda w: None)
    with pytest.raises(plush.Error, match="with Python functions cannot be pickled"):
        pickle.dumps(world)


def test_nothing_leaks(solid):
    def life():
        w = plush.World(threads=1)
        w.add_custom_force(lambda inner: None)
        body = w.add(plush.Soft(solid=solid), position=(0, 1, 0))
        kept = [body.positions]
        for _ in range(3):
            w.step()
            kept += [body.positions, w.contacts]
        return weakref.ref(w._inner)

    gone = [life() for _ in range(20)]
    gc.collect()
    assert all(ref() is None for ref in gone)
    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(150):
        life()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) / 1024
    assert grown < 20, f"{grown} MiB after 150 worlds"
