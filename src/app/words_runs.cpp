#include "app/words.hpp"

#include <algorithm>

#include "plush/record/run.hpp"
#include "plush/render/render.hpp"

// The words of the commands that make and show runs.

namespace plush::app {
namespace {

/// The words of --record.
std::string record_text() {
    std::string text =
        "Words of --record, with .x, .y, .z or .size for one number of a vector. NAME is a body or all its "
        "copies,\n"
        "K a joint by its number from 0:\n";
    for (const RecordHelp& help : record_help())
        text +=
            fmt::format("  {:<24} {} ({})\n",
                        help.of.empty() ? std::string(help.word) : fmt::format("{}:{}", help.word, help.of),
                        help.text, help.unit);
    return text;
}

}  // namespace

void add_run(CLI::App& app, Action& action, RunOptions& o) {
    CLI::App& c = *app.add_subcommand("run", "simulate a scene and write a run folder");
    c.add_option("SCENE", o.scene, "a scene file, or the name of a built-in scene");
    c.add_option("--out", o.out, "the run folder (default: out/NAME)")->type_name("DIR");
    c.add_option("--variant", o.variant, "run this variant of the scene alone (default: all, side by side)")
        ->type_name("NAME");
    c.add_option("--duration", o.duration, "simulated seconds, from time 0 (default: the scene's)")
        ->type_name("S");
    c.add_option("--steps", o.steps, "steps, from time 0, instead of a duration")
        ->type_name("N")
        ->check(at_least_zero());
    c.add_option("--threads", o.threads, "0: all there are (default); the results do not depend on it")
        ->type_name("N")
        ->check(CLI::Validator(CLI::Range(0, 1024)).description(""));
    c.add_option("--set", o.set, "change a value of the scene, as in --set step=0.01; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    c.add_option("--record", o.record,
                 "more columns of metrics.csv, as in --record position:ball force:ball/floor (see below)")
        ->type_name("WORD");
    c.add_option("--record-every", o.record_every,
                 "simulated seconds between their values (default: every step)")
        ->type_name("S")
        ->check(at_least_zero());
    c.add_option(
         "--checkpoint-every", o.checkpoint_every,
         "simulated seconds between checkpoints (default: one every 30 s of real time, one at the end)")
        ->type_name("S")
        ->check(at_least_zero());
    c.add_option("--resume", o.resume, "go on with the run in this folder")->type_name("DIR");
    c.add_option("--verify", o.verify, "compare with this run and name the first step that differs")
        ->type_name("RUN");
    c.add_option("--save-world", o.save_world,
                 "save the world at the end, to be opened without its scene: plush run FILE, plush view "
                 "FILE, World::load")
        ->type_name("FILE");
    c.add_option("--replay-input", o.replay_input, "do again what plush view --save-input wrote")
        ->type_name("FILE");
    c.add_flag("--no-frames", o.no_frames, "do not write frames.plush");
    c.add_flag("--replace", o.replace, "start anew in a folder with an interrupted run");
    c.add_flag(
        "--strict", o.strict,
        "exit with status 1 where a solve did not converge, pixels were coarsened, tets inverted, ...");
    c.add_flag("--quiet", o.quiet, "say nothing unless something goes wrong");
    add_json(c, o.json);
    c.footer(std::string("Examples:\n") +
             "  plush run bowl                          a built-in scene, into out/bowl\n"
             "  plush run my.json --duration 2 --set solver.iterations=50\n"
             "  plush run --resume out/bowl             after Ctrl-C, a crash or a full disk\n"
             "  plush run --resume out/bowl --steps 900 a finished run, made longer\n"
             "  plush run --verify out/bowl             is it the same, bit for bit, here and now?\n"
             "  plush run methods                       a scene with variants: each into out/methods/NAME\n"
             "  plush run methods --variant impulse     one of them\n"
             "  plush run incline --record position:upper force:upper/slope && plush plot out/incline\n" +
             record_text() + "Ctrl-C ends a run with a checkpoint to go on from, and exit status 1.");
    c.callback([&] { action = [&] { return run(o); }; });
}

void add_render(CLI::App& app, Action& action, RenderOptions& o) {
    CLI::App& c = *app.add_subcommand("render", "draw pictures or a film of a run");
    c.add_option("RUN", o.run, "a run folder, or one of variants, which are drawn side by side")->required();
    c.add_option("-o,--out", o.out,
                 "a .png, a .mp4, or a folder (default: RUN/picture.png, RUN/pictures, RUN/film.mp4)")
        ->type_name("FILE");
    c.add_option("--frame", o.frame, "which one, from 0; -1 is the last (default)")->type_name("K");
    c.add_option("--time", o.time, "the frame at this simulated time, in seconds, instead of --frame")
        ->type_name("S")
        ->check(at_least_zero());
    c.add_option("--every", o.every, "one of so many frames: pictures, and a film where ffmpeg is present")
        ->type_name("N");
    c.add_option("--turntable", o.turntable, "go once round one frame, in so many pictures (default: 120)")
        ->type_name("N")
        ->expected(0, 1)
        ->default_str("120");
    c.add_option("--size", o.size, "of the picture, in pixels (default: 960x600; variants: 640x480 each)")
        ->type_name("WxH");
    c.add_option(
         "--camera", o.camera,
         "\"POSITION;TARGET;FOV\" as in \"2,1.5,3; 0,0.5,0; 35\", parts may be empty; or front, back,\n"
         "left, right, top (default: finds its place by itself)")
        ->type_name("C");
    c.add_option("--follow", o.follow, "the camera goes with this body")->type_name("NAME");
    c.add_option("--orbit", o.orbit, "the camera goes round, so many degrees in a second of simulated time")
        ->type_name("DEG")
        ->check(within(36000));
    c.add_option("--mode", o.mode, "what is drawn, see below (default: surface)")->type_name("M");
    c.add_option("--quality", o.quality, "draft, normal (default) or high")->type_name("Q");
    c.add_option("--fps", o.fps, "of a film (default: so that it runs as fast as the simulation's time)")
        ->type_name("F")
        ->check(CLI::Validator(CLI::Range(0.1, 1000.0)).description(""));
    c.add_option("--threads", o.threads, "0: all there are (default); the pictures do not depend on it")
        ->type_name("N")
        ->check(CLI::Validator(CLI::Range(0, 1024)).description(""));
    c.add_flag("--no-labels", o.no_labels, "no words in the pictures");
    c.add_flag("--quiet", o.quiet, "say nothing unless something goes wrong");
    add_json(c, o.json);
    std::string modes = "Modes:\n";
    for (const render::RenderWord& mode : render::render_mode_choices())
        modes += fmt::format("  {:<12} {}\n", mode.word, mode.text);
    c.footer(modes +
             "Examples:\n"
             "  plush render out/bowl                   the last frame, as out/bowl/picture.png\n"
             "  plush render out/bowl -o bowl.mp4       a film of all frames\n"
             "  plush render out/bowl --mode contacts --frame 60 --size 1920x1200");
    c.callback([&] { action = [&] { return render(o); }; });
}

void add_plot(CLI::App& app, Action& action, PlotOptions& o) {
    CLI::App& c = *app.add_subcommand("plot", "draw columns of a run's metrics.csv over time");
    c.add_option("RUN", o.run, "a run folder, or one of variants, which are drawn in the same plots")
        ->required();
    c.add_option(
        "COLUMN", o.columns,
        "names of columns, or their beginnings, as in position:ball (default: those that were recorded, or "
        "else the energies)");
    c.add_option("-o,--out", o.out, "a .html, or a .svg for a single plot (default: RUN/plot.html)")
        ->type_name("FILE");
    c.add_option("--from", o.from, "from this time on, s")->type_name("S")->check(within(1e12));
    c.add_option("--to", o.to, "until this time, s")->type_name("S")->check(within(1e12));
    c.add_flag("--quiet", o.quiet, "say nothing unless something goes wrong");
    add_json(c, o.json);
    c.footer(
        "Examples:\n"
        "  plush plot out/bowl                          energies, as out/bowl/plot.html\n"
        "  plush plot out/bowl solve detect -o ms.html  seconds of two phases of each step\n"
        "  plush plot out/incline position.y -o y.svg   every recorded column that begins so");
    c.callback([&] { action = [&] { return plot(o); }; });
}

}  // namespace plush::app
