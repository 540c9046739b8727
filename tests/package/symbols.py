"""libplush.so shows namespace plush and nothing else: no symbol of oneTBB, fmt or the standard library, which
could clash with a user's own copy.

Usage: symbols.py LIBRARY        Exit status 0: so it is; 1: not.
"""

import re
import subprocess
import sys

ALLOWED = re.compile(r"(?:(?:vtable|typeinfo|typeinfo name) for |non-virtual thunk to )?plush::")


def foreign(listing):
    """The symbols of `nm -DC --defined-only` that are not Plush's."""
    symbols = [line.split(" ", 2)[2] for line in listing.splitlines()]
    return [symbol for symbol in symbols if not ALLOWED.match(symbol)]


if __name__ == "__main__":
    # The check itself can fail: a foreign symbol is seen.
    assert foreign("0 T plush::version()\n0 W std::vector<plush::Vec3>::size()\n0 V vtable for tbb::task\n") == [
        "std::vector<plush::Vec3>::size()", "vtable for tbb::task"]
    nm = subprocess.run(["nm", "-DC", "--defined-only", sys.argv[1]], check=True, capture_output=True, text=True)
    found = foreign(nm.stdout)
    # Without its typeinfo and vtable nobody outside could catch an Error.
    for needed in ("plush::version()", "typeinfo for plush::Error", "vtable for plush::Error"):
        if needed + "\n" not in nm.stdout:
            found.append(f"{needed} is missing")
    print("\n".join(found) or f"{len(nm.stdout.splitlines())} symbols, all of namespace plush")
    sys.exit(1 if found else 0)
