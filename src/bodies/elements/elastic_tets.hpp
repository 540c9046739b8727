#pragma once

#include <array>
#include <vector>

#include "bodies/elements/force_field.hpp"
#include "bodies/elements/incidence.hpp"
#include "bodies/elements/isotropic.hpp"
#include "math/polar_batch.hpp"

// Linear tetrahedra of an elastic material. With the gradients g_a of the shape functions in the rest shape,
//
//     F = Σ x_a g_aᵀ,     f_a = −V P(F) g_a,     K_ab = −V g_a·(∂P/∂F)·g_b,     B = β K.
//
// The corotational model takes K with the rotation held still (the *warped stiffness* of Müller & Gross,
// "Interactive virtual materials", 2004): with ĝ = R g
//
//     K_ab = −V (λ ĝ_a ĝ_bᵀ + μ ĝ_b ĝ_aᵀ + μ (ĝ_a·ĝ_b) 1),
//
// which is semidefinite and costs next to nothing. Where all is asked for (Linearisation::full) the
// derivative of the rotation is in it too, clamped to be semidefinite (isotropic.hpp), as it always is for
// neo-Hookean tets. Damping takes the warped one in either case.
//
// All tets of one object have the same model, Poisson's ratio and damping: then a matrix of one number a tet
// scaled, K and B are one sum, and K v is a product with it.
//
// Passes. The first goes over tets, eight side by side, and writes down what each gives to its corners; the
// others go over vertices, edges and rows of the matrix, each of which collects its own. So sums are
// independent, and any number of threads gives the same bits.
//
// They are taken window by window of some hundred tets: an edge or a vertex collects as soon as the last of
// its tets has been looked at. What tets write down stands in a ring that is as long as anything has to wait,
// so that it stays in the cache however many tets there are, where neighbours have numbers that are near each
// other. Matrices of two kinds are filled so: whole ones in double (elastic_tets_collect.cpp), and those in
// halves of large bodies (elastic_tets_half.cpp).

namespace plush {

class ElasticTets final : public ForceField {
public:
    explicit ElasticTets(ElasticModel model) : model_(model) {}
    /// Whether tets of the material can be added.
    bool takes(const ElasticMaterial& material) const;
    /// `rest` has positive volume.
    void add(const std::array<std::uint32_t, 4>& vertices, const std::array<Vec3, 4>& rest,
             const ElasticMaterial& material);
    std::size_t size() const { return count_; }
    double rest_volume(std::size_t tet) const { return batches_[tet / lanes].volume[tet % lanes]; }
    std::array<std::uint32_t, 4> vertices(std::size_t tet) const;
    /// F of a tet.
    Mat3 deformation(std::size_t tet, std::span<const Vec3> x) const;
    /// Cauchy's stress of a tet, Pa: P Fᵀ/det F; zero where it is flat.
    Mat3 stress(std::size_t tet, std::span<const Vec3> x) const;
    /// What flow has left: symmetric, of the rest shape; zero without flow.
    Mat3 plastic_strain(std::size_t tet) const { return plastic_.empty() ? Mat3{} : plastic_[tet]; }
    void set_plastic_strain(std::size_t tet, const Mat3& strain) {
        if (!plastic_.empty()) plastic_[tet] = strain;
    }

    void add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                    const Parallel& parallel) override;
    double energy(std::span<const Vec3> x) const override;
    void add_pattern(BlockPattern& pattern) const override;
    void bind(const BlockMatrix& matrix) override;
    void add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                         const Parallel& parallel) override;
    void add_forces_and_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                                    Linearisation& out, const Parallel& parallel) override;
    bool covers_matrix() const override { return covers_matrix_; }
    HalfMatrix half_pattern(std::size_t vertices, std::size_t least_blocks) override;
    bool fits_half(double k, double b) const override;
    void add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const override;
    void end_step(std::span<const Vec3> x, double h) override;  ///< plastic flow
    void visit_state(StateVisitor& v) override { v(plastic_); }

    /// Neo-Hookean tets that are flat pull together where the linearisation says that they part.
    bool needs_line_search() const override { return model_ == ElasticModel::neo_hookean; }

    /// Plastic flow is a stress: it is not in the stiffness.
    bool lasting_derivatives() const override { return true; }

    /// Of all arrays, for `plush bench`.
    std::size_t bytes() const;

