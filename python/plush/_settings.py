"""Settings as classes with keyword arguments. Keys, defaults, ranges, units and texts are those of the C++ library."""

from __future__ import annotations

import inspect
import keyword as _keyword

from . import _plush
from ._error import Error


def _plain(value):
    """What the extension takes: dictionaries for settings, the inner objects of meshes and the like."""
    if isinstance(value, Settings):
        return {key: _plain(v) for key, v in value._given.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {key: _plain(v) for key, v in value.items()}
    return getattr(value, "_inner", value)


def _argument(key: str) -> str:
    """What Python calls a key: words of the language itself get a line below: from_, yield_."""
    return key + "_" if _keyword.iskeyword(key) else key


def _key(argument: str) -> str:
    return argument[:-1] if argument.endswith("_") and _keyword.iskeyword(argument[:-1]) else argument


def _line(field):
    """A line of a help text: name, default, unit or words, meaning."""
    parts = [field["text"]]
    if field.get("choices"):
        parts.append("one of " + ", ".join(f'"{word}"' + (f" ({text})" if text else "") for word, text in field["choices"]))
    elif field["range"]:
        parts.append(field["range"])
    elif field["unit"]:
        parts.append(field["unit"])
    default = "required" if field["required"] else f"default {field['default']!r}"
    if field["type"] == "group":
        default = "settings or a dict: " + ", ".join(f["key"] for f in field["fields"])
    parts.append(default)
    return f"    {_argument(field['key'])}: " + "; ".join(p for p in parts if p)


class Settings:
    """Keyword arguments that were checked; read them as attributes. `replace()` makes changed copies."""

    _kind = ""
    _extras: dict[str, str] = {}
    _fields: dict[str, dict] = {}

    def __init_subclass__(cls) -> None:
        if not cls._kind:
            return
        fields = _plush.fields(cls._kind)
        cls._fields = {f["key"]: f for f in fields}
        cls.__doc__ = (cls.__doc__ or cls._kind) + "\n\nArguments:\n" + "\n".join(
            [f"    {key}: {text}" for key, text in cls._extras.items()] + [_line(f) for f in fields])
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters = [inspect.Parameter(key, keyword, default=None) for key in cls._extras]
        parameters += [inspect.Parameter(_argument(f["key"]), keyword, default=f["default"]) for f in fields]
        cls.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]

    def __init__(self, /, **given) -> None:
        given = {_key(argument): value for argument, value in given.items()}
        known = [*self._extras, *self._fields]
        for key in given:
            if key not in self._fields and key not in self._extras:
                fix = _plush.did_you_mean(key, known) or "known here: " + ", ".join(known)
                raise Error(f'unknown key "{key}"', fix, f"{type(self).__name__}.{key}")
        self._given = {key: value for key, value in given.items() if value is not None}
        _plush.check(self._kind, self._described())
        self._check()

    def _described(self) -> dict:
        return {key: _plain(value) for key, value in self._given.items() if key in self._fields}

    def _check(self) -> None:
        """What the description does not say."""

    def __getattr__(self, key):
        if key.startswith("_"):
            raise AttributeError(key)
        name = _key(key)
        if name in self._given:
            return self._given[name]
        if name in self._fields:
            return self._fields[name]["default"]
        if name in self._extras:
            return None
        raise AttributeError(f"{type(self).__name__} has no {key!r}")

    def __dir__(self):
        return [*super().__dir__(), *self._extras, *map(_argument, self._fields)]

    def replace(self, /, **changes) -> "Settings":
        """A copy with other values."""
        safe = {_argument(key): value for key, value in self._given.items()}
        return type(self)(**{**safe, **changes})

    def __eq__(self, other) -> bool:
        return type(self) is type(other) and self._given == other._given

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{_argument(k)}={v!r}' for k, v in self._given.items())})"

    def __getstate__(self):
        return self._given

    def __setstate__(self, state) -> None:
        self._given = state


class Material(Settings):
    """How a surface rubs and bounces."""

    _kind = "Material"


class Look(Settings):
    """What a body looks like in pictures; the motion does not depend on it."""

    _kind = "Look"


