"""libplush.so shows namespace plush and nothing else: no symbol of oneTBB, fmt or the standard library, which could
clash with a user's own copy. libplush_render.so shows namespace plush::render and, as every library and program that
throws it, the type of plush::Error. Who only simulates needs none of the
libraries that pictures are made with: libplush.so must not ask for them when it is loaded.

libplush_view.so is to namespace plush::view what libplush_render.so is to plush::render.

Usage: symbols.py LIBPLUSH LIBPLUSH_RENDER LIBPLUSH_VIEW        Exit status 0: so it is; 1: not.
"""

import re
import subprocess
import sys

PREFIX = r"(?:(?:vtable|typeinfo|typeinfo name) for |non-virtual thunk to )?"
OF_PICTURES = re.compile(r"lib(embree|png|freetype|civetweb)", re.IGNORECASE)
# Without its typeinfo and vtable nobody outside could catch an Error.
ERROR = ("typeinfo for plush::Error", "typeinfo name for plush::Error", "vtable for plush::Error")
SHOWN = ("plush::version()",) + ERROR
SHOWN_VIEW = ("plush::view::View::stop()",) + ERROR
SHOWN_RENDER = ("plush::render::render_mode_choices()",) + ERROR


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def foreign(listing, namespace):
    """The symbols of `nm -DC --defined-only` that are neither of this namespace nor the type of Error."""
    allowed = re.compile(PREFIX + namespace + "::")
    symbols = [line.split(" ", 2)[2] for line in listing.splitlines()]
    return [symbol for symbol in symbols if symbol not in ERROR and not allowed.match(symbol)]


def needed(listing):
    """The libraries of `readelf -dW` that are loaded with this one."""
    return re.findall(r"\(NEEDED\).*\[(.+)\]", listing)


def check_symbols(library, namespace, shown):
    listing = output("nm", "-DC", "--defined-only", library)
    found = [f"{library} shows {symbol}" for symbol in foreign(listing, namespace)]
    found += [f"{library} does not show {symbol}" for symbol in shown if symbol + "\n" not in listing]
    print(f"{library}: {len(listing.splitlines())} symbols, {len(found)} wrong")
    return found


if __name__ == "__main__":
    # The checks themselves can fail: a foreign symbol and a library are seen.
    listing = "0 T plush::version()\n0 W std::vector<plush::Vec3>::size()\n0 V vtable for tbb::task\n"
    assert foreign(listing, "plush") == ["std::vector<plush::Vec3>::size()", "vtable for tbb::task"]
    assert foreign("0 T plush::version()\n0 T plush::render::x()\n", "plush::render") == ["plush::version()"]
    listing = " 0x01 (NEEDED)  Shared library: [libembree3.so.3]\n 0x0e (SONAME)  Library soname: [libpng.so]\n"
    assert needed(listing) == ["libembree3.so.3"]

    plush, render, view = sys.argv[1:]
    found = check_symbols(plush, "plush", SHOWN) + check_symbols(render, "plush::render", SHOWN_RENDER)
    found += check_symbols(view, "plush::view", SHOWN_VIEW)
    libraries = needed(output("readelf", "-dW", plush))
    if not libraries:
        found.append(f"{plush} needs no library at all: readelf's output was not understood")
    found += [f"{plush} needs {name}, which only pictures and the viewer need" for name in libraries if OF_PICTURES.match(name)]
    print(f"{plush} needs {', '.join(libraries)}")
    print("\n".join(found))
    sys.exit(1 if found else 0)
