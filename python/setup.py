"""The wheel of Plush: the package plush/, the extension _plush, the program and the built-in scenes.

pip wheel --no-build-isolation --no-deps --no-index -w OUT python/

C++ is built by CMake, in the folder that PLUSH_BUILD names or in build/release; what is built already is taken as it is.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

HERE = Path(__file__).resolve().parent
ROOT = Path(os.environ.get("PLUSH_SOURCE", HERE.parent))
BUILD = Path(os.environ.get("PLUSH_BUILD", ROOT / "build" / "release"))
VERSION = re.search(r"project\(plush VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


class Build(build_py):
    """Puts what CMake built beside the Python files."""

    def run(self):
        super().run()
        if not (BUILD / "python/plush/_plush.so").exists() or not (BUILD / "bin/plush").exists():
            subprocess.run(["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                            "-DPLUSH_TESTS=OFF"], check=True)
            subprocess.run(["cmake", "--build", BUILD, "--target", "plush_python", "plush_app"], check=True)
        package = Path(self.build_lib) / "plush"
        (package / "bin").mkdir(parents=True, exist_ok=True)
        shutil.copy2(BUILD / "python/plush/_plush.so", package / "_plush.so")
        shutil.copy2(BUILD / "bin/plush", package / "bin/plush")
        shutil.copytree(ROOT / "scenes", package / "scenes", dirs_exist_ok=True)


class Binary(Distribution):
    """A wheel for this Python and machine only."""

    def has_ext_modules(self):
        return True


setup(name="plush", version=VERSION, description="Rigid and soft bodies in frictional contact",
      packages=["plush"], package_data={"plush": ["*.pyi", "py.typed"]}, python_requires=">=3.11,<3.12",
      install_requires=["numpy"], cmdclass={"build_py": Build}, distclass=Binary)
