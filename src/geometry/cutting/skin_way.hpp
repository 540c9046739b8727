#pragma once

#include <optional>

#include "geometry/cutting/cut_solid.hpp"

// The way of a blade through a part with a skin. It is laid when the blade has first passed a cell of the
// part: the whole section of the part with the sheet, its ends going on, as triangles, the *walls* of the cut
// to come. The skin gets edges along the outline of the section, and nothing else changes. From then on the
// blade opens the way bit by bit:
//
//       skin                        a cell of tets is divided once the blade has reached all of its *samples*:
//     ──o──o──o──o──o──o──          where the way crosses its edges, and the points of the walls in it, as far
//        \ |\ | /|           /      as they are inside of the skin.
//     ····o··o··o····  front        A point of the way is *free* in a cell that is divided. Walls at a free
//      /  | /| \ |                  point are open: there are two of each, back to back, one a side. A point
//     o───o──o───o   not opened     all of whose walls are open is doubled; others are the front, and single.
//
// So the surface is closed at every moment by construction, with the volume that it had, and both sides of a
// slit join at its front. The way is one surface in the material: it stays what it was when the body moves.
// Ahead of a blade that turns it is laid again (skin_turn.hpp).

namespace plush {

struct SkinVertex {
    std::uint32_t cell = 0;
    std::uint32_t spare = 0;         ///< no padding: the bytes are the state
    std::array<double, 4> weight{};  ///< of the corners of the cell's tet

    /// Takes a cell for the place p where p is deeper in it than `best`; returns how deep it is now.
    double look(const CutSolid& solid, std::span<const Vec3> x, std::uint32_t in, const Vec3& p, double best);
    Vec3 place(const CutSolid& solid, std::span<const Vec3> x) const;
};
template <>
inline constexpr bool is_plain_state<SkinVertex> = true;
template <>
inline constexpr bool is_plain_state<Triangle> = true;

/// Where a blade goes, seen from the material.
struct SkinHeading {
    Vec3 blade{}, body{};     ///< where the middles of both were, m
    Vec3 along{};             ///< along the sheet, of length 1; 0 where it is not known, or goes sideways
    std::uint64_t known = 0;  ///< whether there is a place to compare with
};
template <>
inline constexpr bool is_plain_state<SkinHeading> = true;

struct SkinWay {
    static constexpr std::uint32_t nobody = 0xfffffffeu;
    std::uint32_t blade = nobody;  ///< the one that is on it
    std::uint32_t bent = 0;
    CutStroke laid{};  ///< through the cells
    std::vector<std::int8_t>
        sides{};  ///< of vertices of the skin; 0: a single point of the way, or elsewhere

    struct Point {
        SkinVertex at{};
        int above = -1, below = -1;  ///< vertices of the skin; −1: none yet, the same: it is single
    };
    std::vector<Point> points{};
    std::vector<Triangle> walls{};       ///< of points
    std::vector<std::uint8_t> opened{};  ///< walls

    /// The points along one triangle of the skin, from its edge 0–1 to its edge 0–2. Where the way comes from
    /// what was laid before, the first of them may be its corner 1.
    struct Line {
        Triangle corners{};  ///< vertices of the skin
        std::vector<int> points{};
    };
    std::vector<Line> lines{};            ///< of triangles that can be made whole again
    std::vector<SkinVertex> samples{};    ///< `spare` is 1 where the blade has been
    std::vector<std::uint32_t> cells{};   ///< that it crosses, rising
    std::vector<std::uint8_t> divided{};  ///< of those
    double reach = 0;                     ///< m; a blade that is beside the way by more is not on it
    SkinHeading heading{};

    /// Marks samples where the blade is.
    void look(const CutSolid& solid, const CutSheet& sheet, std::span<const Vec3> x);
    /// Finds where the blade goes.
    void follow(const CutSolid& solid, const CutSheet& sheet, std::span<const Vec3> x);
    /// Of a way that was laid again: it goes where it went before.
    void stay(const CutSolid& solid, std::span<const Vec3> x) { heading.body = middle(solid, x); }
    Vec3 middle(const CutSolid& solid, std::span<const Vec3> x) const;  ///< of the samples
    struct Turned {
        double front;      ///< what is farther along the heading is ahead of the blade, m
        std::size_t wall;  ///< there, that the blade is not going to
    };
    /// Where the blade no longer goes along the way just ahead of it.
    std::optional<Turned> turned_away(const CutSolid& solid, const CutSheet& sheet,
                                      std::span<const Vec3> x) const;
    bool heads_along(const CutSheet& sheet) const;
    /// Whether the blade is going somewhere else altogether.
    bool lost(const CutSolid& solid, const CutSheet& sheet, std::span<const Vec3> x) const;
    /// Of `cells`: whether the blade has reached all samples. One without any follows its neighbours.
    std::vector<std::uint8_t> passed(const CutSolid& solid) const;
    /// Whether a blade that has come again goes along it.
    bool holds(const CutSolid& solid, const CutSheet& sheet, std::span<const Vec3> x) const;
    bool sound(const CutSolid& solid, std::size_t vertices) const;
};
template <>
inline constexpr bool is_plain_state<SkinWay::Point> = true;
void visit_state(StateVisitor& v, SkinWay::Line& line);
void visit_state(StateVisitor& v, SkinWay& way);

}  // namespace plush
