#include "plush/geometry/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/commands.hpp"
#include "app/output.hpp"
#include "contact/volume/volume_contact.hpp"
#include "geometry/tets/tet_file.hpp"
#include "plush/scene/scene.hpp"
#include "record/findings.hpp"
#include "scene/advice.hpp"
#include "scene/start_overlaps.hpp"
#include "world/world_file.hpp"

namespace plush::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr double large_mesh = 20;  // m, of one body

struct Problem {
    std::string where, what, cure;
    bool fatal = true;
};

/// The result for one file.
struct Verdict {
    std::string file, kind;
    bool readable = true, usable = true;
    std::optional<bool> closed{};  // of meshes
    std::vector<Problem> problems{};
    std::vector<std::string> variants{};    // of scenes
    std::vector<std::string> built{};       // the variants that could be built, in the order of the next two
    std::vector<StartOverlaps> overlaps{};  // of scenes, one for each of them
    std::vector<std::vector<PairAdvice>> pairs{};
};

std::string read_text(const fs::path& file) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return {};  // a pipe would wait for its other end
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

/// By its ending where that tells, by its first letter else: scenes start with { or a comment. A name without
/// a file is that of a built-in scene.
bool is_scene(const fs::path& file) {
    const std::string ending = file.extension().string();
    if (ending == ".json" || ending == ".jsonc") return true;
    for (const char* mesh : {".obj", ".off", ".ply", ".stl", ".msh", ".mesh"}) {
        if (ending == mesh) return false;
    }
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return !fs::exists(file, ignored);
    if (is_world_file(file)) return true;  // a scene with nothing else
    std::ifstream stream(file);
    char first = 0;
    stream >> first;
    return first == '{' || first == '/';
}

Problem to_problem(const Error& error, bool fatal, const std::string& file) {
    std::string where = error.place();
    // A scene's mesh is another file than the one that is being checked.
    if (!error.file().empty() && error.file() != file)
        where = error.file() + (where.empty() ? "" : ": " + where);
    return {where, error.problem(), error.cure(), fatal};
}

/// Bodies that have tets and begin in one another.
std::vector<Error> overlaps_at_start(const World& world) {
    constexpr std::size_t told = 3;  // the others are counted
    const auto overlaps = world.overlapping_tets();
    std::vector<Error> out;
    const auto called = [&](BodyId id) {
        return world.name(id).empty() ? fmt::format("body {}", id.index)
                                      : fmt::format("\"{}\"", world.name(id));
    };
    const ContactSettings& contact = world.settings().contact;
    const char* cure =
        soft_bodies_touch_by_volume(contact) ? "none is needed: volume contact parts them in the first steps"
        : contact.tets.method == TetContactMethod::none
            ? "move them apart; they do not touch one another unless contact.method is volume or "
              "contact.tets.method says how"
            : "move them apart, or leave it to contact.tets to part them";
    for (std::size_t k = 0; k < std::min(told, overlaps.size()); ++k)
        out.push_back(
            Error({.place = "bodies",
                   .problem = fmt::format("{} and {} overlap at the start, in {} pairs of tets",
                                          called(overlaps[k].a), called(overlaps[k].b), overlaps[k].pairs),
                   .cure = cure}));
    if (overlaps.size() > told)
        out.push_back(Error(
            {.place = "bodies",
             .problem = fmt::format("{} more pairs of bodies overlap at the start", overlaps.size() - told),
             .cure = cure}));
    return out;
}

void add_once(std::vector<Error>& errors, const Error& error) {
    const auto same = [&](const Error& other) { return std::string_view(other.what()) == error.what(); };
    if (std::none_of(errors.begin(), errors.end(), same)) errors.push_back(error);
}

