#pragma once

#include "plush/record/frames.hpp"
#include "view/recorded_motion.hpp"
#include "view/shown_world.hpp"

namespace plush::view {

/// A run folder that is played back.
class RecordedRun final : public ShownWorld {
public:
    static Result<std::unique_ptr<RecordedRun>> open(const std::filesystem::path& folder, std::string label);

    Result<nlohmann::json> apply(const Command& command) override;
    Result<bool> advance(std::size_t frames) override;
    long long step() const override { return frame_.step; }
    double time() const override { return frame_.time; }
    double interval() const override { return 1 / rate_; }
    Result<void> to_start() override;
    void seek(std::size_t frame) override;
    std::shared_ptr<const Picture> picture(std::uint32_t layers) override;
    nlohmann::json state(bool playing) override;
    std::vector<std::string_view> layers() const override { return {"contacts", "velocity", "penetration"}; }
    nlohmann::json metrics() const override;
    Result<std::vector<std::byte>> saved() const override;
    Result<std::string> input() const override;
    std::size_t frames() const { return reader_.frames(); }

private:
    RecordedRun(FrameReader reader, std::filesystem::path folder, std::string label);
    void restart();
    void update_surfaces();
    std::optional<RecordedMotion> motion();
    std::shared_ptr<const MeshPicture> mesh_of(std::size_t mesh, bool deformable) const;

    FrameReader reader_;
    std::filesystem::path folder_;
    std::string label_;
    double rate_ = 60;
    std::size_t at_ = 0;
    Frame frame_{},
        beside_{};  ///< `beside_`: the one before, or the second of the run; read where velocities are wanted
    Picture next_{};
    std::vector<FrameSurface> surfaces_{};  ///< that the page has, of bodies that are cut
    std::vector<std::uint32_t> own_mesh_{};
    std::string problem_{};
};

}  // namespace plush::view
