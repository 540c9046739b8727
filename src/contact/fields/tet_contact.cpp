#include "contact/fields/tet_contact.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace plush {
namespace {

Vec3 motion_of(const TetContact& c, std::span<const Twist> twists) {
    Vec3 w{};
    for (std::uint32_t e = 0; e < c.count; ++e) {
        const TetContactEnd& end = c.ends[e];
        const Twist& t = twists[end.node];
        w += end.weight * (t.linear + cross(t.angular, end.arm));
    }
    return w;
}

std::vector<Twist> velocities_of(std::span<const TetContactNode> nodes) {
    std::vector<Twist> u;
    u.reserve(nodes.size());
    for (const TetContactNode& node : nodes) u.push_back(node.velocity);
    return u;
}

/// How fast a unit impulse parts the two, at most: `shared` counts the contacts at each node.
double compliance(const TetContact& c, std::span<const TetContactNode> nodes,
                  std::span<const std::uint32_t> shared) {
    double sum = 0;
    for (std::uint32_t e = 0; e < c.count; ++e) {
        const TetContactEnd& end = c.ends[e];
        const TetContactNode& node = nodes[end.node];
        const double here = node.inverse_mass + norm2(end.arm) * node.inverse_inertia;
        sum += end.weight * end.weight * here * (shared.empty() ? 1.0 : shared[end.node]);
    }
    return sum;
}

Vec3 within(const Vec3& v, double most) {
    const double length = norm(v);
    return length > most ? v * (most / length) : v;
}

Vec3 across(const Vec3& v, const Vec3& n) {
    return v - dot(v, n) * n;
}

class ImplicitContacts {
public:
    ImplicitContacts(std::span<TetContact> contacts, std::span<const TetContactNode> nodes, double h,
                     const TetContactSettings& s, ImpulseResponse response)
        : contacts_(contacts),
          response_(response),
          kappa_(h * h * s.stiffness + h * s.damping),
          push_(h * s.stiffness),
          free_(contacts.size()),
          scale_(contacts.size()),
          pressed_(nodes.size()),
          moved_(nodes.size()) {
        std::vector<std::uint32_t> shared(nodes.size(), 0);
        for (const TetContact& c : contacts) {
            PLUSH_ASSERT(c.count <= c.ends.size());
            for (std::uint32_t e = 0; e < c.count; ++e) {
                PLUSH_ASSERT(c.ends[e].node < nodes.size());
                ++shared[c.ends[e].node];
            }
        }
        const std::vector<Twist> u = velocities_of(nodes);
        for (std::size_t i = 0; i < contacts.size(); ++i) {
            free_[i] = motion_of(contacts[i], u) + contacts[i].given;
            scale_[i] = compliance(contacts[i], nodes, shared);
        }
    }

    TetContactReport solve(const TetContactSettings& s, std::span<Twist> change) {
        PLUSH_ASSERT(kappa_ > 0 && change.size() == moved_.size());
        const std::size_t n = contacts_.size();
        std::vector<Vec3> x(n), g(n), x_new(n), g_new(n), best(n);
        start(x);
        gradient(x, g);
        double alpha = 1, least = HUGE_VAL, first = 0;
        TetContactReport report;
        for (int k = 0;; ++k) {
            // How far a step of the safe length goes: zero where the answer is.
            double residual = 0;
            for (std::size_t i = 0; i < n; ++i)
                residual += weight(i) * norm2(projected(i, x[i], g[i], 1) - x[i]);
            first = std::max(first, residual);
            if (residual < least) least = residual, best = x;
            report.iterations = k;
            if (residual <= s.tolerance * s.tolerance * first || k == s.iterations) break;
            double sds = 0, sy = 0, ydy = 0;
            for (std::size_t i = 0; i < n; ++i) x_new[i] = projected(i, x[i], g[i], alpha);
            gradient(x_new, g_new);
            for (std::size_t i = 0; i < n; ++i) {
                const Vec3 step = x_new[i] - x[i], y = g_new[i] - g[i];
                sds += weight(i) * norm2(step), sy += dot(step, y), ydy += norm2(y) / weight(i);
            }
            x.swap(x_new), g.swap(g_new);
            // The two step lengths of Barzilai and Borwein in turn. Never below 1: D is a bound.
            alpha = sy > 0 ? (k % 2 == 0 ? sds / sy : sy / ydy) : 1;
            alpha = std::clamp(alpha, 1.0, 1e6);
        }
        report.residual = first > 0 ? std::sqrt(least / first) : 0;
        for (std::size_t i = 0; i < n; ++i) {
            contacts_[i].impulse = dot(best[i], contacts_[i].normal);
            contacts_[i].rub = across(best[i], contacts_[i].normal);
        }
        press(best);
        response_(pressed_, change, true);
        return report;
    }

private:
    /// As if each contact were alone.
    void start(std::vector<Vec3>& x) const {
        for (std::size_t i = 0; i < x.size(); ++i) {
            const Vec3& n = contacts_[i].normal;
            const double goal = push_ * contacts_[i].depth - kappa_ * dot(free_[i], n);
            x[i] = std::max(0.0, goal / (1 + kappa_ * scale_[i])) * n;
        }
    }
    double weight(std::size_t i) const { return scale_[i] + 1 / kappa_; }

