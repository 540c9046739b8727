"""Meshes, shapes and signed distances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import _plush
from ._settings import _plain

_identity = (1.0, 0.0, 0.0, 0.0)


def rotation(axis, degrees: float) -> np.ndarray:
    """The rotation by `degrees` about `axis`, counter-clockwise, as (w, x, y, z)."""
    axis = np.asarray(axis, float)
    length = np.linalg.norm(axis)
    if not length > 0:
        from ._error import Error
        raise Error("the axis has no direction", "use (0, 1, 0) for up", "rotation")
    half = np.radians(degrees) / 2
    return np.concatenate([[np.cos(half)], np.sin(half) * axis / length])


@dataclass(frozen=True)
class MeshProblem:
    """Something that is wrong with a mesh."""

    where: str
    what: str
    fix: str
    fatal: bool


class MeshReport(dict):
    """What a check says of a mesh: a dictionary whose keys are attributes, too."""

    def __getattr__(self, key):
        try:
            return self[key]
        except KeyError:
            raise AttributeError(key) from None


class Mesh:
    """A triangle mesh in metres, triangles counter-clockwise seen from outside. It never changes; copies share its data."""

    def __init__(self, positions, triangles) -> None:
        """Of positions (n × 3, m) and triangles (m × 3 indices)."""
        self._inner = _plush.Mesh(positions, triangles)

    @classmethod
    def _of(cls, inner) -> "Mesh":
        mesh = cls.__new__(cls)
        mesh._inner = inner
        return mesh

    @classmethod
    def load(cls, file, **import_as) -> "Mesh":
        """Reads OBJ, OFF, PLY, STL, MSH or MESH. Keywords: scale, unit ("m", "cm", "mm", "inch"), up ("x", "y", "z")."""
        return cls._of(_plush.Mesh.load(str(file), import_as))

    def save(self, file) -> None:
        """Writes OBJ, PLY, STL or MESH, by the file's ending."""
        self._inner.save(str(file))

    @property
    def positions(self) -> np.ndarray:
        """m, n × 3; read-only, no copy."""
        return self._inner.positions

    @property
    def triangles(self) -> np.ndarray:
        """Indices, m × 3; read-only, no copy."""
        return self._inner.triangles

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The low and the high corner of its box, m."""
        return self._inner.bounds

    @property
    def volume(self) -> float:
        """m³; negative where it is inside out."""
        return self._inner.volume

    @property
    def area(self) -> float:
        """m²."""
        return self._inner.area

    def check(self) -> MeshReport:
        """What is wrong with it, and its measures."""
        report = MeshReport(self._inner.check())
        report["problems"] = [MeshProblem(**p) for p in report["problems"]]
        return report

    def repair(self, **settings) -> tuple["Mesh", list[str]]:
        """A repaired mesh and what was done. Keywords: weld_distance (m), largest_hole (edges)."""
        mesh, actions = self._inner.repair(settings)
        return Mesh._of(mesh), actions

    def components(self, join_overlapping: bool = True) -> list["Mesh"]:
        """Its closed components as meshes of their own."""
        return [Mesh._of(m) for m in self._inner.components(join_overlapping)]

    def transformed(self, position=(0, 0, 0), rotation=_identity, scale: float = 1) -> "Mesh":
        """The same mesh scaled, then rotated (w, x, y, z), then moved (m)."""
        return Mesh._of(self._inner.transformed((position, rotation), scale))

    def mass_properties(self, density: float = 1000) -> dict:
        """Mass (kg), centre (m) and inertia (kg m²) of the solid with this density (kg/m³)."""
        out = self._inner.mass_properties(density)
        out["inertia"] = np.array(out["inertia"])
        return out

    def tetrahedralise(self, **settings) -> "TetMesh":
        """Fills it with tets. Keywords: method, conforming, nodes, edge (m), cells_across."""
        return tetrahedralise(self, **settings)

    def __repr__(self) -> str:
        return f"<plush.Mesh of {len(self.triangles)} triangles>"

    def __reduce__(self):
        return Mesh, (np.array(self.positions), np.array(self.triangles))


class TetMesh:
    """A mesh of tetrahedra with positive volumes, in metres."""

    def __init__(self, positions, tets) -> None:
        """Of positions (n × 3, m) and tets (m × 4 indices)."""
        self._inner = _plush.TetMesh(positions, tets)

    @classmethod
    def _of(cls, inner) -> "TetMesh":
        mesh = cls.__new__(cls)
        mesh._inner = inner
        return mesh

    @classmethod
    def load(cls, file, **import_as) -> "TetMesh":
        """Reads MSH or MESH; keywords as those of Mesh.load()."""
        return cls._of(_plush.TetMesh.load(str(file), import_as))

    @classmethod
    def box(cls, half_size, cells=(6, 6, 6)) -> "TetMesh":
        """A box about the origin, of cells that are cut into five tets each."""
        return cls._of(_plush.tet_box(half_size, cells))

    @classmethod
    def ball(cls, radius: float) -> "TetMesh":
        """The coarsest ball: 20 tets about the origin."""
        return cls._of(_plush.tet_ball(radius))

    def save(self, file) -> None:
        """Writes MESH."""
        self._inner.save(str(file))

    @property
    def positions(self) -> np.ndarray:
        """m, n × 3; read-only, no copy."""
        return self._inner.positions

    @property
    def tets(self) -> np.ndarray:
        """Indices, m × 4; read-only, no copy."""
        return self._inner.tets

    def surface(self) -> Mesh:
        """The faces that belong to one tet only."""
        return Mesh._of(self._inner.surface())

    def __repr__(self) -> str:
        return f"<plush.TetMesh of {len(self.tets)} tets>"

    def __reduce__(self):
        return TetMesh, (np.array(self.positions), np.array(self.tets))


class SoftSolid:
    """Tets, and the detailed surface embedded in them: what soft bodies share before they have a material."""

    def __init__(self, tets: TetMesh) -> None:
        """The tets themselves are the body."""
        self._inner = _plush.SoftSolid(tets._inner)
        self._made = (SoftSolid, (tets,))

    @classmethod
    def fill(cls, mesh: Mesh, **settings) -> "SoftSolid":
        """Fills a closed surface. Keywords as those of tetrahedralise()."""
        solid = cls.__new__(cls)
        solid._inner = _plush.SoftSolid.fill(mesh._inner, settings)
        solid._made = (_fill, (mesh, settings))
        return solid

    @classmethod
    def embed(cls, mesh: Mesh, tets: TetMesh) -> "SoftSolid":
        """A closed surface in tets that are given."""
        solid = cls.__new__(cls)
        solid._inner = _plush.SoftSolid.embed(mesh._inner, tets._inner)
        solid._made = (SoftSolid.embed, (mesh, tets))
        return solid

    @property
    def tets(self) -> TetMesh:
        """What it is made of."""
        return TetMesh._of(self._inner.tets)

    @property
    def skin(self) -> Mesh:
        """The surface; empty where the tets are the body."""
        return Mesh._of(self._inner.skin)

    def __reduce__(self):
        return self._made


def _fill(mesh, settings):
    return SoftSolid.fill(mesh, **settings)


class Sdf:
    """A signed distance: negative inside, m. `a | b` is the union, `a & b` the intersection, `a - b` the difference."""

    def __init__(self, inner, made) -> None:
        self._inner = inner
        self._made = made

    @staticmethod
    def _call(name, *args) -> "Sdf":
        return Sdf(getattr(_plush.Distance, name)(*_plain(args)), (Sdf._call, (name, *args)))

    @classmethod
    def plane(cls, point=(0, 0, 0), normal=(0, 1, 0)) -> "Sdf":
        """Everything behind a plane."""
        return cls._call("plane", tuple(point), tuple(normal))

    @classmethod
    def sphere(cls, radius: float, centre=(0, 0, 0)) -> "Sdf":
        """A ball, m."""
        return cls._call("sphere", tuple(centre), radius)

    @classmethod
    def cylinder(cls, radius: float, point=(0, 0, 0), axis=(0, 1, 0)) -> "Sdf":
        """A cylinder without end."""
        return cls._call("cylinder", tuple(point), tuple(axis), radius)

    @classmethod
    def capped_cylinder(cls, radius: float, half_height: float) -> "Sdf":
        """About the y axis, m."""
        return cls._call("capped_cylinder", radius, half_height)

    @classmethod
    def box(cls, half_size) -> "Sdf":
        """About the origin, m."""
        return cls._call("box", tuple(half_size))

    @classmethod
    def capsule(cls, a, b, radius: float) -> "Sdf":
        """All points within `radius` of the line from a to b, m."""
        return cls._call("capsule", tuple(a), tuple(b), radius)

    @classmethod
    def torus(cls, ring_radius: float, tube_radius: float) -> "Sdf":
        """About the y axis, m."""
        return cls._call("torus", ring_radius, tube_radius)

    @classmethod
    def heightfield(cls, heights, cell: float, origin=(0, 0, 0)) -> "Sdf":
        """The ground under heights[z, x], m, on a grid with this spacing, m."""
        return cls._call("heightfield", tuple(origin), cell, heights)

    @classmethod
    def sampled(cls, mesh: Mesh, cells_across: int = 32) -> "Sdf":
        """Of a closed mesh, sampled on a grid: fast, approximate."""
        return cls._call("sampled", mesh, cells_across)

    @classmethod
    def exact(cls, mesh: Mesh) -> "Sdf":
        """Of a closed mesh, exact everywhere: slow."""
        return cls._call("exact", mesh)

    def __call__(self, points) -> np.ndarray:
        """The distances of n × 3 points, m; of one point a number."""
        points = np.asarray(points, float)
        values = self._inner.values(points.reshape(-1, 3))
        return float(values[0]) if points.ndim == 1 else values

    def sample(self, points) -> tuple[np.ndarray, np.ndarray]:
        """Distances (m) and gradients of n × 3 points."""
        return self._inner.sample(points)

    def __repr__(self) -> str:
        return f"<plush.Sdf, {self.exactness}>"

    @property
    def exactness(self) -> str:
        """"exact", "lower_bound" or "approximate"."""
        return self._inner.exactness

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The corners of a box that holds everything inside, m."""
        return self._inner.bounds

    @staticmethod
    def _combine(name, a, *args) -> "Sdf":
        return Sdf(getattr(a._inner, name)(*_plain(args)), (Sdf._combine, (name, a, *args)))

    def __or__(self, other: "Sdf") -> "Sdf":
        return Sdf._combine("union", self, other) if isinstance(other, Sdf) else NotImplemented

    def __and__(self, other: "Sdf") -> "Sdf":
        return Sdf._combine("intersection", self, other) if isinstance(other, Sdf) else NotImplemented

    def __sub__(self, other: "Sdf") -> "Sdf":
        return Sdf._combine("difference", self, other) if isinstance(other, Sdf) else NotImplemented

    def rounded(self, radius: float) -> "Sdf":
        """Grown by `radius`, m."""
        return Sdf._combine("rounded", self, radius)

    def transformed(self, position=(0, 0, 0), rotation=_identity) -> "Sdf":
        """Rotated (w, x, y, z), then moved (m)."""
        return Sdf._combine("transformed", self, (tuple(position), tuple(rotation)))

    def __reduce__(self):
        return self._made


