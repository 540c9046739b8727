#include "view/live_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "plush/core/log.hpp"
#include "view/saved_state.hpp"
#include "world/reading.hpp"

namespace plush::view {

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t max_metrics = 4096;  // steps
constexpr std::array<const char*, 17> metric_names{
    "step",     "time",     "contacts",   "residual",     "largest_depth", "kinetic",
    "gravity",  "elastic",  "awake",      "iterations",   "ms_predict",    "ms_detect",
    "ms_model", "ms_solve", "ms_correct", "ms_stabilise", "wall_ms"};

std::string hash_text(std::uint64_t hash) {
    return fmt::format("{:016x}", hash);
}

}  // namespace

LiveWorld::LiveWorld(Scene scene, int threads, std::filesystem::path record, std::string label)
    : scene_(std::move(scene)),
      name_(scene_->name()),
      label_(std::move(label)),
      threads_(threads),
      record_file_(std::move(record)) {
    own_ = std::make_unique<World>(scene_->build(threads_));
    begin();
}

LiveWorld::LiveWorld(const SavedState& state, int threads) : threads_(threads) {
    SceneLoad load = Scene::try_parse(state.scene, std::filesystem::current_path(), state.scene_name);
    if (!load.scene) throw load.errors.front();
    scene_ = std::move(load.scene), name_ = state.scene_name;
    own_ = std::make_unique<World>(scene_->build(threads_));
    const Json actions = Json::parse(state.actions);
    for (const Json& drop : actions.at("drops"))
        actions_.apply(*own_, read_command(drop, "drop").value()).value();
    own_->restore(state.world);
    actions_.read_json(actions);
    begin();
}

LiveWorld::LiveWorld(World& world, std::string name) : name_(std::move(name)), world_(&world) {
    start_ = world.snapshot();
    begin();
}

LiveWorld::~LiveWorld() {
    // The world of a user lives on, and its logger would keep this object's warnings alive: it may.
}

void LiveWorld::begin() {
    if (own_) world_ = own_.get();
    warnings_->clear(), metrics_.clear(), step_hash_.reset(), ++changes_;
    if (own_) {
        // From any of the world's threads.
        world_->set_logger(Logger([w = warnings_](LogLevel, std::string_view message) { w->log(message); }));
    }
    record_.begin(record_file_, scene_ ? &*scene_ : nullptr, world_->steps()).value();
    picture_.restart(scene_meta());
}

Json LiveWorld::scene_meta() const {
    Json metrics = Json::array();
    for (const char* name : metric_names) metrics.push_back(name);
    Json meta{{"name", name_},
              {"description", ""},
              {"duration", nullptr},
              {"camera", nullptr},
              {"metrics", metrics}};
    if (!scene_) return meta;
    meta["description"] = scene_->description(), meta["duration"] = scene_->duration();
    const auto optional = [](const std::optional<Vec3>& v) { return v ? view::to_json(*v) : Json(nullptr); };
    if (const auto& camera = scene_->picture().camera)
        meta["camera"] = {{"position", optional(camera->position)},
                          {"target", optional(camera->target)},
                          {"fov", camera->fov}};
    return meta;
}

Result<Json> LiveWorld::apply(const Command& command) {
    if (reach_of(command.verb) == Reach::world) {
        // A replay ends with its last step: what is done after it must not count.
        if (!step_hash_) step_hash_ = world_->state_hash();
        record_.add(world_->steps(), command);
        ++changes_;
    }
    return actions_.apply(*world_, command);
}

Result<bool> LiveWorld::advance(std::size_t) {
    const auto start = Clock::now();
    try {
        world_->step();
    } catch (const Error& error) {
        return error;
    }
    stepped(std::chrono::duration<double>(Clock::now() - start).count());
    return true;
}

void LiveWorld::stepped(double seconds) {
    wall_ms_ = 1e3 * seconds;
    step_hash_.reset();
    ++changes_;
    actions_.forget_removed(*world_);
    warnings_->after_step(*world_);
    add_metrics();
}

void LiveWorld::add_metrics() {
    const StepReport& r = world_->report();
    const Energy energy = world_->settings().ledger ? r.energy : world_->energy();
    std::vector<double> row{static_cast<double>(world_->steps()),
                            world_->time(),
                            static_cast<double>(r.contacts),
                            r.residual,
                            r.largest_depth,
                            energy.kinetic,
                            energy.gravity,
                            energy.elastic,
                            static_cast<double>(r.awake),
                            static_cast<double>(r.iterations)};
    for (const double s : r.times.seconds) row.push_back(1e3 * s);
    row.push_back(wall_ms_);
    metrics_.push_back(std::move(row));
    if (metrics_.size() > max_metrics) metrics_.pop_front();
}