class ElasticMaterial(Settings):
    """What a soft body is made of."""

    _kind = "ElasticMaterial"


class ElasticRegion(Settings):
    """A part of a soft body that is made of something else."""

    _kind = "ElasticRegion"


class MatchSettings(Settings):
    """How vertices of a cluster keep their shape."""

    _kind = "MatchSettings"


class ConstraintSettings(Settings):
    """Conditions on positions, for the Verlet integrators."""

    _kind = "ConstraintSettings"


class IntegrationSettings(Settings):
    """How deformable bodies are advanced in time."""

    _kind = "IntegrationSettings"


class ContactSettings(Settings):
    """Contact between bodies."""

    _kind = "ContactSettings"


class SolverSettings(Settings):
    """The contact solver."""

    _kind = "SolverSettings"


class SleepSettings(Settings):
    """When bodies stop being computed."""

    _kind = "SleepSettings"


class SurfaceSettings(Settings):
    """How vertices of deformable bodies are held off surfaces."""

    _kind = "SurfaceSettings"


class VolumeSettings(Settings):
    """Contact by the volume that two bodies share."""

    _kind = "VolumeSettings"


class TetContactSettings(Settings):
    """Contact between bodies that have tets."""

    _kind = "TetContactSettings"


class Drag(Settings):
    """A spring from a point of a surface to a target that you move."""

    _kind = "Drag"


class Keyframe(Settings):
    """Where a scripted body is when."""

    _kind = "Keyframe"
    _extras = {"rotation": "orientation, as (w, x, y, z); default: none"}


class Blade(Settings):
    """A sheet that cuts soft bodies."""

    _kind = "Blade"


class JointLimits(Settings):
    """Hard stops of a joint's coordinate."""

    _kind = "JointLimits"


class JointMotor(Settings):
    """Drives a joint's coordinate with a speed, or to a position."""

    _kind = "JointMotor"


class JointSpring(Settings):
    """Pulls a joint's coordinate to its rest value."""

    _kind = "JointSpring"


class Joint(Settings):
    """A joint that can be added to a world."""


class BallJoint(Joint):
    """Holds a point of a on a point of b; both may turn, within a cone where one is given."""

    _kind = "BallJoint"


class HingeJoint(Joint):
    """Turns about one axis."""

    _kind = "HingeJoint"


class SliderJoint(Joint):
    """Slides along one axis and does not turn."""

    _kind = "SliderJoint"


class FixedJoint(Joint):
    """Holds both bodies together as they are."""

    _kind = "FixedJoint"


class DistanceJoint(Joint):
    """Keeps two points at a distance, or drives it."""

    _kind = "DistanceJoint"


class RopeJoint(Joint):
    """Keeps two points from being farther apart than its length."""

    _kind = "RopeJoint"


_surface = {
    "name": "for messages, and for World.find()",
    "material": "a Material",
    "friction": "Coulomb's coefficient, instead of the material's",
    "restitution": "instead of the material's",
    "look": "a Look, for pictures",
    "groups": "a list of the groups, 0 to 31, that the body belongs to; default [0]",
    "collides_with": "a list of the groups that it touches; default: all",
}
_solid = {
    "mesh": "a closed Mesh",
    "shape": "a Shape, instead of a mesh",
    **_surface,
}
_deformable = {
    **_surface,
    "surface": "SurfaceSettings: what holds its vertices off surfaces, instead of the world's contact.surface",
    "masses": "kg of each vertex, instead of densities and masses",
}


def _bits(groups, place) -> int:
    bits = 0
    for group in groups:
        if not isinstance(group, int) or not 0 <= group <= 31:
            raise Error(f"{group!r} is out of range", "use whole numbers from 0 to 31", place)
        bits |= 1 << group
    return bits


