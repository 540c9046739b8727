"""Random sequences of calls, with arrays kept too long: nothing crashes, and every error is a plush.Error."""

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import plush

solid = plush.SoftSolid(plush.TetMesh.box((0.1, 0.1, 0.1), (1, 1, 1)))
numbers = st.one_of(st.floats(-2, 2), st.sampled_from([float("nan"), float("inf"), 1e300, 0.0]))
vectors = st.tuples(numbers, numbers, numbers)


class Calls(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.world = plush.World(threads=1)
        self.world.add_ground()
        self.bodies, self.kept, self.snapshots = [], [], []
        self.add(0.0, 0.15, True)

    def pick(self, things, k):
        return things[k % len(things)] if things else None

    def attempt(self, call):
        try:
            return call()
        except plush.Error as error:
            assert error.problem
        return None

    @rule(x=st.floats(-0.5, 0.5), y=st.floats(0.1, 1), soft=st.booleans())
    def add(self, x, y, soft):
        if len(self.bodies) < 6:
            thing = plush.Soft(solid=solid) if soft else plush.Rigid(shape=plush.Shape.sphere(0.1))
            self.bodies.append(self.world.add(thing, position=(x, y, 0)))

    @rule(k=st.integers(0, 9))
    def remove(self, k):
        if body := self.pick(self.bodies, k):
            self.attempt(body.remove)

    @rule()
    def step(self):
        for _ in range(3):  # bodies swap two buffers: the third step has written over both
            self.attempt(self.world.step)

    @rule()
    def keep(self):
        for body in self.bodies:
            for name in ("positions", "velocities", "masses", "tets", "surface", "skin", "surface_positions"):
                array = self.attempt(lambda: getattr(body, name))
                if array is not None:
                    self.kept.append((array, array.copy()))
        contacts = self.world.contacts
        self.kept.append((contacts, contacts.copy()))

    @rule()
    def snapshot(self):
        self.snapshots.append(self.world.snapshot())

    @rule(k=st.integers(0, 9))
    def restore(self, k):
        if (snapshot := self.pick(self.snapshots, k)) is not None:
            self.attempt(lambda: self.world.restore(snapshot))

    @rule(k=st.integers(0, 9), v=vectors)
    def act(self, k, v):
        if body := self.pick(self.bodies, k):
            self.attempt(lambda: body.apply_force(v))
            self.attempt(lambda: body.apply_impulse(v))
            self.attempt(lambda: setattr(body, "velocity", v))

    @rule(k=st.integers(0, 9), y=st.floats(0, 1))
    def cut(self, k, y):
        if body := self.pick(self.bodies, k):
            self.attempt(lambda: body.cut(from_=(-1, y, -1), to=(1, y, -1), back=(0, 0, 2)))

    @rule(a=st.integers(0, 9), b=st.integers(0, 9))
    def join(self, a, b):
        first, second = self.pick(self.bodies, a), self.pick(self.bodies, b)
        if first and second:
            self.attempt(lambda: self.world.add_joint(plush.RopeJoint(length=2), first, second, vertex_a=None))

    @rule()
    def copy(self):
        self.world = self.world.copy()
        self.bodies = [plush.Body(self.world, b.id) for b in self.bodies]

    @invariant()
    def arrays_show_what_they_showed(self):
        for array, copied in self.kept[-60:]:
            for name in array.dtype.names or [...]:  # not the bytes: those between members are no data
                assert array[name].tobytes() == copied[name].tobytes()


TestCalls = Calls.TestCase
TestCalls.settings = settings(max_examples=25, stateful_step_count=25, deadline=None, derandomize=True,
                              suppress_health_check=list(HealthCheck))
