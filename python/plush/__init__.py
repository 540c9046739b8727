"""Plush simulates rigid and soft bodies in frictional contact.

    import plush
    world = plush.World()
    world.add_ground()
    bear = plush.generate("bear", size=0.5, triangles=600)
    toy = world.add(plush.Soft(mesh=bear, young=5e4, density=300), position=(0, 1, 0))
    world.run(1.0)
    print(toy.position, toy.contact_force)

SI units, y up. docs/python.md has examples.
"""

import os as _os
from pathlib import Path as _Path

_installed_scenes = _Path(__file__).resolve().parent / "scenes"
if _installed_scenes.is_dir():
    _os.environ.setdefault("PLUSH_SCENES", str(_installed_scenes))

from . import _plush
from ._error import Error
from ._meshes import (Mesh, MeshProblem, MeshReport, Overlap, Sdf, Shape, SoftSolid, TetMesh, generate, overlap, rotation,
                      self_overlap, shape_names, tetrahedralise)
from ._settings import (BallJoint, Blade, Cloth, ConstraintSettings, ContactSettings, DistanceJoint, Drag, ElasticMaterial,
                        ElasticRegion, Fixed, FixedJoint, HingeJoint, IntegrationSettings, Jelly, Joint, JointLimits,
                        JointMotor, JointSpring, Keyframe, Look, MatchSettings, Material, Particles, Rigid, Rope, RopeJoint,
                        Scripted, Settings, ShapeMatching, Shells, SleepSettings, SliderJoint, Soft, SolverSettings,
                        SurfaceSettings, TetContactSettings, TetSprings, VolumeSettings)
from ._world import Body, DragHandle, Force, Handle, JointHandle, World, WorldSettings
from ._records import Run, Scene, load_scene, open_run, resume, scenes
from ._view import View
from . import env

__version__: str = _plush.version
__all__ = [name for name in dir() if not name.startswith("_")]