class Body_(Settings):
    """A body that can be added to a world."""

    def _check(self) -> None:
        self._more()

    def _material(self) -> dict:
        material = self._given.get("material", {})
        if not isinstance(material, (Material, dict)):
            raise Error("this must be a Material", "write plush.Material(friction=0.5)", f"{self._kind}.material")
        material = dict(_plain(material))
        for key in ("friction", "restitution"):
            if key in self._given:
                material[key] = self._given[key]
        _plush.check("Material", material)
        return material

    def _ready(self) -> None:
        """An Error where it cannot be added to a world."""

    def _more(self) -> dict:
        """What the extension takes beside the described settings."""
        more = {key: _plain(value) for key, value in self._given.items()
                if key in self._extras and key not in ("material", "friction", "restitution", "motion")}
        more["material"] = self._material()
        for key in ("groups", "collides_with"):
            if key in more:
                more[key] = _bits(more[key], f"{self._kind}.{key}")
        return more


class Rigid(Body_):
    """A rigid body that moves freely. Give `mesh` or `shape`."""

    _kind = "Rigid"
    _extras = {**_solid, "tets": "a TetMesh of the same solid, for contact by tets"}


class Fixed(Body_):
    """A body that never moves."""

    _kind = "Fixed"
    _extras = _solid


class Scripted(Body_):
    """A body whose motion is given: by keyframes, by meshes that deform it, or by a function of time."""

    _kind = "Scripted"
    _extras = {
        **_solid,
        "keyframes": "a list of Keyframe: positions interpolated linearly, rotations along the shorter arc",
        "frames": "a list of (time, Mesh): closed meshes of the same triangles that deform the body, instead of mesh and shape; "
                  "keyframes, if any, move it on top",
        "motion": "instead of keyframes a function of time, s: motion(t) gives a position, or (position, rotation); it is "
                  "called before every step for the end of that step",
        "blade": "a Blade: the body cuts the soft ones that it would touch",
    }

    def _check(self) -> None:
        if "frames" in self._given:
            if "motion" in self._given:
                raise Error("frames and a motion exclude each other", "move the frames by keyframes", "Scripted")
        elif ("motion" in self._given) == ("keyframes" in self._given):
            raise Error("give either keyframes or a motion", "write keyframes=[plush.Keyframe(time=0)]", "Scripted")
        super()._check()


class Particles(Body_):
    """Small balls that do not rotate."""

    _kind = "Particles"
    _extras = {**_surface, "positions": "m, n × 3", "velocities": "m/s, n × 3", "surface": _deformable["surface"],
               "integration": "IntegrationSettings, where `surface` is given"}

    def _more(self) -> dict:
        more = super()._more()
        if "surface" in more:
            more.setdefault("integration", {})
        return more


class Rope(Body_):
    """Springs in a row. Its start is the argument `from_`."""

    _kind = "Rope"
    _extras = _deformable


class Cloth(Body_):
    """A rectangle of springs, or springs on any triangle mesh."""

    _kind = "Cloth"
    _extras = {"mesh": "a Mesh instead of the rectangle", **_deformable}


class Jelly(Body_):
    """A box of cells with springs on all edges and diagonals."""

    _kind = "Jelly"
    _extras = _deformable


class Shells(Body_):
    """A closed surface of springs that shells of springs keep in shape."""

    _kind = "Shells"
    _extras = {"mesh": "a closed Mesh", **_deformable}


class TetSprings(Body_):
    """Springs on the edges of a tet mesh."""

    _kind = "TetSprings"
    _extras = {"mesh": "a TetMesh", **_deformable}


class ShapeMatching(Body_):
    """Vertices that keep a shape instead of being joined by springs: of `points`, a mesh or tets."""

    _kind = "ShapeMatching"
    _extras = {"mesh": "a Mesh", "tets": "a TetMesh", "skin": "a Mesh embedded in the vertices",
               "shape": "what others touch, where the body is a single cluster", **_deformable}


class Soft(Body_):
    """An elastic body of tets. Give `mesh` (a closed surface, which is filled) or `solid`."""

    _kind = "Soft"
    _extras = {"mesh": "a closed Mesh: filled with tets, once for all bodies of a world that have it",
               "solid": "a SoftSolid", "regions": "a list of ElasticRegion", **_deformable}

    def _ready(self) -> None:
        if "mesh" not in self._given and "solid" not in self._given:
            raise Error("it has neither a mesh nor a solid", "write plush.Soft(mesh=plush.generate(\"bear\"))", "Soft")