Verdict check_scene(const std::string& file) {
    Verdict verdict{.file = file, .kind = "scene"};
    VariantsLoad load = try_load_variants(file);
    std::size_t failed_ones = 0;
    for (const Scene& scene : load.scenes) {
        try {
            World world = scene.build(1);
            // Where tets touch it is they that overlap; else surfaces, which are listed below.
            if (world.settings().contact.tets.method != TetContactMethod::none)
                for (const Error& overlap : overlaps_at_start(world)) load.warnings.push_back(overlap);
            for (const Error& advice : run_advice(world, body_places(scene))) add_once(load.warnings, advice);
            verdict.overlaps.push_back(start_overlaps(world));
            verdict.pairs.push_back(pair_advice(world));
            const FirstStep first = try_first_step(world);
            if (first.refused) add_once(load.errors, *first.refused);
            for (const Error& warning : first.warnings) add_once(load.warnings, warning);
            if (!load.usable.empty())
                verdict.built.push_back(load.usable[verdict.built.size() + failed_ones].name);
        } catch (const Error& error) {
            load.errors.push_back(error);
            ++failed_ones;
        }
    }
    for (const SceneVariant& variant : load.variants) verdict.variants.push_back(variant.name);
    for (const Error& error : load.errors) verdict.problems.push_back(to_problem(error, true, file));
    for (const Error& warning : load.warnings) verdict.problems.push_back(to_problem(warning, false, file));
    verdict.usable = load.errors.empty();
    if (!verdict.usable) {
        std::error_code ignored;
        const bool named = !fs::exists(file, ignored);
        const auto known = builtin_scenes();
        const bool builtin =
            named && std::any_of(known.begin(), known.end(), [&](const auto& s) { return s.name == file; });
        verdict.readable =
            builtin || (!named && nlohmann::json::accept(read_text(file), /*ignore_comments=*/true));
    }
    return verdict;
}

Verdict check_mesh(const std::string& file) {
    Verdict verdict{.file = file, .kind = "mesh"};
    const auto mesh = Mesh::try_load(file);
    if (!mesh) {
        verdict.readable = verdict.usable = false;
        verdict.problems.push_back(to_problem(mesh.error(), true, file));
        return verdict;
    }
    const MeshReport report = plush::check(mesh.value());
    verdict.closed = report.closed;
    if (const double size = max_component(report.bounds.size()); size > large_mesh)
        verdict.problems.push_back({"mesh", fmt::format("it is {:.4g} m long: are these millimetres?", size),
                                    "a scene reads it with \"import\": { \"unit\": \"mm\" }", false});
    const auto tets = load_tet_file(file);
    if (!tets) {
        verdict.usable = false;
        verdict.problems.push_back(to_problem(tets.error(), true, file));
        return verdict;
    }
    // Of tets the outer faces need not be a surface: a cage may meet itself at an edge.
    const bool solid = !tets.value().mesh.tets().empty();
    verdict.usable = solid || report.usable();
    if (tets.value().turned > 0)
        verdict.problems.push_back({"tets", fmt::format("{} are inverted", tets.value().turned),
                                    "they are turned when the file is read", false});
    for (const auto& p : report.problems)
        verdict.problems.push_back(
            {solid ? "outer faces: " + p.where : p.where, p.what, p.cure, p.fatal && !solid});
    return verdict;
}

/// The variant's name where there are several.
std::string variant_of(const Verdict& verdict, std::size_t scene) {
    return scene < verdict.built.size() ? verdict.built[scene] : std::string();
}

Json overlaps_json(const Verdict& verdict) {
    Json list = Json::array();
    for (std::size_t s = 0; s < verdict.overlaps.size(); ++s)
        for (const BodyOverlap& o : verdict.overlaps[s].pairs) {
            Json json{{"a", o.a},
                      {"b", o.b},
                      {"volume", o.volume},
                      {"mean_depth", o.mean_depth},
                      {"largest_depth", o.largest_depth},
                      {"centre", {o.centre.x, o.centre.y, o.centre.z}},
                      {"parts", o.parts}};
            if (!variant_of(verdict, s).empty()) json["variant"] = variant_of(verdict, s);
            list.push_back(std::move(json));
        }
    return list;
}

Json pairs_json(const Verdict& verdict) {
    Json list = Json::array();
    for (std::size_t s = 0; s < verdict.pairs.size(); ++s)
        for (const PairAdvice& p : verdict.pairs[s]) {
            Json json{{"a", p.a}, {"b", p.b}, {"pairs", p.pairs}, {"how", p.how}, {"touch", p.touch}};
            if (!variant_of(verdict, s).empty()) json["variant"] = variant_of(verdict, s);
            list.push_back(std::move(json));
        }
    return list;
}

