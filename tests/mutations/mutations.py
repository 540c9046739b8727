#!/usr/bin/env python3
"""Breaks one central law after the other and shows which test notices.

    tests/mutations/mutations.py SOURCE BUILD [NAME ...]

Each mutation is a text that stands once in a file, what takes its place, a target and a filter of its tests. The file is
changed, the target built, the tests run; the file is put back in any case. A law that no test notices fails, and so does a
text that is not there any more: then the law has moved, and its line here must follow it.
"""

import pathlib
import subprocess
import sys

# name, file, what stands there, what is put in its place, target, tests
LAWS = [
    ("gravity of rigid bodies", "src/bodies/rigid/rigid_body.cpp", "velocity_ + h * (gravity + force_ / mass_)",
     "velocity_ + h * (1.001 * gravity + force_ / mass_)", "test_bodies", "RigidBody.*"),
    ("damping is implicit", "src/bodies/rigid/rigid_body.cpp", "1.0 / (1.0 + h * damping_)", "1.0 - h * damping_",
     "test_bodies", "RigidBody.*"),
    ("a torque turns", "src/bodies/rigid/rigid_body.cpp", "momentum_ + h * torque_", "momentum_ + 0.99 * h * torque_",
     "test_bodies", "RigidBody.*"),
    ("drag of particles", "src/bodies/deformable/particle_body.cpp", "1.0 / (1.0 + h * drag_ / mass_)",
     "1.0 / (1.0 + 1.01 * h * drag_ / mass_)", "test_bodies", "ParticleBody.*"),
    ("easing of keyframes", "src/bodies/rigid/kinematic_body.cpp", "return t * t * (3 - 2 * t);",
     "return t * t * (3 - 2.1 * t);", "test_bodies", "KinematicBody.*"),
    ("relative stiffness of a spring", "src/bodies/elements/springs.cpp", "? spring.stiffness / spring.rest_length",
     "? 1.01 * spring.stiffness / spring.rest_length", "test_bodies", "Springs.*"),
    ("Lame's first constant", "src/bodies/elements/isotropic.cpp", "young * poisson / ((1 + poisson) * (1 - 2 * poisson))",
     "young * poisson / ((1 + poisson) * (1 - poisson))", "test_bodies", "*Elastic*:*Lame*:Isotropic*"),
    ("corotational stress", "src/bodies/elements/isotropic.cpp", "r.stress[i] = 2 * c.mu * (s[i] - 1) + mean;",
     "r.stress[i] = 2.02 * c.mu * (s[i] - 1) + mean;", "test_bodies", "*Elastic*:Isotropic*"),
    ("neo-Hookean stress", "src/bodies/elements/isotropic.cpp", "c.mu * (1 - 1 / (square + 1)), pressure",
     "c.mu * (1 - 1.01 / (square + 1)), pressure", "test_bodies", "*Elastic*:Isotropic*"),
    ("BDF2 has order two", "src/bodies/integrators/implicit.cpp", "x_stage_[i] = (4 * x[i] - s.x_before[i]) / 3;",
     "x_stage_[i] = (4.01 * x[i] - 1.01 * s.x_before[i]) / 3;", "test_bodies", "Order.*:Implicit.*"),
    ("Verlet with steps that change", "src/bodies/integrators/integrator.cpp",
     "corrected && !starts ? 0.5 * (h + s.h_before) * h : h * h", "corrected && !starts ? h * s.h_before : h * h",
     "test_bodies", "Order.*"),
    ("substeps where a step is too large", "src/bodies/integrators/integrator.cpp",
     "report.substeps = std::max(1, static_cast<int>(parts));", "report.substeps = 1;", "test_bodies", "Policy.*:Stability*"),
    ("restitution", "src/contact/points/point_contact.cpp", "{e * speed + a * tau + 0.5 * a * h,",
     "{0.99 * e * speed + a * tau + 0.5 * a * h,", "test_contact", "PointContact.*"),
    ("bounces end", "src/contact/points/point_contact.cpp", "restitution * std::clamp(t, 0.0, 1.0)", "restitution",
     "test_contact", "PointContact.*"),
    ("Coulomb's cone", "src/contact/solver/friction_bound.hpp", "if (length > radius) x *= radius / length, y *= radius / length;",
     "if (length > radius) x *= 1.01 * radius / length, y *= 1.01 * radius / length;", "test_contact", "BlockSolver.*"),
    ("the friction pyramid", "src/contact/solver/friction_bound.hpp", "0.5 * (ax + ay - radius);", "0.49 * (ax + ay - radius);",
     "test_contact", "BlockSolver.*:ContactNewton.*"),
    ("a mesh's inertia", "src/geometry/mesh/mass.cpp", "m / 20 *", "m / 21 *", "test_geometry", "Mass.*"),
    ("a mesh's centre of mass", "src/geometry/mesh/mass.cpp", "m / 4 * s", "m / 5 * s", "test_geometry", "Mass.*"),
    ("a mesh's volume", "src/geometry/mesh/measure.cpp", "return six_volumes / 6;", "return six_volumes / 5;",
     "test_geometry", "Mesh.*:Mass.*:Generate.*"),
    ("distance of a ball", "src/geometry/sdf/sdf_primitives.cpp", "return {norm(d) - r_, unit(d, {0, 1, 0})};",
     "return {norm(d) - 0.99 * r_, unit(d, {0, 1, 0})};", "test_geometry", "Sdf.*"),
    ("sign of a plane", "src/geometry/sdf/sdf_primitives.cpp", "{dot(x - p_, n_), n_}", "{dot(p_ - x, n_), n_}",
     "test_geometry", "Sdf.*"),
    ("copies of a face are searched once", "src/geometry/repair/check.cpp", "sorted[k].first != sorted[k - searched].first", "true",
     "test_geometry", "Check.*"),
    ("the volume two bodies share", "src/detect/depth_images/overlap_model.cpp", "out.volume = dot(weights, volumes) * cube;",
     "out.volume = 1.01 * dot(weights, volumes) * cube;", "test_detect", "Overlap*"),
    ("images keep to their memory", "src/detect/depth_images/depth_columns.cpp", "return total <= max_crossings_;",
     "return true;", "test_detect", "DepthImages.*:Overlap*"),
    ("filters", "src/world/pair_rules.cpp", "return masks_allow(bodies_[i].filter, bodies_[j].filter);", "return true;",
     "test_world", "Filter*"),
    ("sleep waits", "src/world/sleep.cpp", "quiet[i] < settings_.sleep.after", "quiet[i] < 0.5 * settings_.sleep.after",
     "test_world", "Sleep.*"),
    ("a snapshot knows its world", "src/world/state.cpp", "if (!marked || made_of !=", "if (!marked && made_of !=",
     "test_world", "HostileSnapshots.AnotherWorlds*"),
    ("a step within a step", "src/world/access.hpp", "if (phase_ == Phase::changing ||", "if (true ||", "test_world", "Access.*"),
    ("absurd motion is named", "src/world/step_checks.cpp", "way > tuning::absurd_way * size)", "false)", "test_world",
     "AbsurdMotion.*"),
    ("inverted tets are counted", "src/world/step_checks.cpp", "dot(cross(at(1) - at(0), at(2) - at(0)), at(3) - at(0)) < 0;",
     "false;", "test_record", "Findings.*"),
    ("findings have their place", "src/record/findings.cpp", "at->time = world.time();", "at->time = 0;", "test_record",
     "Findings.*"),
    ("a checkpoint's checksum", "src/core/chunk.cpp", "if (sum != checksum(all.first(covered))) return", "if (false) return",
     "test_record", "Checkpoint.*:Salvage.*:Frames.*"),
]