Result<void> LiveWorld::to_start() {
    try {
        if (own_) {
            *own_ = scene_->build(threads_);
        } else {
            const auto bodies = world_->bodies();
            const std::size_t own = bodies.size() - std::min(bodies.size(), actions_.drops().size());
            for (std::size_t i = own; i < bodies.size(); ++i) world_->remove(bodies[i]);
            world_->restore(start_);
        }
        actions_ = {};
        begin();
    } catch (const Error& error) {
        return error;
    }
    return {};
}

void LiveWorld::release_all() {
    for (const Command& command : actions_.release_all(0)) static_cast<void>(apply(command));
}

std::shared_ptr<const Picture> LiveWorld::picture(std::uint32_t layers) {
    return picture_.take(*world_, actions_, layers, wall_ms_);
}

std::vector<std::string_view> LiveWorld::layers() const {
    std::vector<std::string_view> words;
    for (const LayerWord& layer : layer_choices()) words.push_back(layer.word);
    return words;
}

Json LiveWorld::settings_state() const {
    const WorldSettings& s = world_->settings();
    std::string_view method;
    for (const Choice& choice : contact_method_choices())
        if (choice.value == static_cast<int>(s.contact.method)) method = choice.word;
    return {{"step", s.step},
            {"gravity", view::to_json(s.gravity)},
            {"method", method},
            {"cells", s.contact.volume.cells_across},
            {"threads", s.threads}};
}

Json LiveWorld::state(bool playing) {
    Json bodies = Json::array(), drags = Json::array(), pins = Json::array();
    const auto list = world_->bodies();
    const auto optional = [](const std::optional<double>& v) { return v ? Json(*v) : Json(nullptr); };
    for (std::size_t i = 0; i < list.size(); ++i) {
        const BodyReading s = read_body(*world_, list[i]);
        bodies.push_back({{"index", i},
                          {"friction", s.friction},
                          {"damping", optional(s.damping)},
                          {"young", optional(s.young)}});
    }
    for (const auto& h : actions_.drags())
        drags.push_back({{"drag", h.number}, {"body", index_of(*world_, h.body)}});
    for (const auto& h : actions_.pins())
        pins.push_back({{"pin", h.number}, {"body", index_of(*world_, h.body)}});
    Json state{{"name", name_},
               {"label", label_.empty() ? name_ : label_},
               {"step", world_->steps()},
               {"time", world_->time()},
               {"layers", layers()},
               {"settings", settings_state()},
               {"bodies", bodies},
               {"drags", drags},
               {"pins", pins},
               {"duration", scene_ ? Json(scene_->duration()) : Json(nullptr)},
               {"warnings", warnings_->to_json()}};
    if (!playing && (!hash_ || hash_->first != changes_))
        hash_.emplace(changes_, hash_text(world_->state_hash()));
    state["hash"] = playing ? Json(nullptr) : Json(hash_->second);
    return state;
}

Json LiveWorld::metrics() const {
    Json columns = Json::object(), names = Json::array();
    for (std::size_t k = 0; k < metric_names.size(); ++k) {
        Json column = Json::array();
        for (const auto& row : metrics_) column.push_back(row[k]);
        columns[metric_names[k]] = std::move(column);
        names.push_back(metric_names[k]);
    }
    return {{"names", names}, {"columns", columns}};
}

Result<std::vector<std::byte>> LiveWorld::saved() const {
    if (!scene_)
        return Error({.problem = "a world of a program of its own has no scene to be saved with",
                      .cure = "save World::snapshot() in that program"});
    return to_bytes({.scene_name = scene_->name(),
                     .scene = scene_->resolved(),
                     .actions = actions_.to_json().dump(),
                     .world = world_->snapshot()});
}

Result<std::string> LiveWorld::input() const {
    return record_.text(world_->steps(), step_hash_ ? *step_hash_ : world_->state_hash());
}

void LiveWorld::close() {
    record_.end(world_->steps(), step_hash_ ? *step_hash_ : world_->state_hash());
}

}  // namespace plush::view
