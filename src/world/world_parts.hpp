#pragma once

#include "world/body_actions.hpp"
#include "world/body_factory.hpp"
#include "world/bounces.hpp"
#include "world/cutting.hpp"
#include "world/drags.hpp"
#include "world/energy_account.hpp"
#include "world/force_readings.hpp"
#include "world/impacts.hpp"
#include "world/position_phase.hpp"
#include "world/query_surfaces.hpp"
#include "world/recovery.hpp"

// The parts of a world, and the step over them. Each part has its own state, which the next step reads and snapshots hold (state.cpp); all else that it
// keeps is a cache, and is dropped whenever the state changes from outside.

namespace plush {

class RecipeArchive;

struct WorldParts {
    explicit WorldParts(const WorldSettings& wanted);
    WorldParts(const WorldParts&) = delete;  // parts refer to each other
    WorldParts& operator=(const WorldParts&) = delete;

    /// Throws where the world has no use for it.
    void check_added(BodyRecord& record) const;
    void scale_surface(const BodyRecord& record) const;
    BodyId add(BodyRecord record);
    void remove(BodyId body);

    // step.cpp: the phases
    /// `before`: called first, from this thread. What it throws comes out of here, with the state as it was.
    void step(const std::function<void()>& before = {});
    void take_step(const std::function<void()>& before);
    void detect(const StepContext& step);
    void predict(const StepContext& step);
    void meet(const StepContext& step);
    void detect_speculative(const StepContext& step);
    bool refine_speculative(const StepContext& step);
    void add_nodes(const StepContext& step);
    void add_rows(const StepContext& step);
    void solve(const StepContext& step);
    void finish_solve(const StepContext& step);
    void correct(const StepContext& step);
    void move_attached_vertices(const StepContext& step);

    // step_checks.cpp: what a step does not go on with, and what it tells of
    enum class Checked { start, prediction, end };
    void check_bodies(const StepContext& step, Checked when) const;
    /// Whether a body can be stopped for good without anything that hangs on it.
    bool may_freeze(std::uint32_t body) const;
    void freeze(std::uint32_t body);
    void count_inverted_tets(const StepContext& step) const;
    void warn_fast_bodies(const StepContext& step);
    void warn_limited_friction(const StepContext& step);

    /// All bodies, joints and state of another world, into one that is empty (world_changes.cpp).
    void copy_from(WorldParts& other);
    /// All bodies, joints and state of a file, into a world that is empty (world_file.cpp). Throws an Error.
    void read_file(StateReader& reader, RecipeArchive& archive);
    /// A body of a copy or a file, made again with all checks of adding one.
    void put_again(std::uint32_t index, std::shared_ptr<const BodyRecipe> recipe, std::uint64_t order,
                   const Look& look);

    // state.cpp
    void visit_state(StateVisitor& v);
    /// Writes over `reused`, whose memory it keeps.
    std::vector<std::byte> snapshot(std::vector<std::byte> reused = {});
    Result<void> restore(std::span<const std::byte> bytes);
    /// Restores what World::snapshot() gave. Throws an Error.
    void restore_snapshot(std::span<const std::byte> snapshot);

    WorldSettings settings;
    Parallel parallel;
    Logger logger{};
    struct Clock {
        double time = 0;  ///< s
        std::int64_t steps = 0;
        // Since the step was changed: time = start + (steps − first_step) h, without a sum's rounding.
        double start = 0;
        std::int64_t first_step = 0;
    } clock{};

    BodyStore bodies{};
    Attachments attachments{bodies};
    PairRules rules{settings, bodies, attachments};
    JointStore joints{settings, bodies, rules, attachments};
    ContactModels contact{settings, bodies, rules, attachments};
    DeformableMotion deformables{bodies, attachments, contact.vertices};
    ConstraintSystem system{settings, bodies, attachments, contact.expected};
    Drags drags{settings, bodies, system};
    JointRows joint_rows{bodies, joints, system};
    PositionPhase position_phase{bodies, system, joints, joint_rows, contact.surfaces, contact};
    Bounces bounces{bodies, system};
    Recovery recovery{bodies, system};
    EnergyAccount account{settings, bodies, attachments, system, joint_rows, contact};
    ContactEvents events{};
    Impacts impacts{settings, bodies, rules, joints, attachments, drags, contact.surfaces, events};
    Sleep sleep{settings, bodies, rules, joints, attachments, deformables, contact.surfaces, events, contact};
    Cutting cutting{settings,         bodies, rules,           attachments, contact.surfaces,
                    contact.expected, system, contact.volumes, sleep};
    ForceReadings forces{bodies, joints};
    BodyFactory factory{settings, parallel, contact.tets};
    QuerySurfaces queries{bodies};
    BodyActions actions{bodies, attachments, joints, rules, sleep, queries};

    bool settings_sound = true;                  ///< whether settings that were restored made sense
    std::vector<Wrench> blade_wrenches() const;  ///< of each body

    // What the last step leaves to read.
    StepReport report{};
    std::vector<Contact> contacts{};
    /// Memory of the last step's snapshot: to give it back and ask for it again costs much of a step.
    std::vector<std::byte> spare_snapshot{};
};

}  // namespace plush
