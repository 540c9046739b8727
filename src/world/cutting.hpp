#pragma once

#include "geometry/cutting/cut_skin.hpp"
#include "world/constraint_system.hpp"
#include "world/sleep.hpp"

// Blades and the bodies they cut. At the start of every step each blade is taken where it is, and what it has passed is
// divided (geometry/cutting/cut_solid.hpp); then the body is made again of what is left of it: tets, masses, elements,
// surface. The body stays one, with its name, its pins and its joints, whatever the number of its pieces: they touch one
// another as a body touches itself.
//
// What of a body has become of blades is state, as its cells and not as the way there. A snapshot of before a cut and one
// of after it can both be restored, into this world and into one that is built anew.

namespace plush {

/// What blades have made of a soft body, and where they are in it.
struct CutBody {
    CutSolid solid{};
    CutSkin skin{};                    ///< empty where the tets are the body
    std::vector<double> masses{};      ///< of its vertices, kg
    std::vector<CutStroke> strokes{};  ///< of the blades that are in it, by the blades' indices
    std::uint64_t cuts = 0;            ///< 0: nothing has changed yet
    /// Of each blade in it: fracture energy that its advance has still to pay, J.
    struct Owed {
        std::uint32_t blade = 0;
        double energy = 0;
    };
    std::vector<Owed> owed{};
};

class Cutting {
public:
    Cutting(const WorldSettings& settings, BodyStore& bodies, const PairRules& rules,
            Attachments& attachments, VolumeSurfaces& surfaces, ExpectedMotion& expected,
            ConstraintSystem& system, VolumeContacts& contacts, Sleep& sleep)
        : settings_(settings),
          bodies_(bodies),
          rules_(rules),
          attachments_(attachments),
          surfaces_(surfaces),
          expected_(expected),
          system_(system),
          contacts_(contacts),
          sleep_(sleep) {}

    /// A soft body was added, as it was made.
    void add_body(std::uint32_t body);
    void require_blade(const std::string& name, const Blade& blade) const;  ///< throws where it cannot be
    /// All scripted blades, at the start of a step.
    void apply_blades(double h);
    /// What cutting does to a blade in this step, about its origin.
    Wrench blade_wrench(std::uint32_t blade) const { return wrench_on_[blade]; }
    /// After correct(): the work of blades is that of scripts, and parting takes a part of it.
    void account(const StepContext& step) const;
    /// Other elastic constants for a body; pins, motion and plastic flow stay.
    void set_elastic(std::uint32_t body, const ElasticMaterial& elastic);
    /// By hand, in the world's frame; returns the number of pieces.
    std::size_t cut(BodyId body, const Blade& blade);
    std::size_t pieces(std::uint32_t body) const;
    std::uint64_t cuts(std::uint32_t body) const;
    /// Of its vertices before any cut.
    std::size_t whole_vertices(std::uint32_t body) const { return of_body_[body].whole_masses.size(); }

    void forget_body(std::uint32_t body);
    void visit_state(StateVisitor& v);
    /// Whether what was restored made sense.
    bool is_consistent() const { return consistent_; }
    void begin_restore() { consistent_ = true; }

private:
    struct Cuttable {
        std::vector<double> whole_masses{};  ///< of its vertices before any cut, kg
        std::size_t elements = 0;            ///< so many of its elements come from what it is made of
        std::unique_ptr<CutBody> cut{};
    };
    void cut(std::uint32_t body, const BladeSheet& sheet, std::uint32_t blade);
    void leave(std::uint32_t body, std::uint32_t blade);
    void remake(std::uint32_t body, const CutOutcome& from);
    void remake_skin(std::uint32_t body);
    void add_embedded_surface(std::uint32_t body, DeformableModel& model);
    void forget_old_surface(std::uint32_t body);
    void visit_body(StateVisitor& v, std::uint32_t body);
    // -- resistance (cutting_force.cpp)
    void owe(std::uint32_t body, std::uint32_t blade, double energy);
    void resist(double h);
    void rub(double h);
    void rub(std::uint32_t body, std::uint32_t blade, double h);
    /// Friction of the faces of a cut on a blade in this step.
    struct Rubbing {
        std::uint32_t body = 0, blade = 0;
        std::vector<std::pair<std::uint32_t, Vec3>> forces{};  ///< on vertices of the body, N
    };
    /// A blade's force on vertices of a body in this step.
    struct Resistance {
        std::uint32_t body = 0, blade = 0;
        std::vector<std::uint32_t> vertices{};
        Vec3 force{};       ///< on the body, shared by mass, N
        double energy = 0;  ///< that parting takes, J
    };

    const WorldSettings& settings_;
    BodyStore& bodies_;
    const PairRules& rules_;
    Attachments& attachments_;
    VolumeSurfaces& surfaces_;
    ExpectedMotion& expected_;
    ConstraintSystem& system_;
    VolumeContacts& contacts_;
    Sleep& sleep_;
    ByBody<Cuttable> of_body_;
    bool consistent_ = true;
    std::vector<Resistance> resistances_;  ///< of this step
    std::vector<Rubbing> rubbings_;        ///< the same
    ByBody<Wrench> wrench_on_;
};

}  // namespace plush
