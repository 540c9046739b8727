// g++ 12 sees null dereferences inside CLI11's own std::vector<std::string>, where there are none.
#pragma GCC diagnostic ignored "-Wnull-dereference"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <functional>
#include <new>

#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/words.hpp"
#include "core/did_you_mean.hpp"
#include "core/stop.hpp"
#include "lab/bench/bench.hpp"
#include "lab/studies/study.hpp"
#include "lab/validation/validate.hpp"
#include "plush/render/render.hpp"

// The command line: its words, their meaning and help. What a command does is in a file of its own. To add
// one: an options struct and a function in commands.hpp, and an add_…() here.

namespace plush::app {

namespace {

constexpr const char* exit_statuses =
    "Exit status: 0 done (check, validate: all passed); 1 the simulation, a check or a write failed, or "
    "Ctrl-C;\n"
    "2 wrong usage, or input that cannot be used. Results go to standard output, messages to standard\n"
    "error. Every command takes --json and then prints one JSON document and nothing else.";

void add_check(CLI::App& app, Action& action, CheckOptions& o) {
    CLI::App& c =
        *app.add_subcommand("check", "say whether scenes or meshes are usable, and how to repair them");
    c.add_option("FILE", o.files, "scene files, names of built-in scenes, or mesh files")->required();
    c.add_flag("--verbose", o.verbose, "of scenes also who touches whom, and by which method");
    add_json(c, o.json);
    c.footer("Exit status: 0 all usable, 1 readable but unusable, 2 unreadable.");
    c.callback([&] { action = [&] { return check(o); }; });
}

void add_mesh_make(CLI::App& mesh, Action& action, MeshMakeOptions& o) {
    CLI::App& c = *mesh.add_subcommand("make", "make a closed mesh of a known shape");
    c.add_option("NAME", o.settings.shape, "the shape")->required();
    c.add_option("--triangles", o.settings.triangles, "about how many (default: the shape's own number)")
        ->type_name("N")
        ->check(at_least_zero());
    c.add_option("--size", o.settings.size, "longest side, in metres (default: 1)")
        ->type_name("S")
        ->check(number_that("a number above 0, to 10⁶", [](double v) { return v > 0 && v <= 1e6; }));
    c.add_option("--seed", o.settings.seed, "for shapes with something random in them (default: 1)")
        ->type_name("N");
    c.add_option("-o,--out", o.out, "the file to write: .obj, .ply, .stl or .mesh")
        ->required()
        ->type_name("FILE");
    add_json(c, o.json);
    std::string shapes = "Shapes:\n";
    for (const ShapeName& shape : shape_names())
        shapes += fmt::format("  {:<14} {}\n", shape.name, shape.text);
    c.footer(shapes);
    c.callback([&] { action = [&] { return mesh_make(o); }; });
}

void add_mesh_info(CLI::App& mesh, Action& action, MeshInfoOptions& o) {
    CLI::App& c = *mesh.add_subcommand("info", "size, volume, and everything that is wrong with a mesh");
    c.add_option("FILE", o.file, "OBJ, OFF, PLY, STL, MSH or MESH")->required();
    add_json(c, o.json);
    c.callback([&] { action = [&] { return mesh_info(o); }; });
}

void add_mesh_repair(CLI::App& mesh, Action& action, MeshRepairOptions& o) {
    CLI::App& c = *mesh.add_subcommand("repair", "weld, clean, orient and close a mesh; say what was done");
    c.add_option("FILE", o.file, "the mesh to repair; it is left as it is")->required();
    c.add_option("-o,--out", o.out, "the file to write: .obj, .ply, .stl or .mesh")
        ->required()
        ->type_name("OUT");
    c.add_option("--weld", o.settings.weld_distance, "vertices this close become one, in metres (default: 0)")
        ->type_name("D")
        ->check(at_least_zero());
    c.add_option("--largest-hole", o.settings.largest_hole, "fill holes of up to so many edges (default: 64)")
        ->type_name("N")
        ->check(at_least_zero());
    add_json(c, o.json);
    c.footer("Exit status: 0 the result is usable, 1 something remains, 2 unreadable.");
    c.callback([&] { action = [&] { return mesh_repair(o); }; });
}

void add_mesh_tet(CLI::App& mesh, Action& action, MeshTetOptions& o) {
    CLI::App& c = *mesh.add_subcommand("tet", "fill a closed surface with tets");
    c.add_option("SURFACE", o.file, "the closed mesh: OBJ, OFF, PLY, STL, MSH or MESH")->required();
    c.add_option("-o,--out", o.out, "the file to write: .mesh")->required()->type_name("FILE");
    c.add_option("--method", o.method, "lattice (default) or delaunay, see below")->type_name("M");
    c.add_flag("--conforming", o.settings.conforming,
               "end at the surface instead of enclosing it (lattice only)");
    auto* nodes =
        c.add_option("--nodes", o.settings.nodes, "about so many nodes")->type_name("N")->check(above_zero());
    auto* edge = c.add_option("--edge", o.settings.edge, "the longest edge of a tet, in metres")
                     ->type_name("L")
                     ->check(above_zero());
    auto* cells = c.add_option("--cells", o.settings.cells_across,
                               "cells along the longest side (default: 12; conforming: 20 or more)")
                      ->type_name("N")
                      ->check(above_zero());
    nodes->excludes(edge)->excludes(cells);
    edge->excludes(cells);
    add_json(c, o.json);
    c.footer(
        "Methods:\n"
        "  lattice      equal tets of a body-centred cubic lattice, all that touch the solid. Dihedral "
        "angles\n"
        "               60 and 90 degrees, whatever the surface. With --conforming they are cut at the\n"
        "               surface: angles above 10.7 degrees, features thinner than a cell may be lost.\n"
        "  delaunay     points inside and in a band outside, joined by a Delaunay triangulation: no "
        "direction\n"
        "               of space is favoured.\n"
        "The tets enclose the surface, which a body keeps in full detail, unless --conforming is given.\n"
        "Examples:\n"
        "  plush mesh tet bear.obj -o bear.mesh\n"
        "  plush mesh tet bear.obj -o bear.mesh --nodes 2000 --method delaunay\n"
        "  plush mesh tet bear.obj -o bear.mesh --conforming");
    c.callback([&] { action = [&] { return mesh_tet(o); }; });
}

void add_mesh_overlap(CLI::App& mesh, Action& action, MeshOverlapOptions& o) {
    CLI::App& c = *mesh.add_subcommand("overlap", "how much two meshes overlap, where, and which way out");
    c.add_option("A", o.a, "a closed mesh: OBJ, OFF, PLY, STL, MSH or MESH")->required();
    auto* b = c.add_option("B", o.b, "another; without it, A with itself");
    const auto place = [&](const std::string& name, MeshPlacement& p) {
        c.add_option("--" + name + "-at", p.at, "move it there, in metres (default: 0 0 0)")
            ->type_name("X Y Z")
            ->expected(3);
        c.add_option("--" + name + "-turn", p.turn, "turn it first, about an axis by so many degrees")
            ->type_name("X Y Z DEG")
            ->expected(4);
    };
    place("a", o.place_a);
    place("b", o.place_b);
    c.add_option("--half-space", o.half_space, "A with all x of normal.x <= offset, instead of B")
        ->type_name("X Y Z OFFSET")
        ->expected(4)
        ->excludes(b);
    c.add_option("--pixel", o.settings.pixel, "side of a pixel, in metres (default: chosen for the pair)")
        ->type_name("S")
        ->check(above_zero());
    c.add_option("--across", o.settings.pixels_across, "pixels across the overlap (default: 64)")
        ->type_name("N")
        ->check(above_zero());
    auto* cell = c.add_option("--cell", o.settings.cell, "one result for each cell of a grid of this size")
                     ->type_name("S")
                     ->check(above_zero());
    auto* whole =
        c.add_flag("--whole", o.whole, "one result for all, instead of one for each connected part");
    cell->excludes(whole);
    c.add_flag("--mean", o.mean, "the plain mean of the three images' volumes");
    c.add_flag("--tilted", o.tilted, "turn the images: better where flat faces lie along the axes");
    c.add_flag("--gradients", o.settings.gradients, "for every vertex, with --json");
    c.add_option("--threads", o.settings.threads, "0: all there are (default: 1); the result is the same")
        ->type_name("N")
        ->check(CLI::Validator(CLI::Range(0, 1024)).description(""));
    add_json(c, o.json);
    c.footer(
        "Inside is where a surface winds once or more: parts that overlap themselves count once, what is\n"
        "inside out has no inside, and columns through a hole are left out (and counted).\n"
        "Examples:\n"
        "  plush mesh overlap bear.obj ball.obj --b-at 0.3 0.1 0\n"
        "  plush mesh overlap bear.obj                              with itself\n"
        "  plush mesh overlap bear.obj --half-space 0 1 0 -0.45     with the ground at y = -0.45");
    c.callback([&] { action = [&] { return mesh_overlap(o); }; });
}

void add_validate(CLI::App& app, Action& action, ValidateOptions& o) {
    CLI::App& c = *app.add_subcommand("validate", "compare the physics with known answers");
    c.add_option("NAME", o.names, "problems to run (default: all)");
    c.add_option("--method", o.method,
                 "the contact method: points (default), volume, closest_feature, ..., or all")
        ->type_name("M");
    c.add_option("--report", o.report, "write an HTML report as well")->type_name("FILE");
    add_json(c, o.json);
    std::string problems = "Problems:\n";
    for (const lab::Problem& p : lab::problems()) problems += fmt::format("  {:<14} {}\n", p.name, p.text);
    c.footer(problems + "Exit status: 0 all passed, 1 one failed. docs/validation.md has the equations.");
    c.callback([&] { action = [&] { return validate(o); }; });
}

void add_bench(CLI::App& app, Action& action, BenchOptions& o) {
    CLI::App& c = *app.add_subcommand(
        "bench", "time scenes by phase, reading a mesh, filling one with tets, overlaps, and a picture");
    c.add_option("NAME", o.names, "built-in scenes, or one of those below (default: all); or python");
    c.add_option("--threads", o.threads, "0: all there are (default)")
        ->type_name("N")
        ->check(CLI::Validator(CLI::Range(0, 1024)).description(""));
    c.add_option("--runs", o.runs, "runs of each; the fastest counts (default: 3)")
        ->type_name("N")
        ->check(CLI::Validator(CLI::Range(1, 1000)).description(""));
    c.add_option("--mesh", o.mesh, "for mesh, tet and armadillos: this file instead of a generated one")
        ->type_name("FILE");
    c.add_option("--meshes", o.meshes,
                 "for table1 and scenes: meshes to take instead of generated ones of the same name")
        ->type_name("FOLDER");
    c.add_option("--report", o.report, "write an HTML report as well")->type_name("FILE");
    add_json(c, o.json);
    std::string list = "Benchmarks, beside the built-in scenes:\n";
    for (const lab::Benchmark& b : lab::benchmarks()) list += fmt::format("  {:<14} {}\n", b.name, b.text);
    c.footer(list + "  python         what calls from Python cost");
    c.callback([&] { action = [&] { return bench(o); }; });
}

void add_study(CLI::App& app, Action& action, StudyOptions& o) {
    CLI::App& c = *app.add_subcommand("study", "answer a question about the methods with an HTML report");
    c.add_option("NAME", o.name, "the study")->required();
    c.add_option("-o,--out", o.out, "the file to write (default: NAME.html)")->type_name("FILE");
    c.add_option("--csv", o.csv, "the folder for its numbers (default: beside the report, NAME_csv)")
        ->type_name("DIR");
    c.add_flag("--quiet", o.quiet, "say nothing unless something goes wrong");
    add_json(c, o.json);
    std::string list = "Studies:\n";
    for (const lab::Study& s : lab::studies()) list += fmt::format("  {:<14} {}\n", s.name, s.text);
    c.footer(list + "The report is one file: plots, tables, no network. --json prints every number in it.");
    c.callback([&] { action = [&] { return study(o); }; });
}

void add_view(CLI::App& app, Action& action, ViewOptions& o) {
    CLI::App& c = *app.add_subcommand("view", "see and touch a scene, or play a run, in the browser");
    c.add_option("SCENE", o.names, "scenes, run folders or saved states, at most two (none: a gallery)");
    c.add_option("--port", o.port, "on 127.0.0.1 (default: a free one)")->check(CLI::Range(0, 65535));
    c.add_option("--variant", o.variants, "show these of the scene's variants (default: the first two)");
    c.add_option("--method", o.methods, "show it with these contact methods side by side, at most two");
    c.add_option("--set", o.set, "change a value of the scene; may be repeated")->allow_extra_args(false);
    c.add_option("--save-input", o.save_input,
                 "write what is done to the world: run --replay-input does it again");
    c.add_option("--threads", o.threads, "0: all there are (default)")->check(CLI::Range(0, 1024));
    c.add_flag("--quiet", o.quiet, "say nothing but the address");
    add_json(c, o.json);
    c.footer("Prints the address to open in a browser on this machine. Ctrl-C ends it, with exit status 0.");
    c.callback([&] { action = [&] { return view(o); }; });
}

void add_gallery(CLI::App& app, Action& action, GalleryOptions& o) {
    CLI::App& c =
        *app.add_subcommand("gallery", "run and draw every built-in scene, and write the page of them");
    c.add_option("NAME", o.names, "scenes (default: all)");
    c.add_option("-o,--out", o.out, "gets gallery.md and pictures/ (default: docs)")->type_name("DIR");
    c.add_option("--runs", o.runs, "gets the run folders (default: out/gallery)")->type_name("DIR");
    c.add_option("--threads", o.threads, "0: all there are (default); the pictures do not depend on it")
        ->type_name("N")
        ->check(CLI::Validator(CLI::Range(0, 1024)).description(""));
    c.add_flag("--quiet", o.quiet, "say nothing unless something goes wrong");
    add_json(c, o.json);
    c.callback([&] { action = [&] { return gallery(o); }; });
}

void add_lists(CLI::App& app, Action& action, bool& json) {
    CLI::App& list = *app.add_subcommand("scenes", "list the built-in scenes");
    add_json(list, json);
    list.callback([&] { action = [&] { return scenes(json); }; });
    CLI::App& schema_command = *app.add_subcommand("schema", "print the JSON Schema of scene files");
    add_json(schema_command, json);
    schema_command.callback([&] { action = [] { return schema(); }; });
}

/// The innermost command that the words so far have chosen.
const CLI::App& chosen(const CLI::App& app) {
    const auto inner = app.get_subcommands();
    return inner.empty() ? app : chosen(*inner.front());
}

/// Everything that may stand where `word` stands.
std::vector<std::string> known_words(const CLI::App& command, const std::string& word) {
    std::vector<std::string> known;
    if (word.starts_with("-")) {
        for (const CLI::Option* option : command.get_options()) {
            for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
        }
    } else {
        for (const CLI::App* inner : command.get_subcommands([](const CLI::App*) { return true; })) {
            known.push_back(inner->get_name());
        }
    }
    return known;
}

/// What is wrong with the words on the command line.
Error usage_error(const CLI::App& app, const CLI::ParseError& parse_error) {
    const CLI::App& command = chosen(app);
    std::string path = command.get_parent() ? command.get_name() : "";
    for (const CLI::App* up = command.get_parent(); up && up->get_parent(); up = up->get_parent()) {
        path = fmt::format("{} {}", up->get_name(), path);
    }
    const std::string help = fmt::format("see plush {}--help", path.empty() ? "" : path + " ");
    const std::vector<std::string> extra = app.remaining(true);
    if (extra.empty()) return Error({.file = path, .problem = parse_error.what(), .cure = help});
    const std::string& word = extra.front();
    const std::vector<std::string> words = known_words(command, word);
    const std::vector<std::string_view> views(words.begin(), words.end());
    const std::string hint = did_you_mean(word, views);
    const char* problem = word.starts_with("-") ? "there is no option \"{}\""
                          : words.empty()       ? "\"{}\" is one word too many"
                                                : "there is no command \"{}\"";
    return Error({.file = path,
                  .problem = fmt::format(fmt::runtime(problem), word),
                  .cure = hint.empty() ? help : hint});
}

int run_program(int argc, char** argv) {
    CLI::App app("Plush simulates rigid and soft bodies in frictional contact.", "plush");
    app.set_help_all_flag();
    bool show_version = false, json = false;
    RunOptions run_options;
    RenderOptions render_options;
    CheckOptions check_options;
    MeshMakeOptions make_options;
    MeshInfoOptions info_options;
    MeshRepairOptions repair_options;
    MeshTetOptions tet_options;
    MeshOverlapOptions overlap_options;
    ValidateOptions validate_options;
    BenchOptions bench_options;
    StudyOptions study_options;
    PlotOptions plot_options;
    GalleryOptions gallery_options;
    ViewOptions view_options;
    Action action;

    app.add_flag("--version", show_version, "print the version");
    add_json(app, json);
    add_run(app, action, run_options);
    add_render(app, action, render_options);
    add_plot(app, action, plot_options);
    add_check(app, action, check_options);
    CLI::App& mesh = *app.add_subcommand("mesh", "make, look at, repair, fill and overlap meshes");
    mesh.require_subcommand(1);
    add_mesh_make(mesh, action, make_options);
    add_mesh_info(mesh, action, info_options);
    add_mesh_repair(mesh, action, repair_options);
    add_mesh_tet(mesh, action, tet_options);
    add_mesh_overlap(mesh, action, overlap_options);
    add_validate(app, action, validate_options);
    add_bench(app, action, bench_options);
    add_study(app, action, study_options);
    add_gallery(app, action, gallery_options);
    add_view(app, action, view_options);
    add_lists(app, action, json);
    app.require_subcommand(0, 1);
    app.footer(std::string("Examples:\n"
                           "  plush scenes\n"
                           "  plush run bowl\n"
                           "  plush render out/bowl\n"
                           "  plush check my.json bear.obj\n"
                           "  plush COMMAND --help\n\n") +
               exit_statuses);

    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return print(app.help());
    } catch (const CLI::ParseError& error) {
        const bool wants_json = std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
        return report(usage_error(app, error), wants_json);
    }
    if (show_version) return version(json);
    if (!action) {
        say("a command is missing (see plush --help)");
        return unusable;
    }
    return action();
}

}  // namespace

}  // namespace plush::app

int main(int argc, char** argv) {
    using namespace plush::app;
    catch_signals();
    try {
        const bool json = std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
        const EndsAtOnce guard(argc > 1 ? fmt::format("plush {}", argv[1]) : "plush", json,
                               "give the command again");
        return run_program(argc, argv);
    } catch (const plush::Error& error) {
        say(error);
        return unusable;
    } catch (const plush::Stopped&) {
        say("stopped by a signal");
    } catch (const std::bad_alloc&) {
        say("there is not enough memory for this");
    } catch (const std::exception& error) {
        say(error.what());
    }
    return failed;
}
