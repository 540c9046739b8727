#include "bodies/deformable/contact_compliance.hpp"

#include <algorithm>
#include <utility>

#include "core/assert.hpp"
#include "core/tuning.hpp"

namespace plush {

template <class Response>
void ContactCompliance::measure_column_by_column(const DeformableBody& body, const Response& response) {
    way_ = Way::columns;
    const std::size_t vertices = body.positions().size(), n = rows();
    columns_.assign(n * vertices, {});
    std::vector<Vec3> impulses(vertices);
    for (std::size_t i = 0; i < n; ++i) {
        for (const HalfSolves::Entry& e : row(i)) {
            PLUSH_ASSERT(e.row < vertices);
            impulses[e.row] = e.value;
        }
        response(impulses, std::span(columns_).subspan(i * vertices, vertices));
        for (const HalfSolves::Entry& e : row(i)) impulses[e.row] = {};
    }
    const auto product = [&](std::size_t i, std::size_t j) {
        double sum = 0;
        for (const HalfSolves::Entry& e : row(i)) sum += dot(e.value, columns_[j * vertices + e.row]);
        return sum;
    };
    compliance_.resize(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            compliance_[i * n + j] = compliance_[j * n + i] = 0.5 * (product(i, j) + product(j, i));
}

void ContactCompliance::measure(DeformableBody& body, ComplianceAs as) {
    PLUSH_ASSERT(first_.back() == vertices_.size());
    if (as == ComplianceAs::masses) return measure_by_mass(body);
    if (as == ComplianceAs::rigid) return measure_as_whole(body);
    // What clusters hold wholly has no other forces within that could matter.
    if (const ShapeMatcher* matcher = body.matcher(); matcher && matcher->holds_every_vertex())
        return measure_column_by_column(body, [&](std::span<const Vec3> impulses, std::span<Vec3> change) {
            matcher->respond(body.positions(), impulses, change);
        });
    if (!body.responds_implicitly()) return measure_by_mass(body);
    if (measure_by_factor(body)) return;
    measure_column_by_column(body, [&](std::span<const Vec3> impulses, std::span<Vec3> change) {
        body.respond(impulses, change, tuning::jointed_vertex_tolerance);
    });
}

bool ContactCompliance::measure_by_factor(DeformableBody& body) {
    const auto coupled = body.coupled_terms();
    if (coupled.size() > 1) return false;
    const BlockCholesky* factor = body.factor();
    if (!factor) return false;
    way_ = Way::factor;
    const auto inverse_masses = body.inverse_masses();
    const auto add = [&](std::uint32_t vertex, const Vec3& value) {
        PLUSH_ASSERT(vertex < inverse_masses.size());
        if (inverse_masses[vertex] > 0) half_.add(vertex, value);  // else it is pinned
    };
    half_.clear();
    for (std::size_t i = 0; i < rows(); ++i) {
        for (const HalfSolves::Entry& e : row(i)) add(e.row, e.value);
        half_.end_column();
    }
    coupled_ = !coupled.empty() && coupled[0].factor > 0;
    if (coupled_) {
        const RankOneTerm& term = coupled[0];
        for (std::size_t k = 0; k < term.g.size(); ++k)
            add(static_cast<std::uint32_t>(term.first + k), term.g[k]);
        half_.end_column();
    }
    half_.solve(*factor);
    half_.products(compliance_);
    if (!coupled_) return true;
    const std::size_t n = rows();
    const std::vector<double> all = std::move(compliance_);
    PLUSH_ASSERT(all.size() == (n + 1) * (n + 1));
    inverse_stiffness_ = 1 / coupled[0].factor + all[n * (n + 1) + n];
    PLUSH_ASSERT(!(inverse_stiffness_ <= 0));
    coupling_.assign(all.begin() + static_cast<std::ptrdiff_t>(n * (n + 1)), all.end() - 1);
    compliance_.resize(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            compliance_[i * n + j] = all[i * (n + 1) + j] - coupling_[i] * coupling_[j] / inverse_stiffness_;
    return true;
}

void ContactCompliance::measure_by_mass(const DeformableBody& body) {
    way_ = Way::masses;
    inverse_masses_ = body.inverse_masses();
    const std::size_t n = rows();
    compliance_.assign(n * n, 0.0);
    std::vector<Vec3> response(inverse_masses_.size());
    for (std::size_t i = 0; i < n; ++i) {
        for (const HalfSolves::Entry& e : row(i)) {
            PLUSH_ASSERT(e.row < response.size());
            response[e.row] = inverse_masses_[e.row] * e.value;
        }
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = 0;
            for (const HalfSolves::Entry& e : row(j)) sum += dot(e.value, response[e.row]);
            compliance_[i * n + j] = compliance_[j * n + i] = sum;
        }
        for (const HalfSolves::Entry& e : row(i)) response[e.row] = {};
    }
}

void ContactCompliance::measure_as_whole(const DeformableBody& body) {
    way_ = Way::whole;
    Mat3 inverse_inertia;
    body.measure_now(centre_, inverse_inertia);
    positions_ = body.positions();
    const std::size_t n = rows();
    wrenches_.assign(n, {}), responses_.assign(n, {});
    compliance_.resize(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (const HalfSolves::Entry& e : row(i)) {
            PLUSH_ASSERT(e.row < positions_.size());
            wrenches_[i].linear += e.value;
            wrenches_[i].angular += cross(positions_[e.row] - centre_, e.value);
        }
        responses_[i] = {wrenches_[i].linear / body.mass(), inverse_inertia * wrenches_[i].angular};
        for (std::size_t j = 0; j <= i; ++j)
            compliance_[i * n + j] = compliance_[j * n + i] =
                dot(wrenches_[j].linear, responses_[i].linear) +
                dot(wrenches_[j].angular, responses_[i].angular);
    }
}

bool ContactCompliance::measure_approximately(DeformableBody& body, std::span<const Vec3> rest) {
    // Where the step has factorised the matrix for itself, exactness costs little more.
    if (!body.responds_implicitly() || body.settings().integration.solver == LinearSolver::cholesky ||
        body.matcher() || !RestCompliance::few_enough(body, vertices_) || !rest_.fit(body, rest))
        return false;
    way_ = Way::approximate;
    body_ = &body;
    moved_.assign(body.positions().size(), {});
    last_impulses_.assign(rows(), 0.0), last_velocities_.assign(rows(), 0.0);
    rest_.measure(body, vertices_, first_, compliance_);
    return true;
}

double ContactCompliance::inverse_mass(std::size_t i) const {
    PLUSH_ASSERT(i < alone_ && row(i).size() == 1);
    return body_->inverse_masses()[row(i)[0].row];
}

void ContactCompliance::measure_by_nodes(DeformableBody& body, std::size_t alone) {
    PLUSH_ASSERT(alone <= rows());
    compliance_.clear();
    if (alone < rows()) {
        ContactCompliance others;
        for (std::size_t i = alone; i < rows(); ++i) {
            for (const HalfSolves::Entry& e : row(i)) others.add(e.row, e.value);
            others.end_row();
        }
        others.measure(body, ComplianceAs::itself);
        compliance_ = std::move(others.compliance_);
    }
    way_ = Way::nodes;
    alone_ = alone;
    body_ = &body;
    moved_.assign(body.positions().size(), {});
}

void ContactCompliance::move(std::span<const double> impulses, double tolerance) {
    PLUSH_ASSERT(approximate() && impulses.size() == rows());
    impulse_.assign(moved_.size(), {});
    bool any = false;
    for (std::size_t i = 0; i < rows(); ++i) {
        any = any || impulses[i] != 0;
        for (const HalfSolves::Entry& e : row(i)) impulse_[e.row] += impulses[i] * e.value;
    }
    if (any)
        body_->respond(impulse_, moved_, tolerance);
    else
        std::fill(moved_.begin(), moved_.end(), Vec3{});
    if (way_ == Way::approximate) learn(impulses);
}

void ContactCompliance::learn(std::span<const double> impulses) {
    const std::size_t n = rows();
    PLUSH_ASSERT(last_impulses_.size() == n && last_velocities_.size() == n && compliance_.size() == n * n);
    std::vector<double> s(n), y(n), ws(n);
    for (std::size_t i = 0; i < n; ++i) {
        s[i] = impulses[i] - std::exchange(last_impulses_[i], impulses[i]);
        const double v = velocity(i);
        y[i] = v - std::exchange(last_velocities_[i], v);
    }
    double sy = 0, sws = 0;
    for (std::size_t i = 0; i < n; ++i) {
        ws[i] = compliance_times(i, s);
        sy += s[i] * y[i], sws += s[i] * ws[i];
    }
    // The true one is within some factor of W; what is not comes from iterations that ended too soon.
    constexpr double most = 10;
    if (!(sws > 0) || !(sy > sws / most) || !(sy < sws * most)) return;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) compliance_[i * n + j] += y[i] * y[j] / sy - ws[i] * ws[j] / sws;
}

double ContactCompliance::velocity(std::size_t i) const {
    double sum = 0;
    for (const HalfSolves::Entry& e : row(i)) sum += dot(e.value, moved_[e.row]);
    return sum;
}

double ContactCompliance::compliance_times(std::size_t i, std::span<const double> impulses) const {
    PLUSH_ASSERT(i < rows() && impulses.size() == rows());
    const std::size_t first = way_ == Way::nodes ? alone_ : 0, n = rows() - first;
    if (i < first) return inverse_mass(i) * impulses[i];
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += compliance_[(i - first) * n + j] * impulses[first + j];
    return sum;
}

void ContactCompliance::change(std::span<const double> impulses, std::span<Vec3> out) const {
    PLUSH_ASSERT(impulses.size() == rows());
    std::fill(out.begin(), out.end(), Vec3{});
    switch (way_) {
        case Way::factor: {
            std::vector<double> factors(impulses.begin(), impulses.end());
            if (coupled_) {
                double along = 0;
                for (std::size_t i = 0; i < rows(); ++i) along += coupling_[i] * impulses[i];
                factors.push_back(-along / inverse_stiffness_);
            }
            return half_.combine(factors, out);
        }
        case Way::columns:
            PLUSH_ASSERT(columns_.size() == rows() * out.size());
            for (std::size_t i = 0; i < rows(); ++i)
                for (std::size_t k = 0; k < out.size(); ++k)
                    out[k] += impulses[i] * columns_[i * out.size() + k];
            return;
        case Way::whole: {
            PLUSH_ASSERT(positions_.size() == out.size() && responses_.size() == rows());
            Twist sum;
            for (std::size_t i = 0; i < rows(); ++i)
                sum.linear += impulses[i] * responses_[i].linear,
                    sum.angular += impulses[i] * responses_[i].angular;
            for (std::size_t k = 0; k < out.size(); ++k)
                out[k] = sum.linear + cross(sum.angular, positions_[k] - centre_);
            return;
        }
        case Way::approximate:
        case Way::nodes:
            PLUSH_ASSERT(moved_.size() == out.size());
            std::copy(moved_.begin(), moved_.end(), out.begin());
            return;
        case Way::masses:
            PLUSH_ASSERT(inverse_masses_.size() == out.size());
            for (std::size_t i = 0; i < rows(); ++i)
                for (const HalfSolves::Entry& e : row(i))
                    out[e.row] += (impulses[i] * inverse_masses_[e.row]) * e.value;
            return;
    }
}

}  // namespace plush