class Shape:
    """What a rigid, fixed or scripted body is made of. It never changes; bodies share it."""

    def __init__(self, inner, made) -> None:
        self._inner = inner
        self._made = made

    @staticmethod
    def _call(name, *args) -> "Shape":
        return Shape(getattr(_plush.Shape, name)(*_plain(args)), (Shape._call, (name, *args)))

    @classmethod
    def sphere(cls, radius: float) -> "Shape":
        """An exact ball, m."""
        return cls._call("sphere", radius)

    @classmethod
    def box(cls, half_size) -> "Shape":
        """An exact box, m."""
        return cls._call("box", tuple(half_size))

    @classmethod
    def capsule(cls, radius: float, half_height: float) -> "Shape":
        """Along y, m."""
        return cls._call("capsule", radius, half_height)

    @classmethod
    def cylinder(cls, radius: float, half_height: float) -> "Shape":
        """Along y, m."""
        return cls._call("cylinder", radius, half_height)

    @classmethod
    def torus(cls, ring_radius: float, tube_radius: float) -> "Shape":
        """About y, m."""
        return cls._call("torus", ring_radius, tube_radius)

    @classmethod
    def half_space(cls, normal=(0, 1, 0)) -> "Shape":
        """Everything below the plane through the origin with this outward normal."""
        return cls._call("half_space", tuple(normal))

    @classmethod
    def mesh(cls, mesh: Mesh, cells_across: int = 32) -> "Shape":
        """A closed mesh at full detail; its distance is sampled with `cells_across` cells."""
        return cls._call("mesh", mesh, cells_across)

    @classmethod
    def distance(cls, sdf: Sdf, points: Mesh) -> "Shape":
        """Any signed distance, tested at the vertices of a mesh, which is also what is drawn."""
        return cls._call("distance", sdf, points)

    @property
    def name(self) -> str:
        """A line that says what it is."""
        return self._inner.name

    @property
    def bounded(self) -> bool:
        """False for half-spaces: they cannot move freely."""
        return self._inner.bounded

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The corners of its box, m."""
        return self._inner.bounds

    @property
    def thickness(self) -> float:
        """The radius of the largest ball known to fit inside, m."""
        return self._inner.thickness

    @property
    def drawn(self) -> Mesh:
        """The mesh to draw."""
        return Mesh._of(self._inner.drawn)

    def mass(self, density: float = 1000) -> float:
        """kg, with this density (kg/m³)."""
        return self._inner.mass(density)

    def __repr__(self) -> str:
        return f"<plush.Shape: {self.name}>"

    def __reduce__(self):
        return self._made


def generate(shape: str = "icosphere", **settings) -> Mesh:
    """A generated mesh: see shape_names(). Keywords: triangles, size (m, the longest side), seed."""
    return Mesh._of(_plush.generate({"shape": shape, **settings}))


def shape_names() -> dict[str, str]:
    """What generate() knows, each with a line that says what it is."""
    return _plush.shape_names()


def tetrahedralise(mesh: Mesh, **settings) -> TetMesh:
    """Fills a closed surface with tets. Keywords: method, conforming, nodes, edge (m), cells_across."""
    return TetMesh._of(_plush.tetrahedralise(mesh._inner, settings))


class Overlap(MeshReport):
    """Where two meshes overlap: a dictionary whose keys are attributes, too (docs/python.md)."""


def overlap(a: Mesh, b: Mesh, *, at_a=((0, 0, 0), _identity), at_b=((0, 0, 0), _identity), **settings) -> Overlap:
    """How much two surfaces overlap, where, and how that changes when they move.

    `at_a` and `at_b` are poses: (position, rotation). Keywords: pixel (m), pixels_across, depth (m), split, cell (m),
    volume, gradients, memory_limit (MiB), threads. The result has volume (m³) and a list of overlaps, each with volume,
    gradient (m²), area (m²), centre (m), normal, mean_depth and largest_depth (m).
    """
    found = Overlap(_plush.overlap(a._inner, at_a, b._inner, at_b, settings))
    found["overlaps"] = [Overlap(o) for o in found["overlaps"]]
    return found


def self_overlap(mesh: Mesh, **settings) -> float:
    """The volume in which a mesh overlaps itself, m³."""
    return _plush.self_overlap(mesh._inner, settings)
