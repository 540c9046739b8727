#include "bodies/deformable/deformable_body.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace plush {
namespace {

const Vec3& at(std::span<const Vec3> x, int i) {
    PLUSH_ASSERT(i >= 0 && static_cast<std::size_t>(i) < x.size());
    return x[static_cast<std::size_t>(i)];
}

/// The mean length of the edges: how far a vertex may be pushed before it means something else.
double mean_edge(const DeformableModel& model) {
    double sum = 0;
    for (const Triangle& t : model.triangles)
        for (std::size_t c = 0; c < 3; ++c)
            sum += norm(at(model.positions, t[c]) - at(model.positions, t[(c + 1) % 3]));
    for (const auto& e : model.edges) sum += norm(at(model.positions, e[0]) - at(model.positions, e[1]));
    const std::size_t count = 3 * model.triangles.size() + model.edges.size();
    return count > 0 ? sum / static_cast<double>(count) : HUGE_VAL;
}

}  // namespace

DeformableBody::DeformableBody(DeformableModel model, const DeformableSettings& settings)
    : settings_(settings),
      masses_(std::move(model.masses)),
      size_(mean_edge(model)),
      elements_(std::move(model.elements)),
      triangles_(std::move(model.triangles)),
      edges_(std::move(model.edges)),
      tet_places_(std::move(model.tets)) {
    PLUSH_ASSERT(masses_.size() == model.positions.size());
    choose_newton();
    state_.x = std::move(model.positions);
    state_.v.resize(state_.x.size());
    forces_.resize(state_.x.size());
    for (double m : masses_) {
        PLUSH_ASSERT(m > 0);
        mass_ += m;
    }
    points_.positions = state_.x;
    points_.radius = settings_.radius;
    points_.complete = true;
    mark_pins();
}

void DeformableBody::choose_newton() {
    constexpr int with_line_search = 8;
    const auto needs_it = [](const auto& element) { return element->needs_line_search(); };
    if (settings_.integration.newton == 0 && is_implicit(settings_.integration.method) &&
        settings_.integration.method != IntegrationMethod::quasi_static &&
        std::any_of(elements_.begin(), elements_.end(), needs_it))
        settings_.integration.newton = with_line_search;
}

// -- the step -----------------------------------------------------------------------------------------

void DeformableBody::predict(double h, const Vec3& gravity, RotationMethod) {
    predict(h, gravity,
            [](Integrator& integrator, MotionSystem& system, MotionState& state, double step,
               const IntegrationSettings& settings) {
                return integrator.advance(system, state, step, settings);
            });
}

void DeformableBody::predict(double h, const Vec3& gravity, const Advance& advance) {
    begin_prediction(h, gravity);
    const Result<AdvanceReport> report = advance(integrator_, *this, next_, h, settings_.integration);
    report ? finish_prediction(report.value()) : give_up(report.error());
}

void DeformableBody::begin_prediction(double h, const Vec3& gravity) {
    gravity_ = gravity;
    problem_.reset();
    advanced_ = 0;
    next_ = state_;
    if (!pins_.empty() || script_) aim_pins(h);
}

void DeformableBody::finish_prediction(const AdvanceReport& report) {
    PLUSH_ASSERT(next_.x.size() == masses_.size() && next_.v.size() == masses_.size());
    report_ = report;
    for (const Pin& pin : pins_) next_.x[pin.vertex] = position_at(pin, next_.t);
    if (script_) next_.x = script_->at(next_.t);
}

void DeformableBody::give_up(const Error& error) {
    problem_ = error;
    next_ = state_;
}

/// Pinned vertices go straight to where they are due at the end of the step.
void DeformableBody::aim_pins(double h) {
    PLUSH_ASSERT(h > 0);
    for (const Pin& pin : pins_)
        next_.v[pin.vertex] = (position_at(pin, state_.t + h) - state_.x[pin.vertex]) / h;
    if (!script_) return;
    const std::vector<Vec3> due = script_->at(state_.t + h);
    PLUSH_ASSERT(due.size() == state_.x.size());
    for (std::size_t i = 0; i < due.size(); ++i) next_.v[i] = (due[i] - state_.x[i]) / h;
}

