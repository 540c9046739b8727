"""Worlds, and the handles of what is in them."""

from __future__ import annotations

import sys
import tempfile
import time as clock
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from . import _plush
from ._error import Error
from ._meshes import Mesh, Shape, _identity
from ._numbers import number, pose, three, turn
from ._settings import Blade, Body_, Drag, Joint, Keyframe, Material, MatchSettings, Scripted, Settings, _bits, _plain

_by_inner: weakref.WeakValueDictionary = weakref.WeakValueDictionary()
_contact_type = np.dtype(_plush.World.contact_layout())


class Force(dict):
    """Forces as arrays of three numbers: a dictionary whose keys are attributes, too."""

    def __getattr__(self, key):
        try:
            return self[key]
        except KeyError:
            raise AttributeError(key) from None


class Handle:
    """Names something in a world. Using the handle of what was removed is an Error."""

    def __init__(self, world: "World", id: int) -> None:
        self._world = world
        self._id = id

    @property
    def world(self) -> "World":
        """The world it is in."""
        return self._world

    @property
    def id(self) -> int:
        """Its number, as in contacts and events."""
        return self._id

    def __eq__(self, other) -> bool:
        return type(self) is type(other) and self._id == other._id and self._world is other._world

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._id))


class Body(Handle):
    """A body of a world. Arrays are read-only, cost no copy, and keep showing the state in which they were taken."""

    @property
    def alive(self) -> bool:
        """False once it was removed."""
        return self._world._inner.alive(self._id)

    @property
    def kind(self) -> str:
        """"rigid", "fixed", "scripted", "particles" or "deformable"."""
        return self._world._inner.kind(self._id)

    @property
    def name(self) -> str:
        """As it was given."""
        return self._world._inner.name(self._id)

    # -- where it is

    @property
    def position(self) -> np.ndarray:
        """Of the shape's origin, m; of deformable bodies and particles the centre of mass. Settable where it has a pose."""
        if self.kind in ("deformable", "particles"):
            return self._world._inner.centre(self._id)
        return self._world._inner.pose(self._id)[0]

    @position.setter
    def position(self, value) -> None:
        rotation = _identity if self.kind in ("deformable", "particles") else self.rotation
        self.set_pose(value, rotation)

    @property
    def rotation(self) -> np.ndarray:
        """Orientation as (w, x, y, z)."""
        return self._world._inner.pose(self._id)[1]

    @rotation.setter
    def rotation(self, value) -> None:
        self.set_pose(self.position, value)

    def set_pose(self, position, rotation=_identity) -> None:
        """Moves it there, m and (w, x, y, z)."""
        self._world._inner.set_pose(self._id, (three(position, "Body.position"), turn(rotation, "Body.rotation")))

    @property
    def centre(self) -> np.ndarray:
        """Of mass, m."""
        return self._world._inner.centre(self._id)

    @property
    def velocity(self) -> np.ndarray:
        """Of the centre of mass, m/s. Settable; the spin stays."""
        return self._world._inner.velocity(self._id)

    @velocity.setter
    def velocity(self, value) -> None:
        spin = (0, 0, 0) if self.kind == "particles" else self.angular_velocity
        self._world._inner.set_velocity(self._id, three(value, "Body.velocity"), spin)

    @property
    def angular_velocity(self) -> np.ndarray:
        """rad/s, in the world's frame. Settable."""
        return self._world._inner.angular_velocity(self._id)

    @angular_velocity.setter
    def angular_velocity(self, value) -> None:
        self._world._inner.set_velocity(self._id, self.velocity, three(value, "Body.angular_velocity"))

    @property
    def angular_momentum(self) -> np.ndarray:
        """About the centre of mass, kg m²/s."""
        return self._world._inner.angular_momentum(self._id)

    @property
    def mass(self) -> float:
        """kg; infinite for fixed and scripted bodies."""
        return self._world._inner.mass(self._id)

    # -- arrays

    @property
    def positions(self) -> np.ndarray:
        """Of the vertices of a deformable body or of particles, m, n × 3; read-only, no copy."""
        return self._world._inner.positions(self._id)

    @property
    def velocities(self) -> np.ndarray:
        """Of the same, m/s, n × 3; read-only, no copy."""
        return self._world._inner.velocities(self._id)

    @property
    def masses(self) -> np.ndarray:
        """Of the vertices of a deformable body, kg; read-only, no copy."""
        return self._world._inner.masses(self._id)

    @property
    def tets(self) -> np.ndarray:
        """Of its vertices, m × 4; read-only, no copy; empty where it has none."""
        return self._world._inner.tets(self._id)

    @property
    def surface(self) -> np.ndarray:
        """Triangles of its vertices, m × 3; read-only, no copy."""
        return self._world._inner.surface(self._id)

    @property
    def edges(self) -> np.ndarray:
        """Of a rope, m × 2."""
        return self._world._inner.edges(self._id)

    @property
    def surface_positions(self) -> np.ndarray:
        """Of the surface that is drawn, in the world, m, n × 3; read-only. Of a skin they are computed."""
        return self._world._inner.drawn_positions(self._id)

    @property
    def skin(self) -> np.ndarray:
        """Triangles of `surface_positions`, m × 3; read-only, no copy."""
        return self._world._inner.drawn_surface(self._id)

    @property
    def topology_version(self) -> int:
        """Changes when a cut changes its vertices, tets or surface."""
        return self._world._inner.cuts(self._id)

    @property
    def radius(self) -> float:
        """Of its particles or vertices, m."""
        return self._world._inner.radius(self._id)

    @property
    def shape(self) -> Shape:
        """Of a rigid, fixed or scripted body."""
        shape = Shape(self._world._inner.shape(self._id), None)
        return shape

    # -- forces

    @property
    def contact_force(self) -> np.ndarray:
        """Of all contacts on it in the last step, N."""
        return self._world._inner.contact_force(self._id, False)["force"]

    def contact_forces(self, smoothed: bool = False) -> Force:
        """normal, friction, force (N) and torque (N m) of all contacts on it."""
        return Force(self._world._inner.contact_force(self._id, smoothed))

    def force_from(self, other: "Body", smoothed: bool = False) -> Force:
        """The same, of the contacts with one other body."""
        return Force(self._world._inner.pair_force(self._id, other._id, smoothed))

    def blade_wrench(self, smoothed: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """What cutting does to a blade: force (N) and torque (N m)."""
        return self._world._inner.blade_wrench(self._id, smoothed)

    def apply_force(self, force, point=None) -> None:
        """N, at the centre of mass or at a point of the world (m), during the next step."""
        at = None if point is None else three(point, "apply_force")
        self._world._inner.apply_force(self._id, three(force, "apply_force"), at)

    def apply_torque(self, torque) -> None:
        """N m, during the next step."""
        self._world._inner.apply_torque(self._id, three(torque, "apply_torque"))

    def apply_vertex_force(self, vertex: int, force) -> None:
        """N, on one vertex of a deformable body, during the next step."""
        self._world._inner.apply_vertex_force(self._id, vertex, three(force, "apply_vertex_force"))

    def apply_impulse(self, impulse, point=None) -> None:
        """N s, at once, at the centre of mass or at a point of the world (m)."""
        at = self.centre if point is None else three(point, "apply_impulse")
        self._world._inner.apply_impulse(self._id, three(impulse, "apply_impulse"), at)

    # -- rest and motion

    @property
    def asleep(self) -> bool:
        """Whether it rests and is not computed."""
        return self._world._inner.asleep(self._id)

    def wake(self) -> None:
        """Computes it again."""
        self._world._inner.wake(self._id)

    def sleep(self) -> None:
        """Stops computing it until something touches it."""
        self._world._inner.sleep(self._id)

    def set_vertex(self, vertex: int, position, velocity=(0, 0, 0)) -> None:
        """Of one vertex that is not pinned, m and m/s."""
        self._world._inner.set_vertex(self._id, vertex, three(position, "set_vertex"), three(velocity, "set_vertex"))

    def set_keyframes(self, keyframes: Sequence[Keyframe]) -> None:
        """Another motion for a scripted body; times since it was added, s."""
        self._world._motions.pop(self._id, None)
        self._world._inner.set_keyframes(self._id, _plain(list(keyframes)))

    def pin(self, vertex: int) -> None:
        """Holds a vertex where it is."""
        self._world._inner.pin_vertex(self._id, vertex)

    def pin_box(self, low, high, until: float = float("inf")) -> int:
        """Holds all vertices in a box of the world until a time, s; how many."""
        return self._world._inner.pin_box(self._id, (three(low, "pin_box"), three(high, "pin_box")), until)

    def attach(self, low, high, to: "Body", until: float = float("inf")) -> int:
        """Makes vertices in a box part of a rigid, fixed or scripted body; how many."""
        return self._world._inner.attach(self._id, (three(low, "attach"), three(high, "attach")), to._id, until)

    def unpin(self, vertex: int) -> None:
        """Lets a vertex go."""
        self._world._inner.unpin(self._id, vertex)

    # -- settings

    def set_material(self, material: Material | None = None, **settings) -> None:
        """Another surface: a Material or its keywords."""
        self._world._inner.set_material(self._id, _plain(material or Material(**settings)))

    @property
    def look(self) -> dict:
        """What it looks like in pictures: colour and finish."""
        return self._world._inner.look(self._id)

    def set_look(self, look: Settings | None = None, **settings) -> None:
        """Another look: a Look or its keywords."""
        self._world._inner.set_look(self._id, _plain(look or settings))

    def set_friction(self, friction: float) -> None:
        """Coulomb's coefficient."""
        self._world._inner.set_friction(self._id, number(friction, "set_friction"))

    def set_damping(self, damping: float) -> None:
        """Of velocity, 1/s."""
        self._world._inner.set_damping(self._id, number(damping, "set_damping"))

    def set_young(self, young: float) -> None:
        """Young's modulus of a Soft body, Pa."""
        self._world._inner.set_young(self._id, number(young, "set_young"))

    def set_elastic(self, material: Settings | None = None, **settings) -> None:
        """The material of a Soft body: an ElasticMaterial or its keywords."""
        from ._settings import ElasticMaterial
        self._world._inner.set_elastic(self._id, _plain(material or ElasticMaterial(**settings)))

    def set_surface(self, **settings) -> None:
        """What holds its vertices off surfaces: the keywords of SurfaceSettings."""
        self._world._inner.set_surface(self._id, settings)
        self._world._journal.append(("surface", self._id, settings))

    def set_filter(self, groups=(0,), collides_with=range(32)) -> None:
        """The groups that it belongs to and those that it touches."""
        self._world._inner.set_filter(self._id, _bits(groups, "groups"), _bits(collides_with, "collides_with"))

    def set_wind(self, wind) -> None:
        """The air's velocity, m/s."""
        self._world._inner.set_wind(self._id, three(wind, "set_wind"))

    def add_cluster(self, vertices: Sequence[int], **settings) -> None:
        """Vertices that keep the shape they have now: the keywords of MatchSettings."""
        MatchSettings(**settings)
        self._world._inner.add_cluster(self._id, list(vertices), settings)
        self._world._journal.append(("cluster", self._id, list(vertices), settings))

    def add_force_field(self, force: Callable) -> None:
        """force(x, v, t) gives the forces (N, n × 3) on all vertices at x (m) with v (m/s), in every stage of a step."""
        self._world._inner.add_force_field(self._id, force)

    # -- cutting

    def cut(self, blade: Blade | None = None, **settings) -> int:
        """Cuts a Soft body with a Blade in the world's frame (or its keywords, `from_` for the start); its pieces now."""
        return self._world._inner.cut(self._id, _plain(blade or Blade(**settings)))

    @property
    def pieces(self) -> int:
        """1 where nothing has cut it through."""
        return self._world._inner.pieces(self._id)

    # -- measures

    @property
    def elastic_energy(self) -> float:
        """J, of a deformable body."""
        return self._world._inner.elastic_energy(self._id)

    @property
    def largest_strain(self) -> float:
        """The largest stretch or squeeze of its tets or edges, as a part of their length."""
        return self._world._inner.largest_strain(self._id)

    @property
    def constraint_error(self) -> float:
        """By how much the worst constraint on edges is missed, m."""
        return self._world._inner.constraint_error(self._id)

    @property
    def largest_stable_step(self) -> float:
        """s, of its integrator."""
        return self._world._inner.largest_stable_step(self._id)

    @property
    def cluster_count(self) -> int:
        """Clusters that keep their shape."""
        return self._world._inner.cluster_count(self._id)

    @property
    def displacement(self) -> float:
        """How far the position phase of the last step moved it, m."""
        return self._world._inner.displacement(self._id)

    def remove(self) -> None:
        """Takes it out of the world, and the joints at it."""
        self._world.remove(self)

    def __repr__(self) -> str:
        if not self.alive:
            return "<plush.Body, removed>"
        return f"<plush.Body {self.name or self._id}: {self.kind}>"


class JointHandle(Handle):
    """A joint of a world."""

    @property
    def position(self) -> float:
        """Its coordinate, rad or m."""
        return self._world._inner.joint_position(self._id)

    @property
    def speed(self) -> float:
        """Of its coordinate, rad/s or m/s."""
        return self._world._inner.joint_speed(self._id)

    @property
    def gap(self) -> float:
        """By how much it gapes, m."""
        return self._world._inner.joint_gap(self._id)

    @property
    def force(self) -> np.ndarray:
        """On a, at the anchor, in the last step, N."""
        return self._world._inner.joint_wrench(self._id, False)["force"]

    @property
    def torque(self) -> np.ndarray:
        """On a, N m."""
        return self._world._inner.joint_wrench(self._id, False)["torque"]

    def wrench(self, smoothed: bool = False) -> Force:
        """force (N) and torque (N m) on a."""
        return Force(self._world._inner.joint_wrench(self._id, smoothed))

    def set_motor(self, motor=None, **settings) -> None:
        """speed (rad/s or m/s), position (rad or m), max_force (N or N m)."""
        self._world._inner.set_motor(self._id, _plain(motor or settings))

    def set_limits(self, limits=None, **settings) -> None:
        """low and high, rad or m."""
        self._world._inner.set_limits(self._id, _plain(limits or settings))

    def set_spring(self, spring=None, **settings) -> None:
        """stiffness, damping, rest."""
        self._world._inner.set_spring(self._id, _plain(spring or settings))

    def remove(self) -> None:
        """Takes it out of the world."""
        self._world._inner.remove_joint(self._id)
        self._world._journal.append(("remove_joint", self._id))

    def __repr__(self) -> str:
        return f"<plush.Joint {self._id}>"


class DragHandle(Handle):
    """A spring from a point of a surface to a target."""

    @property
    def target(self) -> np.ndarray:
        """m."""
        return self._world._inner.drag_target(self._id)

    @property
    def force(self) -> np.ndarray:
        """On the body in the last step, N."""
        return self._world._inner.drag_force(self._id)

    def set_target(self, target, velocity=(0, 0, 0)) -> None:
        """m and m/s, from the end of the next step on."""
        self._world._inner.set_drag_target(self._id, three(target, "set_target"), three(velocity, "set_target"))

    def remove(self) -> None:
        """Lets go."""
        self._world._inner.remove_drag(self._id)


class World:
    """Bodies, and what happens between them. SI units, y up; gravity −9.81 along y, 60 steps a second."""

    def __init__(self, threads: int = 0, **settings) -> None:
        """Keywords: gravity (m/s²), step (s), rotation, contact, solver, sleep, absurd_motion, ledger: help(plush.WorldSettings)."""
        WorldSettings(**settings)
        self._start(_plush.World(_plain(settings), threads), [("world", settings)])
        self._threads = threads

    def _start(self, inner, journal) -> None:
        self._inner = inner
        self._journal = journal
        self._hooks: list[Callable] = []
        self._motions: dict[int, Callable] = {}
        self._motion_starts: dict[int, float] = {}
        self._threads = 0
        _by_inner[id(inner)] = self

    @classmethod
    def _of(cls, inner, journal) -> "World":
        world = cls.__new__(cls)
        world._start(inner, journal)
        return world

    # -- what is in it

    def add(self, thing, position=(0, 0, 0), rotation=_identity, velocity=(0, 0, 0), angular_velocity=(0, 0, 0)) -> Body:
        """Adds a body where `position` (m), `rotation` (w, x, y, z), `velocity` (m/s) and `angular_velocity` (rad/s) say."""
        if isinstance(thing, Joint):
            raise Error("a joint needs the bodies that it joins", "write world.add_joint(joint, a, b)", "add")
        if not isinstance(thing, Body_):
            raise Error(f"{type(thing).__name__} is no body", "give a plush.Soft, Rigid, Fixed, …", "add")
        place = (three(position, "add.position"), turn(rotation, "add.rotation"), three(velocity, "add.velocity"),
                 three(angular_velocity, "add.angular_velocity"))
        thing._ready()
        body = Body(self, self._add(thing, *place))
        self._journal.append(("add", thing, place))
        return body

    def _add(self, thing, *place) -> int:
        more = thing._more()
        if thing._given.get("motion") is None:
            return self._inner.add(thing._kind, thing._described(), more, *place)
        at, rotation = pose(thing.motion(self.time), "Scripted.motion")
        more["keyframes"] = [{"time": 0.0, "position": at, "rotation": rotation}]
        body = self._inner.add(thing._kind, thing._described(), more, *place)
        self._motions[body] = thing.motion
        self._motion_starts[body] = self.time
        return body

    def add_ground(self, height: float = 0, material: Material | None = None, **settings) -> Body:
        """A fixed half-space with its surface at this height, m; a Material or its keywords."""
        given = _plain(material or Material(**settings))
        body = Body(self, self._inner.add_ground(number(height, "add_ground"), given))
        self._journal.append(("ground", height, given))
        return body

    def add_joint(self, joint: Joint, a: Body, b: Body | None = None, *, vertex_a: int | None = None,
                  vertex_b: int | None = None) -> JointHandle:
        """Joins a and b, or a and the world; at a vertex where the body is deformable."""
        if not isinstance(joint, Joint):
            raise Error(f"{type(joint).__name__} is no joint", "give a plush.BallJoint, HingeJoint, …", "add_joint")
        args = (joint._kind, joint._described(), a._id, vertex_a, b._id if b else 0, vertex_b)
        number = self._inner.add_joint(*args)
        self._journal.append(("joint", args))
        return JointHandle(self, number)

    def add_drag(self, body: Body, point, target=None, **settings) -> DragHandle:
        """A spring from the point of its surface closest to `point` (m) to a target. Keywords: those of Drag."""
        Drag(**settings)
        where = None if target is None else three(target, "add_drag")
        return DragHandle(self, self._inner.add_drag(body._id, three(point, "add_drag"), settings, where))

    def remove(self, thing: Handle) -> None:
        """Takes a body (with the joints at it), a joint or a drag out of the world."""
        if not isinstance(thing, Body):
            thing.remove()
            return
        self._inner.remove(thing._id)
        self._motions.pop(thing._id, None)
        self._journal.append(("remove", thing._id))

    @property
    def bodies(self) -> list[Body]:
        """In the order of adding."""
        return [Body(self, number) for number in self._inner.bodies()]

    @property
    def joints(self) -> list[JointHandle]:
        """In the order of adding."""
        return [JointHandle(self, number) for number in self._inner.joints()]

    @property
    def drags(self) -> list[DragHandle]:
        """All springs to targets."""
        return [DragHandle(self, number) for number in self._inner.drags()]

    def find(self, name: str) -> Body | None:
        """The body of that name."""
        number = self._inner.find(name)
        return Body(self, number) if number else None

    def body(self, number: int) -> Body:
        """The body of a number in `contacts` or `events`."""
        return Body(self, int(number))

    # -- time

    @property
    def time(self) -> float:
        """s."""
        return self._inner.time()

    @property
    def steps(self) -> int:
        """Done so far."""
        return self._inner.steps()

    @property
    def settings(self) -> dict:
        """Of the world, as a dictionary."""
        return self._inner.settings()

    def step(self) -> None:
        """One step. What a function of yours raises comes out of it, and the world keeps its last good state."""
        for hook in self._hooks:
            hook(self)
        if self._motions:
            self._move_scripted()
        self._inner.step()

    def _move_scripted(self) -> None:
        h, now = self._inner.settings()["step"], self.time
        wanted = [(body, *pose(motion(now + h), "Scripted.motion")) for body, motion in self._motions.items()]  # all, before any moves
        for body, at, rotation in wanted:
            here, was = self._inner.pose(body)
            since = now - self._motion_starts[body]
            self._inner.set_keyframes(body, [{"time": since, "position": here, "rotation": was},
                                               {"time": since + h, "position": at, "rotation": rotation}])

    def run(self, seconds: float, progress: bool = False, out=None, frame_rate: float = 30) -> "Run | None":
        """Steps for so many seconds of simulated time. `out`: a folder for frames, which open_run() reads; returned as a Run."""
        from ._records import Run
        h = self._inner.settings()["step"]
        steps = round(seconds / h)
        if not steps >= 0:
            raise Error(f"{seconds} s is no time", "give a number of seconds", "run")
        recorder = None
        if out is not None:
            Path(out).mkdir(parents=True, exist_ok=True)
            recorder = _plush.WorldRecorder(str(Path(out) / "frames.plush"), self._inner, Path(out).name, frame_rate)
            recorder.write(self._inner)
        bar = _Progress(steps) if progress else None
        frame = 1
        for k in range(steps):
            self.step()
            if recorder and (k + 1) * h * frame_rate >= frame - 1e-9:
                recorder.write(self._inner)
                frame += 1
            if bar:
                bar.show(k + 1)
        if bar:
            bar.end()
        return Run(out) if out is not None else None

    def on_step(self, function: Callable) -> Callable:
        """function(world) is called before every step, and may do anything with the world but step it. A decorator, too."""
        self._hooks.append(function)
        return function

    def remove_hook(self, function: Callable) -> None:
        """Calls it no longer."""
        self._hooks.remove(function)

    def add_custom_force(self, function: Callable) -> Callable:
        """function(world) is called at the start of every step and may apply forces. A decorator, too."""
        self._inner.add_custom_force(lambda inner: function(_by_inner[id(inner)]))
        return function

    # -- reading

    @property
    def contacts(self) -> np.ndarray:
        """Of the last step, a structured array, read-only, no copy: a, b (numbers of bodies), point (m), normal (towards a),
        depth (m), normal_force (N), friction_force (on a, N), sticking, id, area (m²), volume (m³), largest_depth (m)."""
        return self._inner.contacts(_contact_type)

    @property
    def events(self) -> list[tuple[Body, Body, str, bool]]:
        """Of the last step: a, b, "began", "ongoing" or "ended", and whether one of them is a sensor."""
        return [(Body(self, a), Body(self, b), kind, sensor) for a, b, kind, sensor in self._inner.events()]

    @property
    def report(self) -> dict:
        """What the last step did: contacts, iterations, residual, energy (J), ledger (J), convergence, …"""
        return self._inner.report()

    @property
    def energy(self) -> Force:
        """kinetic, gravity, elastic and total, J."""
        return Force(self._inner.energy())

    @property
    def momentum(self) -> np.ndarray:
        """kg m/s."""
        return self._inner.momentum()

    @property
    def angular_momentum(self) -> np.ndarray:
        """Of all bodies about the origin, kg m²/s."""
        return self._inner.total_angular_momentum()

    def smooth_forces(self, time: float) -> None:
        """The time over which smoothed readings are means, s; 0: none."""
        self._inner.smooth_forces(number(time, "smooth_forces"))

    # -- queries

    def ray(self, origin, direction, max_distance: float = 1e6):
        """The first surface on the way: (body, distance in m, point, normal), or None."""
        hit = self._inner.ray(three(origin, "ray"), three(direction, "ray"), max_distance)
        return (Body(self, hit[0]), *hit[1:]) if hit else None

    def closest(self, point, max_distance: float = 1e6):
        """The closest surface: (body, signed distance in m, point), or None."""
        found = self._inner.closest(three(point, "closest"), max_distance)
        return (Body(self, found[0]), *found[1:]) if found else None

    def overlapping(self, low, high) -> list[Body]:
        """The bodies whose bounds overlap a box, m."""
        return [Body(self, number) for number in self._inner.overlapping((three(low, "overlapping"), three(high, "overlapping")))]

    # -- settings

    def set_gravity(self, gravity) -> None:
        """m/s²."""
        self._inner.set_gravity(three(gravity, "set_gravity"))

    def set_step(self, step: float) -> None:
        """s."""
        self._inner.set_step(number(step, "set_step"))

    def set_contact(self, contact=None, **settings) -> None:
        """Keywords of ContactSettings; what is not given stays."""
        self._inner.set_contact(_plain(contact or settings))

    def set_contact_method(self, method: str) -> None:
        """One of the words of ContactSettings.method."""
        self._inner.set_contact_method(method)

    def set_cells(self, cells_across: float) -> None:
        """Cells of volume contact along the smaller body."""
        self._inner.set_cells(number(cells_across, "set_cells"))

    def set_collide(self, a: Body, b: Body, collide: bool) -> None:
        """Whether these two touch."""
        self._inner.set_collide(a._id, b._id, collide)

    def may_collide(self, a: Body, b: Body) -> bool:
        """Decided by filters, by set_collide() and by joints."""
        return self._inner.may_collide(a._id, b._id)

    def set_pair_material(self, a: Body, b: Body, **settings) -> None:
        """Keywords of Material, for these two."""
        self._inner.set_pair_material(a._id, b._id, settings)

    def set_pair_method(self, a: Body, b: Body, method: str) -> None:
        """How these two touch."""
        self._inner.set_pair_method(a._id, b._id, method)

    def pair_method(self, a: Body, b: Body) -> str:
        """How these two touch."""
        return self._inner.pair_method(a._id, b._id)

    def allowed_depth(self, a: Body, b: Body) -> float:
        """Overlap of these two that is left alone, m: as the settings say, or by their sizes and gravity."""
        return float(self._inner.allowed_depth(a._id, b._id))

    def contact_margin(self, a: Body, b: Body) -> float:
        """From where points of these two are watched, m: as the settings say, or by their sizes and gravity."""
        return float(self._inner.contact_margin(a._id, b._id))

    def sleep_speed(self, body: Body) -> float:
        """Below which a body rests, m/s: as the settings say, or by its size and gravity."""
        return float(self._inner.sleep_speed(body._id))

    # -- state

    @property
    def state_hash(self) -> int:
        """Of all that the next step reads: equal where two worlds go on with the same bits."""
        return self._inner.state_hash()

    @property
    def motion_hash(self) -> int:
        """Of poses, positions and velocities alone."""
        return self._inner.motion_hash()

    def snapshot(self) -> bytes:
        """The state, to be restored into this world or one that was built the same way."""
        return self._inner.snapshot()

    def restore(self, snapshot: bytes) -> None:
        """Goes back to a snapshot."""
        self._inner.restore(snapshot)

    def save(self, file) -> None:
        """All of it into one file, to be opened by World.load() without what made it. Functions are left out."""
        self._inner.save(str(file))

    @classmethod
    def load(cls, file, threads: int = 0) -> "World":
        """A world that was saved; it goes on with the same bits."""
        inner = _plush.World.load(str(file), threads)
        made = cls._of(inner, [("saved", inner.to_bytes())])
        made._threads = threads
        return made

    def copy(self) -> "World":
        """A world of its own that goes on with the same bits. Functions are shared."""
        made = World._of(self._inner.copy(), list(self._journal))
        made._hooks, made._motions = list(self._hooks), dict(self._motions)
        made._motion_starts, made._threads = dict(self._motion_starts), self._threads
        return made

    def __copy__(self) -> "World":
        return self.copy()

    def __deepcopy__(self, memo) -> "World":
        return self.copy()

    def __reduce__(self):
        if self._hooks or self._motions or self._inner.has_functions():
            raise Error("a world with Python functions cannot be pickled",
                        "pickle world.snapshot(), and add the functions to the world that it is restored into", "World")
        return _rebuilt, (self._journal, self.snapshot(), self._threads)

    # -- pictures

    def picture(self, file, width: int = 960, height: int = 600, camera: str = "") -> None:
        """Draws it into a PNG. `camera` is as that of `plush render`: "2,1.5,3; 0,0.5,0; 35", or "front", "left", …"""
        with tempfile.TemporaryDirectory() as folder:
            recorder = _plush.WorldRecorder(str(Path(folder) / "frames.plush"), self._inner, "world", 1)
            recorder.write(self._inner)
            del recorder
            _plush.render(folder, str(file), None, None, width, height, camera)

    def _repr_png_(self) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            self.picture(Path(folder) / "picture.png", 640, 400)
            return (Path(folder) / "picture.png").read_bytes()

    def view(self, port: int = 0, ready: Callable[[str], object] | None = None) -> None:
        """The live page: prints its address, or calls ready(address), and steps as the page wants until Ctrl-C ends it. A loop of
        your own: plush.View."""
        from ._view import serve
        serve(self, port, ready)

    def __repr__(self) -> str:
        return f"<plush.World of {len(self._inner.bodies())} bodies at {self.time:.4g} s>"


class WorldSettings(Settings):
    """The settings of a world."""

    _kind = "WorldSettings"


def _rebuilt(journal, snapshot, threads) -> World:
    """A pickled world: built again as it was, then restored."""
    world: World | None = None
    for entry in journal:
        kind, args = entry[0], entry[1:]
        if kind == "world":
            world = World(threads, **args[0])
        elif kind == "saved":
            world = World._of(_plush.World.from_bytes(args[0], threads), [])
            world._threads = threads
        elif kind == "scene":
            world = World._of(_plush.parse_scene(args[0], "/", args[1], [], "")[0].build(threads), [])
            world._threads = threads
        assert world is not None
        inner = world._inner
        if kind == "add":
            world._add(args[0], *args[1])
        elif kind == "ground":
            inner.add_ground(*args)
        elif kind == "joint":
            inner.add_joint(*args[0])
        elif kind == "remove":
            inner.remove(args[0])
        elif kind == "remove_joint":
            inner.remove_joint(args[0])
        elif kind == "surface":
            inner.set_surface(*args)
        elif kind == "cluster":
            inner.add_cluster(*args)
    assert world is not None
    world._journal = journal
    world.restore(snapshot)
    return world


class _Progress:
    """A line on standard error."""

    def __init__(self, steps: int) -> None:
        self._steps, self._start, self._shown = steps, clock.monotonic(), 0.0

    def show(self, done: int) -> None:
        now = clock.monotonic()
        if now - self._shown < 0.2 and done < self._steps:
            return
        self._shown = now
        left = (now - self._start) / done * (self._steps - done)
        filled = 30 * done // self._steps
        print(f"\r[{'#' * filled}{'.' * (30 - filled)}] {done}/{self._steps} steps, {left:.0f} s left ", end="",
              file=sys.stderr, flush=True)

    def end(self) -> None:
        print(file=sys.stderr)
