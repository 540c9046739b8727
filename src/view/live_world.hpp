#pragma once

#include <deque>

#include "plush/scene/scene.hpp"
#include "view/input_record.hpp"
#include "view/shown_world.hpp"
#include "view/warnings.hpp"
#include "view/world_picture.hpp"

namespace plush::view {

struct SavedState;

/// A world that is simulated.
class LiveWorld final : public ShownWorld {
public:
    /// Of a scene. `record`: the file that commands are written to; empty: none. `label`: its name beside
    /// another world; empty: the scene's. Throws the Error of building it.
    LiveWorld(Scene scene, int threads, std::filesystem::path record, std::string label = {});
    LiveWorld(const SavedState& state, int threads);
    /// Of the user's own program, which outlives this.
    LiveWorld(World& world, std::string name);
    ~LiveWorld() override;

    Result<nlohmann::json> apply(const Command& command) override;
    Result<bool> advance(std::size_t frames) override;
    long long step() const override { return world_->steps(); }
    double time() const override { return world_->time(); }
    double interval() const override { return world_->settings().step; }
    Result<void> to_start() override;
    void release_all() override;
    void stepped(double seconds) override;
    std::shared_ptr<const Picture> picture(std::uint32_t layers) override;
    nlohmann::json state(bool playing) override;
    std::vector<std::string_view> layers() const override;
    nlohmann::json metrics() const override;
    Result<std::vector<std::byte>> saved() const override;
    Result<std::string> input() const override;
    std::size_t input_commands() const override { return record_.commands(); }
    void close() override;
    const World& world() const { return *world_; }

private:
    void begin();
    nlohmann::json scene_meta() const;
    nlohmann::json settings_state() const;
    void add_metrics();

    std::optional<Scene> scene_{};
    std::string name_, label_;  ///< `label_`: what tells it from the world beside it
    int threads_ = 0;
    std::filesystem::path record_file_{};
    std::unique_ptr<World> own_{};
    World* world_ = nullptr;
    std::vector<std::byte> start_{};  ///< of a world of the user: what reset() goes back to
    WorldActions actions_{};
    WorldPicture picture_{};
    InputRecord record_{};
    std::shared_ptr<Warnings> warnings_ = std::make_shared<Warnings>();
    std::deque<std::vector<double>> metrics_{};
    double wall_ms_ = 0;
    std::optional<std::pair<std::uint64_t, std::string>> hash_{};  ///< of the state while nothing changes
    std::optional<std::uint64_t> step_hash_{};  ///< after the last step, where commands came since
    std::uint64_t changes_ = 0;
};

}  // namespace plush::view