Node DeformableBody::node(std::size_t i) const {
    PLUSH_ASSERT(i < state_.x.size() && i < next_.v.size());
    return {{state_.v[i], {}}, {next_.v[i], {}}, state_.x[i], inverse_masses_[i], {}};
}

double DeformableBody::after_speed() const {
    double square = 0;
    for (const Vec3& v : next_.v) square = std::max(square, norm2(v));
    return std::sqrt(square);
}

double DeformableBody::position_factor(double h) const {
    PLUSH_ASSERT(advanced_ < h);
    const double all = settings_.integration.method == IntegrationMethod::bdf2 ? -integrator_.factors().b : h;
    return all * (1 - advanced_ / h);
}

void DeformableBody::correct(double h, std::span<const Twist> change) {
    PLUSH_ASSERT(change.empty() || change.size() == state_.x.size());
    std::swap(state_, next_);
    const bool bdf2 = settings_.integration.method == IntegrationMethod::bdf2;
    const double part = position_factor(h);
    const bool has_history = bdf2 && state_.x_before.size() == state_.x.size();
    for (std::size_t i = 0; i < change.size(); ++i) {
        const Vec3& jump = change[i].linear;
        state_.v[i] += jump;
        state_.x[i] += part * jump;
        // BDF2's velocities go on as if they had always been those after the impulse: with a history from before it the next
        // steps would add another third, ninth, ... of it, half as much again. Its positions follow velocities by
        // their own rule, x' = (4 x - x_before)/3 + 2h/3 v', of which the impulse has its part above: then where v' stays
        // zero x stays, too, and rest under a load is a fixed point.
        if (has_history) state_.v_before[i] += jump;
    }
    for (const auto& element : elements_) element->end_step(state_.x, h);
    last_forces_.resize(forces_.size());
    std::swap(forces_, last_forces_);
    std::fill(forces_.begin(), forces_.end(), Vec3{});
    ++version_;
    moved();
}

void DeformableBody::displace(std::span<const Twist> change) {
    PLUSH_ASSERT(change.size() <= state_.x.size());
    for (std::size_t i = 0; i < change.size(); ++i) {
        if (inverse_masses_[i] == 0) continue;
        state_.x[i] += change[i].linear;
        // Verlet's memory is shifted too, or the shift would turn into velocity.
        if (!state_.x_before.empty()) state_.x_before[i] += change[i].linear;
    }
    ++version_;
    moved();
}

SolveReport DeformableBody::respond(std::span<const Vec3> impulses, std::span<Vec3> change,
                                    std::optional<double> tolerance) {
    PLUSH_ASSERT(impulses.size() == masses_.size() && change.size() == masses_.size());
    if (responds_implicitly()) {
        IntegrationSettings settings = settings_.integration;
        // Conjugate gradients end after as many turns as there are unknowns, but for rounding.
        if (tolerance)
            settings.tolerance = *tolerance, settings.iterations = static_cast<int>(6 * masses_.size());
        return integrator_.respond(*this, impulses, change, settings);
    }
    for (std::size_t i = 0; i < change.size(); ++i) change[i] = inverse_masses_[i] * impulses[i];
    return {};
}

bool DeformableBody::takes_rows() const {
    const IntegrationMethod method = settings_.integration.method;
    if (method == IntegrationMethod::verlet || method == IntegrationMethod::time_corrected_verlet)
        return false;
    return is_implicit(method) || (matcher_ && matcher_->holds_every_vertex());
}

double DeformableBody::largest_stable_step() const {
    return plush::largest_stable_step(settings_.integration.method, *this, state_.x);
}

// -- pins ---------------------------------------------------------------------------------------------

Vec3 DeformableBody::position_at(const Pin& pin, double time) {
    const auto& keys = pin.keyframes;
    PLUSH_ASSERT(!keys.empty());
    if (time <= keys.front().time) return keys.front().position;
    for (std::size_t k = 1; k < keys.size(); ++k)
        if (time <= keys[k].time) {
            const double t = (time - keys[k - 1].time) / (keys[k].time - keys[k - 1].time);
            return keys[k - 1].position + t * (keys[k].position - keys[k - 1].position);
        }
    return keys.back().position;
}