private:
    static constexpr std::size_t lanes = Mat3x8::lanes;
    /// Enough for polar_rotations to have several under way, and few enough to stay in the fastest cache.
    static constexpr std::size_t tets_at_once = 32;
    using Lanes = std::array<double, lanes>;
    /// Eight tets at rest. Rows of `gradient` are g₁, g₂, g₃; g₀ is minus their sum.
    struct Batch {
        Mat3x8 gradient{};
        alignas(64) Lanes volume{}, mu{}, lambda{};
        std::array<std::array<std::uint32_t, lanes>, 4> vertex{};
    };
    /// A vector of a corner of a tet, corner a of tet t at 4 t + a, with a fourth number that is not used:
    /// whole registers are written and read.
    using OfCorner = std::array<double, 4>;
    /// The blocks (0,1), (0,2), (0,3), (1,2), (1,3), (2,3) of k K + b B.
    using Blocks = std::array<Mat3, 6>;
    /// The slots of the blocks (low, high) and (high, low) of an edge between two vertices, and its tets.
    struct Edge {
        std::uint32_t slot = 0, mirrored_slot = 0, first_part = 0, parts = 0;
    };
    /// The corners of a tet, as 4 t + a, that an edge joins.
    struct Part {
        std::uint32_t from = 0, to = 0;
    };
    /// Of places in a list.
    struct Range {
        std::size_t begin = 0, end = 0;
    };
    /// How many edges and rows are complete with the window and those before it.
    struct Window {
        std::size_t edges = 0, rows = 0;
    };
    struct Flow {
        double yield = HUGE_VAL, creep = 0, most = 0;
    };

    bool warped(const Linearisation* out) const {
        return model_ == ElasticModel::corotational && !(out && out->full);
    }
    Mat3 gradients(std::size_t tet) const { return batches_[tet / lanes].gradient.lane(tet % lanes); }
    Lame constants(std::size_t tet) const {
        return {batches_[tet / lanes].mu[tet % lanes], batches_[tet / lanes].lambda[tet % lanes]};
    }
    Mat3 plastic_stress(std::size_t tet) const;
    void prepare_incidence(std::size_t vertices);
    bool is_planned(const Parallel& parallel);
    void prepare(std::size_t vertices, const Parallel& parallel);
    void plan_windows();
    void make_ring(std::size_t tets);
    /// f += forces where it is not empty, and derivatives where `out` is given.
    void visit(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f, Linearisation* out,
               const Parallel& parallel);
    void evaluate(Range batches, std::span<const Vec3> x, std::span<const Vec3> v, const Linearisation* out,
                  bool with_forces, const Parallel& parallel);
    void evaluate_warped(std::size_t begin, std::size_t end, std::span<const Vec3> x, std::span<const Vec3> v,
                         const Linearisation* out);
    void evaluate_principal(std::size_t tet, std::span<const Vec3> x, std::span<const Vec3> v,
                            const Linearisation* out);
    void add_plastic_forces(std::size_t batch, std::size_t at, const Mat3Packs& rotation);
    void sum_forces(std::size_t begin, std::size_t end);
    void collect_forces(Range rows, std::span<Vec3> f, const Parallel& parallel);
    void collect_force(std::uint32_t vertex, Vec3& f);
    void collect_edges(Range edges, const Linearisation& out, double* numbers,
                       const Parallel& parallel) const;
    void collect_rows(Range rows, std::span<const Vec3> v, std::span<Vec3> f, Linearisation& out,
                      const double* numbers, const Parallel& parallel) const;
    // elastic_tets_half.cpp
    void measure_blocks();
    void plan_half(const HalfMatrix& half, const Parallel& parallel);
    void visit_half(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f, Linearisation& out,
                    const Parallel& parallel);
    template <bool alone, bool far>
    void collect_half(Range rows, std::span<const Vec3> v, std::span<Vec3> f, Linearisation& out,
                      const Parallel& parallel);
    void collect_mirrored(std::span<const Vec3> v, std::span<Vec3> f, Linearisation& out,
                          const Parallel& parallel) const;
    void finish_row(std::uint32_t i, const BlockColumns& others, const Four& others_product,
                    const BlockColumns& sum, const Four& product, std::span<Vec3> f,
                    Linearisation& out) const;
    /// Where a corner, and a tet, stand in the ring.
    std::size_t corner_at(std::size_t corner) const { return corner & (4 * ring_ - 1); }
    std::size_t force_at(std::size_t corner) const { return corner & (4 * force_ring_ - 1); }
    std::size_t tet_at(std::size_t tet) const { return tet & (ring_ - 1); }

    ElasticModel model_;
    double poisson_ = 0, damping_ = 0;  ///< of all tets
    std::size_t count_ = 0;
    std::vector<Batch, LargePages<Batch>> batches_;
    std::vector<Flow> flow_;     ///< empty where nothing flows
    std::vector<Mat3> plastic_;  ///< the same
    Incidence incidence_;
    std::vector<Edge> edges_;          ///< in the order in which they are complete
    std::vector<std::uint32_t> rows_;  ///< vertices in the order in which they are complete
    std::vector<Window> windows_;      ///< empty where they have to be planned again
    std::size_t window_ = 0;           ///< tets of each
    bool alone_ = false;               ///< planned for one thread
    std::size_t ring_ = 0;             ///< tets whose corners are kept: a power of two
    std::size_t force_ring_ = 0;       ///< tets whose forces are kept
    std::vector<Part, LargePages<Part>> parts_;
    // Of a matrix in halves: parts of the edges of each of its rows, in their order, and rows that are
    // complete with each window. Empty where nobody has asked for one.
    std::vector<std::uint32_t, LargePages<std::uint32_t>> half_parts_;
    std::vector<std::uint32_t> first_half_part_;
    std::vector<std::size_t> half_windows_;
    double smallest_block_ = 0, largest_block_ = 0;
    bool covers_matrix_ = false;    ///< no other pair of vertices has a block
    std::vector<double> beside_;    ///< as the matrix's, where others were there before; else empty
    std::vector<OfCorner> forces_;  ///< of their ring
    /// Of vertices, where one thread adds forces up as they come; zero between visits. Else empty.
    std::vector<OfCorner> force_sums_;
    std::vector<OfCorner>
        turned_;  ///< √(V μ s) ĝ with s = −k − β b, over the root of a unit, of the warped stiffness
    std::vector<Blocks> blocks_;
};

}  // namespace plush