/// How the bodies touch, as a table.
std::string pairs_text(const Verdict& verdict) {
    std::string text;
    for (std::size_t s = 0; s < verdict.pairs.size(); ++s) {
        const auto& pairs = verdict.pairs[s];
        if (pairs.empty()) continue;
        const std::string variant = variant_of(verdict, s);
        std::size_t width = 0;
        for (const PairAdvice& p : pairs) width = std::max({width, p.a.size(), p.b.size()});
        text += fmt::format("  who touches whom{}, and how:\n", variant.empty() ? "" : " in " + variant);
        for (const PairAdvice& p : pairs)
            text += fmt::format("    {:<{}}  {:<{}}  {:>8} pair{}  {}\n", p.a, width, p.b, width, p.pairs,
                                p.pairs == 1 ? " " : "s", p.how);
    }
    return text;
}

std::string overlaps_text(const Verdict& verdict) {
    constexpr std::size_t max_lines = 10;
    std::string text;
    for (std::size_t s = 0; s < verdict.overlaps.size(); ++s) {
        const auto& pairs = verdict.overlaps[s].pairs;
        if (pairs.empty()) continue;
        const std::string variant = variant_of(verdict, s);
        text += fmt::format("  {} pair{} of bodies overlap{} at the start{}:\n", pairs.size(),
                            pairs.size() == 1 ? "" : "s", pairs.size() == 1 ? "s" : "",
                            variant.empty() ? "" : " of " + variant);
        for (std::size_t i = 0; i < std::min(pairs.size(), max_lines); ++i)
            text += fmt::format("    {} and {}: {:.4g} m^3, {:.3g} m deep (mean {:.3g} m)\n", pairs[i].a,
                                pairs[i].b, pairs[i].volume, pairs[i].largest_depth, pairs[i].mean_depth);
        if (pairs.size() > max_lines)
            text += fmt::format("    and {} more (--json has them all)\n", pairs.size() - max_lines);
        if (verdict.overlaps[s].left_out > 0)
            text +=
                fmt::format("    {} pairs of near bodies were not queried\n", verdict.overlaps[s].left_out);
    }
    return text;
}

Json to_json(const Verdict& verdict) {
    Json problems = Json::array();
    for (const Problem& p : verdict.problems) {
        problems.push_back({{"where", p.where}, {"what", p.what}, {"cure", p.cure}, {"fatal", p.fatal}});
    }
    Json json{{"file", verdict.file},     {"kind", verdict.kind}, {"readable", verdict.readable},
              {"usable", verdict.usable}, {"closed", nullptr},    {"problems", problems}};
    if (verdict.closed) json["closed"] = *verdict.closed;
    if (!verdict.variants.empty()) json["variants"] = verdict.variants;
    if (verdict.kind == "scene")
        json["overlaps"] = overlaps_json(verdict), json["pairs"] = pairs_json(verdict);
    return json;
}

std::string to_text(const Verdict& verdict, bool verbose) {
    const char* word = verdict.usable ? "usable" : verdict.readable ? "NOT usable" : "NOT readable";
    std::string text = fmt::format("{}: {}, {}{}\n", verdict.file, verdict.kind, word,
                                   verdict.closed.value_or(true) ? "" : ", not closed");
    if (!verdict.variants.empty())
        text += fmt::format("  with its variants: {}\n", fmt::join(verdict.variants, ", "));
    for (const Problem& p : verdict.problems) {
        text += fmt::format("  {}{}{}{}\n", p.fatal ? "" : "warning: ", p.where, p.where.empty() ? "" : ": ",
                            p.what);
        if (!p.cure.empty()) text += fmt::format("    fix: {}\n", p.cure);
    }
    return text + overlaps_text(verdict) + (verbose ? pairs_text(verdict) : "");
}

}  // namespace

int check(const CheckOptions& options) {
    Json files = Json::array();
    std::string text;
    int status = done;
    for (const std::string& file : options.files) {
        const Verdict verdict = is_scene(file) ? check_scene(file) : check_mesh(file);
        status = std::max<int>(status, verdict.usable ? done : verdict.readable ? failed : unusable);
        files.push_back(to_json(verdict));
        text += to_text(verdict, options.verbose);
    }
    if (options.json) return print_json({{"usable", status == done}, {"files", files}}, status);
    return print(text, status);
}

}  // namespace plush::app
