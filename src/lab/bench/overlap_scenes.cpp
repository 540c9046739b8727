#include "lab/bench/overlap_scenes.hpp"

#include <algorithm>

#include "plush/geometry/generate.hpp"

namespace plush::lab {
namespace {

OverlapBody body_of(const Mesh& mesh, std::shared_ptr<const SurfaceClusters> clusters, const Transform& pose,
                    bool rigid) {
    OverlapBody body{.mesh = mesh, .clusters = std::move(clusters), .rigid = rigid};
    body.positions.assign(mesh.positions().begin(), mesh.positions().end());
    if (rigid)
        body.pose = pose;
    else
        for (Vec3& p : body.positions) p = pose * p;
    if (rigid)
        body.bounds.settle(*body.clusters, body.positions);
    else
        body.bounds.refit(*body.clusters, body.positions);
    return body;
}

/// The same mesh with its vertices in the order in which its clusters use them, as an engine would keep a
/// body that deforms: a generated mesh has them in the order of its making, all over memory.
Mesh in_cluster_order(const Mesh& mesh) {
    const SurfaceClusters clusters(mesh.positions(), mesh.triangles());
    std::vector<int> number(mesh.positions().size(), -1);
    std::vector<Vec3> positions;
    for (const std::uint32_t v : clusters.vertices()) {
        if (number[v] >= 0) continue;
        number[v] = static_cast<int>(positions.size());
        positions.push_back(mesh.positions()[v]);
    }
    std::vector<Triangle> triangles;
    for (const Triangle& t : mesh.triangles())
        triangles.push_back({number[static_cast<std::size_t>(t[0])], number[static_cast<std::size_t>(t[1])],
                             number[static_cast<std::size_t>(t[2])]});
    return Mesh(std::move(positions), std::move(triangles));
}

std::shared_ptr<const SurfaceClusters> clusters_of(const Mesh& mesh) {
    return std::make_shared<const SurfaceClusters>(mesh.positions(), mesh.triangles());
}

/// How far the second may be moved against a direction until it overlaps the first by this depth, found by
/// halving.
Transform pressed(const Mesh& mesh, const SurfaceClusters& clusters, const Quat& turn, const Vec3& direction,
                  double depth, double pixel) {
    const double size = norm(mesh.bounds().size());
    double touching = 0, apart = 2 * size;
    OverlapFinder finder;
    const auto deepest = [&](double distance) {
        ClusterBounds bounds;
        bounds.refit(clusters, mesh.positions());
        const SurfaceView a{.surface = &clusters, .positions = mesh.positions(), .bounds = &bounds};
        SurfaceView b = a;
        b.pose = {direction * distance, turn};
        static_cast<void>(finder.find({.a = a, .b = b}, {.pixel = pixel}, {}));
        double most = 0;
        for (const Overlap& o : finder.model().contacts) most = std::max(most, o.largest_depth);
        return most;
    };
    for (int i = 0; i < 20; ++i) {
        const double middle = 0.5 * (touching + apart);
        (deepest(middle) > depth ? touching : apart) = middle;
    }
    return {direction * touching, turn};
}

}  // namespace

Box3 OverlapBody::box() const {
    const ImageMap map{to_matrix(pose.rotation), pose.position};
    return map(bounds.all);
}

void OverlapBody::refit() {
    if (!rigid) bounds.refit(*clusters, positions);
}

Box3 OverlapScene::box() const {
    Box3 all;
    for (const OverlapBody& b : bodies) all.add(b.box());
    return all;
}

long long OverlapScene::triangles() const {
    long long sum = 0;
    for (const OverlapBody& b : bodies) sum += static_cast<long long>(b.mesh.triangles().size());
    return sum;
}

OverlapScene two_creatures(bool rigid, const Vec3& direction) {
    const Mesh mesh = in_cluster_order(generate({.shape = "armadillo", .triangles = 345'944}).value());
    const auto clusters = clusters_of(mesh);
    OverlapScene scene{.paper_ms = 19.63};
    scene.name =
        std::string(std::abs(direction.y) > std::abs(direction.x) ? "one on the other" : "side by side") +
        (rigid ? ", rigid" : ", deformable");
    // Side by side they are about 1.75 long, 280 pixels of 1/160; a light contact is two pixels deep.
    const double pixel = 1.0 / 160;
    const Transform other =
        pressed(mesh, *clusters, exp_rotation({0.2, 0.9, 0.1}), normalised(direction), 2 * pixel, pixel);
    scene.bodies = {body_of(mesh, clusters, {}, rigid), body_of(mesh, clusters, other, rigid)};
    scene.pixel = max_component(scene.box().size()) / 280;
    scene.cell = 16 * scene.pixel;
    return scene;
}

OverlapScene forty_toys() {
    OverlapScene scene{.name = "forty toys", .paper_ms = 47.88};
    // Balls with knobs in a brick pattern, squeezed where they meet: a vertex beyond the middle plane to a
    // neighbour, and half a pixel more, is put there.
    const int nx = 7, ny = 2, nz = 3;
    const double spacing = 0.92;
    std::vector<Vec3> centres;
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                centres.push_back({spacing * (i + 0.5 * (j % 2)), 0.85 * spacing * j, spacing * k});
    centres.resize(40);  // two fewer
    const double length = spacing * (nx + 0.5);
    scene.pixel = length / 1232;
    scene.cell = 24 * scene.pixel;
    for (std::size_t c = 0; c < centres.size(); ++c) {
        const Mesh ball = in_cluster_order(
            generate({.shape = "bumpy", .triangles = 18'000, .seed = static_cast<int>(c % 8) + 1}).value());
        OverlapBody body{.mesh = ball, .clusters = clusters_of(ball)};
        for (const Vec3& rest : ball.positions()) {
            Vec3 p = rest + centres[c];
            for (const Vec3& other : centres) {
                if (other == centres[c]) continue;
                const Vec3 n = normalised(other - centres[c]);
                const double beyond =
                    dot(n, p - 0.5 * (other + centres[c])) - 0.25 * scene.pixel;  // half of half a pixel
                if (beyond > 0) p -= n * beyond;
            }
            body.positions.push_back(p);
        }
        body.bounds.refit(*body.clusters, body.positions);
        scene.bodies.push_back(std::move(body));
    }
    return scene;
}

OverlapScene three_octopuses() {
    OverlapScene scene{.name = "three octopuses, with themselves", .paper_ms = 6.87, .self = true};
    const Mesh mesh = in_cluster_order(generate({.shape = "octopus", .triangles = 15'000}).value());
    const auto clusters = clusters_of(mesh);
    const std::array<Transform, 3> poses{Transform{},
                                         {{0.72, 0.45, 0.1}, exp_rotation({0.3, 0.2, 1.1})},
                                         {{0.1, 0.75, 0.35}, exp_rotation({-0.8, 0.5, 0.4})}};
    for (const Transform& pose : poses) {
        OverlapBody body{.mesh = mesh, .clusters = clusters};
        for (const Vec3& rest : mesh.positions()) {
            // Every second gap between two arms is closed until they overlap.
            const double r = std::hypot(rest.x, rest.z), beyond = std::clamp((r - 0.2) / 0.15, 0.0, 1.0);
            const double angle = std::atan2(rest.z, rest.x);
            const double moved = angle + 0.34 * beyond * std::sin(4 * angle);
            body.positions.push_back(pose * Vec3{r * std::cos(moved), rest.y, r * std::sin(moved)});
        }
        body.bounds.refit(*body.clusters, body.positions);
        scene.bodies.push_back(std::move(body));
    }
    scene.pixel = max_component(scene.box().size()) / 390;
    scene.cell = 16 * scene.pixel;
    return scene;
}

OverlapScene two_balls(int triangles) {
    const Mesh ball = in_cluster_order(generate({.shape = "icosphere", .triangles = triangles}).value());
    const auto clusters = clusters_of(ball);
    OverlapScene scene{.name = "two balls", .pixel = 1.0 / 200};
    const Transform other{normalised(Vec3{1, 0.6, 0.3}) * (1 - 2 * scene.pixel), exp_rotation({1, 2, 3})};
    scene.bodies = {body_of(ball, clusters, {}, true), body_of(ball, clusters, other, true)};
    return scene;
}

void OverlapStep::run(OverlapScene& scene) {
    parallel_.each(scene.bodies.size(), 1, [&](std::size_t i) { scene.bodies[i].refit(); });
    std::vector<Box3> boxes;
    for (const OverlapBody& b : scene.bodies) boxes.push_back(b.box());
    pairs_ = broad_.find(boxes);
    for (std::uint32_t i = 0; scene.self && i < boxes.size(); ++i) pairs_.push_back({i, i});
    while (finders_.size() < pairs_.size()) finders_.push_back(std::make_unique<OverlapFinder>());
    // Pairs that stay keep the direction of their contact; with others it starts from the boxes again. Either
    // way the result is the same.
    if (directions_.size() != pairs_.size()) directions_.assign(pairs_.size(), {});
    // A lone pair is spread over the threads, many pairs are a task each.
    const bool many = pairs_.size() > 1;
    const auto find = [&](std::size_t i, const Parallel* inside) {
        const ImageSettings images{.pixel = scene.pixel, .direction = directions_[i]};
        static_cast<void>(finders_[i]->find(pair(scene, i), images, model(scene), inside));
        const auto& contacts = finders_[i]->model().contacts;
        const auto largest =
            std::max_element(contacts.begin(), contacts.end(),
                             [](const Overlap& a, const Overlap& b) { return a.volume < b.volume; });
        directions_[i] = largest == contacts.end() ? Vec3{} : -largest->normal;
    };
    if (many)
        parallel_.each(pairs_.size(), 1, [&](std::size_t i) { find(i, nullptr); });
    else
        for (std::size_t i = 0; i < pairs_.size(); ++i)
            find(i, parallel_.threads() > 1 ? &parallel_ : nullptr);
}

ModelSettings OverlapStep::model(const OverlapScene& scene) const {
    return {.split = scene.cell > 0 ? OverlapSplit::cells : OverlapSplit::whole,
            .cell = scene.cell,
            .rows = scene.bodies[0].rigid ? GradientRows::none : GradientRows::vertices};
}

double OverlapStep::volume() const {
    double sum = 0;
    for (std::size_t i = 0; i < pairs_.size(); ++i)
        for (const Overlap& o : finders_[i]->model().contacts) sum += o.volume;
    return sum;
}

long long OverlapStep::columns() const {
    long long sum = 0;
    for (std::size_t i = 0; i < pairs_.size(); ++i)
        for (const auto& list : finders_[i]->images().intervals) sum += static_cast<long long>(list.size());
    return sum;
}

long long OverlapStep::contacts() const {
    long long sum = 0;
    for (std::size_t i = 0; i < pairs_.size(); ++i)
        sum += static_cast<long long>(finders_[i]->model().contacts.size());
    return sum;
}

int OverlapStep::touching() const {
    int sum = 0;
    for (std::size_t i = 0; i < pairs_.size(); ++i) sum += finders_[i]->model().contacts.empty() ? 0 : 1;
    return sum;
}

}  // namespace plush::lab
