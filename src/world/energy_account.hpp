#pragma once

#include "world/contact_models.hpp"
#include "world/joint_rows.hpp"

// The books of a step: energy and momentum, and what changed them. Each entry is computed where it arises: rows here, from
// the impulses of the solver; free motion by the bodies (Body::step_work); contacts without rows by their models
// (ContactModel::account). docs/methods.md, "Ledger of energy".

namespace plush {

class EnergyAccount {
public:
    EnergyAccount(const WorldSettings& settings, BodyStore& bodies, const Attachments& attachments,
                  const ConstraintSystem& system, const JointRows& joints, ContactModels& models)
        : settings_(settings),
          bodies_(bodies),
          attachments_(attachments),
          system_(system),
          joints_(joints),
          models_(models) {}

    void begin_step();
    /// Deformable bodies have moved freely, and nothing has pushed them since.
    void after_prediction();
    /// The velocity solve is done; nothing is corrected yet.
    void after_solve(const StepContext& step);
    /// Positions and velocities are those of the end of the step, but for the position phase.
    void after_correct(const StepContext& step);
    /// Bodies that bounced were moved to where the bounce takes them.
    void after_bounces(const StepContext& step);
    void after_position_phase(const StepContext& step);
    /// Energy of motion that is taken away when bodies fall asleep is an entry too.
    void end_step(const StepContext& step);

    /// Another state was restored.
    void forget() { of_body_ = {}; }
    void forget_body(std::uint32_t body) { of_body_.reset(body); }

private:
    struct BodyBooks {
        double elastic = 0, fields = 0;          ///< energy, J; of all, and of contact fields alone
        std::optional<std::uint64_t> version{};  ///< of the body at that time
        double own = 0;                          ///< energy when the step began, J
        double rows = 0;                         ///< work of the solver on it in this step, J
        double drags = 0;                        ///< of which drags have so much more, J
        std::vector<Vec3> predicted{};
    };
    double elastic_energy(std::uint32_t body);
    double potential_energy();
    double kinetic_energy() const;
    Momentum momentum() const;
    void account_rows(const StepContext& step);
    double rest_of_drag(const Block& block);
    void account_momentum(const StepContext& step);
    void account_deformable(const StepContext& step, std::uint32_t body);
    double pushed_work(std::uint32_t body) const;

    const WorldSettings& settings_;
    BodyStore& bodies_;
    const Attachments& attachments_;
    const ConstraintSystem& system_;
    const JointRows& joints_;
    ContactModels& models_;
    ByBody<BodyBooks> of_body_;
    double before_ = 0;     ///< total energy when the step began, J
    double potential_ = 0;  ///< before the position phase, J
    double kinetic_ = 0;    ///< before the position phase
    Momentum start_{}, corrected_{};
};

}  // namespace plush
