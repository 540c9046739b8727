"""The live page of a world, for a loop of your own."""

from __future__ import annotations

from collections.abc import Callable

from . import _plush
from ._error import Error
from ._world import World


class View:
    """A page in the browser that shows a world while your own loop steps it.

        with plush.View(world) as view:
            print(view.address)
            while view.update():
                world.step()
    """

    def __init__(self, world: World, port: int = 0, name: str = "world") -> None:
        """On 127.0.0.1; port 0: a free one. `name` is what the page calls it."""
        if not hasattr(_plush, "View"):
            raise Error("this build of the module has no viewer",
                        "record with world.run(seconds, out=FOLDER) and open it with: plush view FOLDER", "View")
        self._world = world
        self._inner = _plush.View(world._inner, port, name)

    @property
    def address(self) -> str:
        """What to open in a browser on this machine: it holds the secret that the page needs."""
        return self._page().address

    def update(self) -> bool:
        """Does what the page asked for, waits while it is paused and for its speed. True: do one step. False: stop() was called."""
        return self._page().update()

    def serve(self) -> None:
        """Steps the world as the page wants, with all functions of yours, until stop() or Ctrl-C."""
        while self.update():
            self._world.step()

    def stop(self) -> None:
        """Makes update() return False; from any thread, and from functions that are called in a step."""
        self._page().stop()

    def close(self) -> None:
        """Ends the page."""
        self._inner = None

    def _page(self):
        if self._inner is None:
            raise Error("it was closed", "make another plush.View(world)", "View")
        return self._inner

    def __enter__(self) -> "View":
        return self

    def __exit__(self, *what) -> None:
        self.close()


def serve(world: World, port: int, ready: Callable[[str], object] | None) -> None:
    """World.view()."""
    with View(world, port) as view:
        (ready or print)(view.address)
        try:
            view.serve()
        except KeyboardInterrupt:
            pass  # how a user ends it