void DeformableBody::pin(std::uint32_t vertex) {
    PLUSH_ASSERT(vertex < state_.x.size());
    pin(vertex, {{0, state_.x[vertex]}});
}

void DeformableBody::pin(std::uint32_t vertex, std::vector<PinKey> keyframes) {
    PLUSH_ASSERT(vertex < state_.x.size() && !keyframes.empty());
    const auto place = pin_place(vertex);
    if (place != pins_.end() && place->vertex == vertex)
        place->keyframes = std::move(keyframes);
    else
        pins_.insert(place, {vertex, std::move(keyframes)});
    mark_pin(vertex, true);
}

void DeformableBody::unpin(std::uint32_t vertex) {
    const auto place = pin_place(vertex);
    if (place == pins_.end() || place->vertex != vertex) return;
    pins_.erase(place);
    mark_pin(vertex, false);
}

std::vector<DeformableBody::Pin>::iterator DeformableBody::pin_place(std::uint32_t vertex) {
    return std::lower_bound(pins_.begin(), pins_.end(), vertex,
                            [](const Pin& p, std::uint32_t v) { return p.vertex < v; });
}

/// One alone: a large body has thousands of them, which are set one by one.
void DeformableBody::mark_pin(std::uint32_t vertex, bool pinned) {
    pinned_.resize(pins_.empty() ? 0 : masses_.size());
    if (!pinned_.empty()) pinned_[vertex] = pinned;
    inverse_masses_[vertex] = pinned ? 0 : 1 / masses_[vertex];
    if (matcher_) matcher_->set_pinned(pinned_);
}

void DeformableBody::mark_pins() {
    pinned_.assign(pins_.empty() ? 0 : masses_.size(), 0);
    inverse_masses_.resize(masses_.size());
    for (std::size_t i = 0; i < masses_.size(); ++i) inverse_masses_[i] = 1 / masses_[i];
    for (const Pin& p : pins_) pinned_[p.vertex] = 1, inverse_masses_[p.vertex] = 0;
    if (script_) {
        pinned_.assign(masses_.size(), 1);
        std::fill(inverse_masses_.begin(), inverse_masses_.end(), 0.0);
    }
    if (matcher_) matcher_->set_pinned(pinned_);
}

void DeformableBody::follow_script(std::shared_ptr<const VertexScript> script) {
    script_ = std::move(script);
    mark_pins();
}

// -- clusters -----------------------------------------------------------------------------------------

void DeformableBody::add_clusters(std::span<const std::vector<std::uint32_t>> clusters,
                                  std::span<const Vec3> rest, const MatchSettings& settings) {
    PLUSH_ASSERT(!distance_ && rest.size() == masses_.size());
    if (!matcher_) matcher_ = std::make_unique<ShapeMatcher>(masses_);
    for (const auto& cluster : clusters) {
        std::vector<Vec3> places;
        for (const std::uint32_t v : cluster) {
            PLUSH_ASSERT(v < rest.size());
            places.push_back(rest[v]);
        }
        matcher_->add(cluster, places, settings);
    }
    matcher_->set_pinned(pinned_);
    matcher_->prepare();
}

void DeformableBody::match(double h) {
    if (matcher_ && !problem_) matcher_->apply(state_.x, next_.x, next_.v, h, parallel());
}

void DeformableBody::set_distance(Sdf distance) {
    PLUSH_ASSERT(!distance || (matcher_ && matcher_->holds_all()));
    distance_ = std::move(distance);
    std::vector<std::uint8_t> used(masses_.size(), triangles_.empty());
    for (const Triangle& t : triangles_)
        for (const int v : t) used[static_cast<std::size_t>(v)] = 1;
    surface_vertices_.clear();
    for (std::uint32_t i = 0; i < used.size(); ++i)
        if (used[i]) surface_vertices_.push_back(i);
    moved();
}

void DeformableBody::push(const Twist& impulse) {
    const Vec3 v = impulse.linear / mass_, w = inverse_inertia_ * impulse.angular;
    for (std::size_t i = 0; i < next_.v.size(); ++i)
        if (inverse_masses_[i] > 0) next_.v[i] += v + cross(w, state_.x[i] - motion_.origin);
}

