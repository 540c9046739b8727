"""The files that git tracks in a tree."""

import pathlib
import subprocess
import sys

CANNOT_RUN = 77  # ctest calls a test with this exit status skipped


def tracked(tree):
    """Relative paths of the tracked files that exist; ends the program where there is no repository."""
    # A tree that belongs to another user is fine here: nothing of it is run by git.
    command = ["git", "-c", "safe.directory=*", "-C", str(tree), "ls-files", "-z"]
    try:
        listed = subprocess.run(command, check=True, capture_output=True).stdout.decode()
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"not run: git cannot list the files of {tree} ({error})")
        sys.exit(CANNOT_RUN)
    return [name for name in listed.split("\0") if name and pathlib.Path(tree, name).is_file()]
