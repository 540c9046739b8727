"""What a user gives as numbers, or an Error that says what is wrong with it."""

from __future__ import annotations

from ._error import Error


def _list_of(value, count: int) -> tuple | None:
    if isinstance(value, (str, bytes)):
        return None
    try:
        if len(value) != count:
            return None
        return tuple(float(x) for x in value)
    except (TypeError, ValueError):
        return None


def _short(value) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) < 60 else text[:57] + "…"


def three(value, place: str) -> tuple[float, float, float]:
    """A vector."""
    out = _list_of(value, 3)
    if out is None:
        raise Error(f"{_short(value)} is not three numbers", "write (x, y, z)", place)
    return out


def turn(value, place: str) -> tuple[float, float, float, float]:
    """A rotation as a quaternion."""
    out = _list_of(value, 4)
    if out is None:
        raise Error(f"{_short(value)} is no rotation", "write (w, x, y, z), or plush.rotation(axis, degrees)", place)
    return out


def number(value, place: str) -> float:
    """One number."""
    if not isinstance(value, (str, bytes)):
        try:
            return float(value)
        except (TypeError, ValueError):
            pass
    raise Error(f"{_short(value)} is not a number", "write a number", place)


def pose(given, place: str) -> tuple[tuple, tuple]:
    """(position, rotation) from a position, or from both."""
    position = _list_of(given, 3)
    if position is not None:
        return position, (1.0, 0.0, 0.0, 0.0)
    try:
        at, rotation = (_list_of(part, n) for part, n in zip(given, (3, 4), strict=True))
    except (TypeError, ValueError):
        at = rotation = None
    if at is None or rotation is None:
        raise Error(f"it gave {_short(given)}", "give a position (x, y, z), or (position, rotation)", place)
    return at, rotation