void DeformableBody::move_next(const Vec3& centre, const Twist& velocity, const Twist& shift) {
    for (std::size_t i = 0; i < next_.x.size(); ++i) {
        if (!(inverse_masses_[i] > 0)) continue;
        const Vec3 r = next_.x[i] - centre;
        const Vec3 way = shift.linear + cross(shift.angular, r);
        next_.v[i] += velocity.linear + cross(velocity.angular, r);
        next_.x[i] += way;
        // Verlet's memory is shifted too, or the shift would turn into velocity.
        if (!next_.x_before.empty()) next_.x_before[i] += way;
    }
}

void DeformableBody::measure(const MotionState& state, Vec3& c, Twist& motion, Mat3& inverse_inertia) const {
    PLUSH_ASSERT(mass_ > 0 && state.x.size() == masses_.size() && state.v.size() == masses_.size());
    c = {};
    for (std::size_t i = 0; i < masses_.size(); ++i) c += masses_[i] * state.x[i];
    c = c / mass_;
    Vec3 linear{}, angular{}, squares{}, products{};
    for (std::size_t i = 0; i < masses_.size(); ++i) {
        const Vec3 r = state.x[i] - c, mr = masses_[i] * r;
        linear += masses_[i] * state.v[i];
        angular += cross(mr, state.v[i]);
        squares += times(mr, r);
        products += Vec3{mr.y * r.z, mr.z * r.x, mr.x * r.y};
    }
    Mat3 inertia{{Vec3{squares.y + squares.z, -products.z, -products.y},
                  Vec3{-products.z, squares.z + squares.x, -products.x},
                  Vec3{-products.y, -products.x, squares.x + squares.y}}};
    // A straight body has no inertia about itself: a little of the largest keeps the inverse finite.
    const double least = 1e-9 * trace(inertia);
    inertia += Mat3::diagonal({least, least, least});
    inverse_inertia = least > 0 ? inverse(inertia) : Mat3{};
    motion = {linear / mass_, inverse_inertia * angular};
}

void DeformableBody::moved() {
    points_.positions = state_.x;
    if (!distance_) return;
    pose_ = matcher_->pose(0, state_.x);
    measure(state_, motion_.origin, motion_.twist, inverse_inertia_);
}

// -- acting on it -------------------------------------------------------------------------------------

void DeformableBody::add_element(std::unique_ptr<ForceField> element) {
    PLUSH_ASSERT(element);
    elements_.push_back(std::move(element));
    choose_newton();
    matrix_ = {};
    half_.reset();
}

void DeformableBody::set_integration(const IntegrationSettings& integration) {
    if (integration.method != settings_.integration.method) state_.forget();
    settings_.integration = integration;
    choose_newton();
}

void DeformableBody::move_by(const Vec3& offset) {
    for (Vec3& x : state_.x) x += offset;
    for (Vec3& x : state_.x_before) x += offset;
    for (Pin& pin : pins_)
        for (PinKey& key : pin.keyframes) key.position += offset;
    ++version_;
    moved();
}

void DeformableBody::set_velocity(const Vec3& velocity, const Vec3& angular_velocity) {
    const Vec3 middle = centre();
    for (std::size_t i = 0; i < state_.v.size(); ++i)
        state_.v[i] = velocity + cross(angular_velocity, state_.x[i] - middle);
    state_.forget();
    moved();
}

void DeformableBody::move_attached_vertex(std::uint32_t vertex, const Vec3& position, const Vec3& velocity) {
    PLUSH_ASSERT(vertex < state_.x.size());
    state_.x[vertex] = position;
    state_.v[vertex] = velocity;
    points_.positions[vertex] = position;
    ++version_;
}

void DeformableBody::set_vertex(std::uint32_t vertex, const Vec3& position, const Vec3& velocity) {
    PLUSH_ASSERT(vertex < state_.x.size());
    state_.x[vertex] = points_.positions[vertex] = position;
    state_.v[vertex] = velocity;
    state_.forget();
    ++version_;
    if (distance_) moved();
}

