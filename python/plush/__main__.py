"""`python -m plush` is the command line."""

import os
import sys
from pathlib import Path


def main() -> None:
    beside = Path(__file__).resolve().parent
    program = beside / "bin" / "plush"
    if not program.exists():  # not installed: the build folder, through the link to the extension
        import plush

        program = Path(plush._plush.__file__).resolve().parents[2] / "bin" / "plush"
    if not program.exists():
        sys.exit(f"the program is not here: {program} (build the target plush_app, or install the wheel)")
    os.execv(program, [str(program), *sys.argv[1:]])


if __name__ == "__main__":
    main()