def build(folder, target):
    return subprocess.run(["ninja", "-C", str(folder), target], capture_output=True, text=True)


def red_tests(folder, target, pattern):
    """The names of the tests that fail, and how many ran."""
    try:
        run = subprocess.run([str(folder / "tests" / target), f"--gtest_filter={pattern}", "--gtest_brief=0"],
                             capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return ["(a test did not end)"], 1
    lines = run.stdout.splitlines()
    ran = sum(1 for line in lines if line.startswith("[ RUN"))
    red = sorted({line.split()[3].rstrip(",") for line in lines if line.startswith("[  FAILED  ]") and len(line.split()) > 3
                  and "." in line.split()[3]})
    if run.returncode != 0 and not red:  # it ended in the middle
        red = [lines[-1].split()[-1] if lines else "(a crash)"]
    return red, ran


def main():
    source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    wanted = sys.argv[3:]
    bad = 0
    for name, file, old, new, target, pattern in LAWS:
        if wanted and not any(w in name for w in wanted):
            continue
        path = source / file
        text = path.read_text()
        if text.count(old) != 1:
            print(f"FAILED  {name}: the text stands {text.count(old)} times in {file}", flush=True)
            bad += 1
            continue
        try:
            path.write_text(text.replace(old, new))
            built = build(folder, target)
            red, ran = red_tests(folder, target, pattern) if built.returncode == 0 else ([], 0)
        finally:
            path.write_text(text)
        if built.returncode != 0:
            print(f"FAILED  {name}: the broken program cannot be built\n{built.stdout[-1500:]}", flush=True)
            bad += 1
        elif not red:
            print(f"FAILED  {name}: none of {ran} tests ({target} {pattern}) has noticed", flush=True)
            bad += 1
        else:
            more = f" and {len(red) - 1} more" if len(red) > 1 else ""
            print(f"red     {name}: {red[0]}{more}", flush=True)
    for target in sorted({law[4] for law in LAWS}):
        build(folder, target)  # of the files as they are
    print(f"{len(LAWS) if not wanted else 'chosen'} laws, {bad} without a red test")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