    void press(std::span<const Vec3> x) {
        std::fill(pressed_.begin(), pressed_.end(), Twist{});
        for (std::size_t i = 0; i < x.size(); ++i) add(contacts_[i], x[i], pressed_);
    }

    void gradient(std::span<const Vec3> x, std::vector<Vec3>& g) {
        press(x);
        response_(pressed_, moved_, false);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const TetContact& c = contacts_[i];
            const Vec3 w = free_[i] + motion_of(c, moved_);
            g[i] = w + ((dot(x[i], c.normal) - push_ * c.depth) / kappa_) * c.normal;
        }
    }

    /// One step down the gradient, back into what the law allows.
    Vec3 projected(std::size_t i, const Vec3& x, const Vec3& g, double alpha) const {
        const TetContact& c = contacts_[i];
        const double along = dot(x, c.normal) - alpha * dot(g, c.normal) / weight(i);
        if (along <= 0) return {};
        // Across there is no 1/κ, but one length of step for both keeps the scale a metric.
        const Vec3 rub = across(x, c.normal) - (alpha / weight(i)) * across(g, c.normal);
        return along * c.normal + within(rub, c.friction * along);
    }

    static void add(const TetContact& c, const Vec3& impulse, std::span<Twist> out) {
        for (std::uint32_t e = 0; e < c.count; ++e) {
            const TetContactEnd& end = c.ends[e];
            const Vec3 share = end.weight * impulse;
            out[end.node].linear += share;
            out[end.node].angular += cross(end.arm, share);
        }
    }

    std::span<TetContact> contacts_;
    ImpulseResponse response_;
    double kappa_, push_;
    std::vector<Vec3> free_;
    std::vector<double> scale_;
    std::vector<Twist> pressed_, moved_;
};

}  // namespace

void push_explicitly(std::span<TetContact> contacts, std::span<const TetContactNode> nodes, double h,
                     const TetContactSettings& s) {
    PLUSH_ASSERT(h > 0);
    const std::vector<Twist> u = velocities_of(nodes);
    for (TetContact& c : contacts) {
        const Vec3 w = motion_of(c, u) + c.given, slide = across(w, c.normal);
        c.impulse = h * std::max(0.0, s.stiffness * c.depth - s.damping * dot(w, c.normal));
        // No more friction than stops it.
        const double ease = compliance(c, nodes, {});
        c.rub = ease > 0 ? within(slide * (-1 / ease), c.friction * c.impulse) : Vec3{};
    }
}

TetContactReport push_implicitly(std::span<TetContact> contacts, std::span<const TetContactNode> nodes,
                                 double h, const TetContactSettings& settings, ImpulseResponse response,
                                 std::span<Twist> change) {
    return ImplicitContacts(contacts, nodes, h, settings, response).solve(settings, change);
}

void add_impulses(std::span<const TetContact> contacts, std::span<Twist> impulses) {
    for (const TetContact& c : contacts) {
        const Vec3 impulse = c.impulse * c.normal + c.rub;
        for (std::uint32_t e = 0; e < c.count; ++e) {
            const TetContactEnd& end = c.ends[e];
            PLUSH_ASSERT(end.node < impulses.size());
            impulses[end.node].linear += end.weight * impulse;
            impulses[end.node].angular += cross(end.arm, end.weight * impulse);
        }
    }
}

}  // namespace plush