void DeformableBody::add_force(const Vec3& force) {
    for (std::size_t i = 0; i < forces_.size(); ++i) forces_[i] += (masses_[i] / mass_) * force;
}

void DeformableBody::apply_impulse(const Vec3& impulse) {
    for (Vec3& v : state_.v) v += impulse / mass_;
    state_.forget();
    moved();
}

void DeformableBody::apply_impulse(std::uint32_t vertex, const Vec3& impulse) {
    PLUSH_ASSERT(vertex < state_.v.size());
    state_.v[vertex] += inverse_masses_[vertex] * impulse;
    state_.forget();
    moved();
}

// -- measures -----------------------------------------------------------------------------------------

Box3 DeformableBody::bounds() const {
    Box3 box;
    for (const Vec3& p : state_.x) box.add(p);
    return box.grown(settings_.radius);
}

double DeformableBody::speed_spread() const {
    double fastest2 = 0;
    for (const Vec3& v : state_.v) fastest2 = std::max(fastest2, norm2(v));
    return std::sqrt(fastest2);
}

double DeformableBody::kinetic_energy() const {
    if (script_) return 0;
    double sum = 0;
    for (std::size_t i = 0; i < masses_.size(); ++i) sum += masses_[i] * norm2(state_.v[i]);
    return 0.5 * sum;
}

Vec3 DeformableBody::centre() const {
    Vec3 sum{};
    for (std::size_t i = 0; i < masses_.size(); ++i) sum += masses_[i] * state_.x[i];
    return sum / mass_;
}

double DeformableBody::potential(std::span<const Vec3> x) const {
    PLUSH_ASSERT(x.size() == masses_.size() && forces_.size() == masses_.size());
    double sum = 0;
    for (const auto& element : elements_) sum += element->energy(x);
    for (std::size_t i = 0; i < x.size(); ++i) sum -= dot(forces_[i] + masses_[i] * gravity_, x[i]);
    return sum;
}

double DeformableBody::elastic_energy() const {
    double sum = 0;
    for (const auto& element : elements_) sum += element->energy(state_.x);
    return sum;
}

double DeformableBody::field_energy() const {
    double sum = 0;
    for (const auto& element : elements_)
        if (element->force_kind() == ForceKind::contact) sum += element->energy(state_.x);
    return sum;
}

double DeformableBody::gravity_energy(const Vec3& gravity) const {
    if (script_) return 0;
    Vec3 sum{};
    for (std::size_t i = 0; i < masses_.size(); ++i) sum += masses_[i] * state_.x[i];
    return -dot(gravity, sum);
}

Vec3 DeformableBody::momentum() const {
    if (script_) return {};
    Vec3 sum{};
    for (std::size_t i = 0; i < masses_.size(); ++i) sum += masses_[i] * state_.v[i];
    return sum;
}

Vec3 DeformableBody::angular_momentum() const {
    if (script_) return {};
    Vec3 sum{};
    for (std::size_t i = 0; i < masses_.size(); ++i) sum += masses_[i] * cross(state_.x[i], state_.v[i]);
    return sum;
}

bool DeformableBody::is_finite() const {
    const auto finite = [](const Vec3& v) { return plush::is_finite(v); };
    return std::all_of(state_.x.begin(), state_.x.end(), finite) &&
           std::all_of(state_.v.begin(), state_.v.end(), finite);
}

void visit_state(StateVisitor& v, DeformableBody::Pin& pin) {
    v(pin.vertex, pin.keyframes);
}

void DeformableBody::visit_state(StateVisitor& v) {
    v(state_, forces_, pins_, settings_.damping, settings_.wind);
    for (const auto& element : elements_) element->visit_state(v);
    if (matcher_) matcher_->visit_state(v);
    if (!dynamic_cast<const StateReader*>(&v)) return;  // nothing was changed
    // A restored state may be another, and a damaged one anything: its sizes must be those of the body, and
    // what follows from it is made again.
    state_.x.resize(masses_.size()), state_.v.resize(masses_.size()), forces_.resize(masses_.size());
    std::erase_if(pins_, [&](const Pin& p) { return p.vertex >= masses_.size() || p.keyframes.empty(); });
    mark_pins();
    moved();
}

}  // namespace plush
