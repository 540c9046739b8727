#include "render/tracer.hpp"

#include <algorithm>
#include <array>

#include "render/lighting.hpp"
#include "render/sample_surface.hpp"

// A pixel is the mean of a few rays. Each that meets a surface asks twice more: does a random place of the
// sun see this point, and does a random direction of the sky? Few answers are noisy; they become smooth by
// interleaved sampling (Keller and Heidrich 2001): the pixels of every 4 × 4 block share one well-spread
// sequence, each takes its own part of it, and after that every pixel averages the answers (not the colours)
// of the 5 × 5 pixels around it that lie on the same surface. In that window each of the 16 parts counts the
// same, so that on an even surface nothing of the pattern is left. On outlines a pixel sees several surfaces:
// each of them asks its own neighbours.
//
// The picture is cut into tiles that depend on nothing else: any number of threads gives the same bytes.

namespace plush::render {

namespace {

constexpr int tile_side = 96;  // pixels; its rim below is drawn twice: 9 in 100 more
constexpr int rim = 2;         // of the window of 5 × 5
constexpr std::array<double, 5> window{0.5, 1, 1, 1, 0.5};
constexpr double seen_volume = 0.75;  // of a volume behind a surface: it is nearly always behind one
constexpr double sky_reach = 0.6;     // of the subject's radius: what is farther away hides no sky
/// Of a translucent surface: how much of what is seen is its own light, and how much of its colour the rest takes on.
constexpr double own_share = 0.5, tint_share = 0.75;
constexpr int max_layers = 12;  // of surfaces behind one another
constexpr std::size_t questions_behind = 12;

int samples_of(RenderQuality quality) {
    switch (quality) {
        case RenderQuality::draft:
            return 1;
        case RenderQuality::normal:
            return 4;
        case RenderQuality::high:
            return 16;
    }
    return 4;
}

/// The n-th point of a well-spread sequence in the unit square (Roberts 2018, the plastic number), turned.
struct Spread {
    double a, b;
};
Spread spread(std::uint64_t n, double turn_a = 0.5, double turn_b = 0.5) {
    const auto k = static_cast<double>(n);
    const double a = turn_a + k * 0.7548776662466927, b = turn_b + k * 0.5698402909980532;
    return {a - std::floor(a), b - std::floor(b)};
}

/// Which part of the sequence a pixel of a 4 × 4 block takes: neighbours take parts that are far apart.
constexpr std::array<int, 16> part_of_block{0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};

/// What those rays of a pixel found that met the same surface.
struct Patch {
    Light light{};  // the sum
    Vec3 place{}, normal{};
    double sun_seen = 0, sun_asked = 0, sky_seen = 0, sky_asked = 0;
    int object = -1;
};

/// The patches of a field of pixels, those of a pixel one after the other.
struct Field {
    int stride = 0;
    std::vector<Patch> patches{};
    std::vector<std::size_t> first{0};  // of each pixel, and the end

    std::span<const Patch> at(int x, int y) const {
        const auto k = static_cast<std::size_t>(y * stride + x);
        return {patches.data() + first[k], first[k + 1] - first[k]};
    }
};

/// A direction of the upper half space, cosine-weighted: a disc, lifted onto the hemisphere (Malley's
/// method).
Vec3 lifted(const Spread& s) {
    const double r = std::sqrt(s.a), angle = 6.283185307179586 * s.b;
    return {r * std::cos(angle), r * std::sin(angle), std::sqrt(1 - s.a)};
}

/// The same about n.
Vec3 around(const Vec3& n, const Vec3& lifted) {
    const Vec3 u = perpendicular(n), v = cross(n, u);
    return u * lifted.x + v * lifted.y + n * lifted.z;
}

}  // namespace

struct Tracer::Impl {
    explicit Impl(std::span<const FrameMesh> given) : meshes(given) {}
    RayScene scene{}, marks{};
    MeshShelf meshes;
    bool ready = false;  // the scene has the meshes: not before the first picture, there may be none
};

Tracer::Tracer(std::span<const FrameMesh> meshes) : impl_(std::make_unique<Impl>(meshes)) {}
Tracer::~Tracer() = default;
Tracer::Tracer(Tracer&&) noexcept = default;
Tracer& Tracer::operator=(Tracer&&) noexcept = default;

namespace {

/// Everything that stays the same while one picture is drawn.
class Shot {
public:
    Shot(const SampledScene& sampled, const RayScene& marks, const Camera& camera, int width, int height,
         RenderQuality quality)
        : sampled_(sampled),
          marks_(marks),
          stage_(sampled.stage()),
          studio_(stage_.up),
          lens_(camera, width, height),
          samples_(samples_of(quality)) {
        for (int n = 0; n < 16 * samples_; ++n) {
            const auto k = static_cast<std::uint64_t>(n);
            const Spread on_disc = spread(k);
            sun_towards_.push_back(studio_.sun_sample(on_disc.a, on_disc.b));
            sky_lifted_.push_back(lifted(spread(k, 0.25, 0.75)));
        }
    }

    void tile(Picture& picture, int left, int top) const;

private:
    /// Adds the s-th ray of pixel (x, y) to one of the patches that begin at `first`, or to a new one.
    void ray(int x, int y, int s, std::vector<Patch>& patches, std::size_t first) const;
    // The n-th question of a block, to the sun and to the sky: 1 where nothing is in between, else 0.
    double ask_sun(const Surface& surface, std::size_t n) const;
    double ask_sky(const Surface& surface, std::size_t n) const;
    /// What the surface sends towards the eye, by what hides it.
    Light light_of(const Surface& surface, const Vec3& direction) const;
    /// What is seen through a translucent surface.
    Vec3 behind(const Ray& ray, const Surface& first) const;
    Vec3 finished(const Field& field, int x, int y) const;

    const SampledScene& sampled_;
    const RayScene& marks_;
    const Stage& stage_;
    Studio studio_;
    Lens lens_;
    int samples_;
    std::vector<Vec3> sun_towards_, sky_lifted_;  // the questions of a block
};

double Shot::ask_sun(const Surface& surface, std::size_t n) const {
    return sampled_.blocked({surface.raised, sun_towards_[n], surface.gap}) ? 0 : 1;
}

double Shot::ask_sky(const Surface& surface, std::size_t n) const {
    const Vec3 towards = around(surface.normal, sky_lifted_[n]);
    if (dot(towards, surface.flat_normal) <= 0) return 1;
    return sampled_.blocked({surface.raised, towards, surface.gap, sky_reach * stage_.radius}) ? 0 : 1;
}

/// The patch of this pixel on the same surface, or a new one.
Patch& patch_of(std::vector<Patch>& patches, std::size_t first, const std::optional<Surface>& surface) {
    const int object = surface ? surface->object : -1;
    for (std::size_t i = first; i < patches.size(); ++i) {
        if (patches[i].object == object && (!surface || dot(surface->normal, patches[i].normal) > 0.9))
            return patches[i];
    }
    Patch& patch = patches.emplace_back();
    patch.object = object;
    if (surface) patch.place = surface->place, patch.normal = surface->normal;
    return patch;
}

Light Shot::light_of(const Surface& surface, const Vec3& direction) const {
    Light light = !surface.cloth ? studio_.matt(surface.colour, surface.normal)
                  : surface.finish == Finish::matt
                      ? studio_.cloth(surface.colour, surface.normal, -direction)
                      : studio_.shiny(surface.colour, surface.normal, -direction);
    light = light * (1 - surface.fade);
    light.base += studio_.background(direction) * surface.fade;
    return light;
}

Vec3 Shot::behind(const Ray& ray, const Surface& first) const {
    Vec3 tint = mix({1, 1, 1}, first.colour, tint_share), seen{};
    Ray rest = ray;
    rest.near = first.distance + first.gap;
    double share = 1;
    for (int layer = 0; layer < max_layers; ++layer) {
        const auto surface = sampled_.first(rest, lens_.pixel());
        if (!surface) return seen + times(tint, studio_.background(ray.direction)) * share;
        rest.near = surface->distance + surface->gap;
        const bool clear = surface->finish == Finish::translucent;
        if (clear && surface->from_behind) continue;  // where the light leaves the body again
        // The same questions for every pixel: nothing averages these answers over neighbours, and a pattern would show.
        double sun = 0, sky = 0;
        for (std::size_t q = 0; q < questions_behind; ++q) {
            const std::size_t n = q * sky_lifted_.size() / questions_behind;
            sun += dot(surface->normal, studio_.sun()) > 0 ? ask_sun(*surface, n) : 0;
            sky += ask_sky(*surface, n);
        }
        const Vec3 colour =
            light_of(*surface, ray.direction).seen(sun / questions_behind, sky / questions_behind);
        seen += times(tint, colour) * (clear ? share * own_share : share);
        if (!clear) return seen;
        share *= 1 - own_share;
        tint = times(tint, mix({1, 1, 1}, surface->colour, tint_share));
    }
    return seen + times(tint, first.colour) * share;  // too many layers to tell
}

void Shot::ray(int x, int y, int s, std::vector<Patch>& patches, std::size_t first) const {
    const Spread inside = spread(static_cast<std::uint64_t>(s));
    const Vec3 direction = lens_.direction(x + inside.a, y + inside.b);
    const Ray ray{lens_.position(), direction};
    const std::optional<Surface> surface = sampled_.first(ray, lens_.pixel());
    Patch& patch = patch_of(patches, first, surface);
    Light light;
    if (surface) {
        const int block = part_of_block[static_cast<std::size_t>((y & 3) * 4 + (x & 3))];
        const auto n = static_cast<std::size_t>(block * samples_ + s);
        light = light_of(*surface, direction);
        if (surface->finish == Finish::translucent) {
            light = light * own_share;
            light.base += behind(ray, *surface) * (1 - own_share);
        }
        if (surface->fade < 1 && dot(surface->normal, studio_.sun()) > 0)
            patch.sun_seen += ask_sun(*surface, n), ++patch.sun_asked;
        if (surface->fade < 1) patch.sky_seen += ask_sky(*surface, n), ++patch.sky_asked;
    } else {
        light.base = studio_.background(direction);
    }
    const bool marked = !stage_.marks.empty() || !stage_.volumes.empty();
    if (const auto mark = marked ? marks_.first(ray) : std::nullopt) {
        const bool hidden = surface && surface->distance<mark->distance, volume = mark->object> 0;
        const double cover = !hidden ? 1 : volume ? seen_volume : 0.5;
        const Vec3 colour = volume ? stage_.volumes[static_cast<std::size_t>(mark->object - 1)].colour
                                   : stage_.marks[static_cast<std::size_t>(mark->primitive)].colour;
        light = light * (1 - cover);
        light.base += studio_.matt(colour, mark->normal).seen(1, 1) * cover;
    }
    patch.light += light;
}

/// The colour of the pixel at (x, y) of a field with its rim.
Vec3 Shot::finished(const Field& field, int x, int y) const {
    Vec3 colour{};
    for (const Patch& my : field.at(x, y)) {
        if (my.object < 0) {
            colour += my.light.base;
            continue;
        }
        // Two patches lie on one surface when the one is no farther from the other's tangent plane than this.
        const double flat = 4 * lens_.pixel() * norm(my.place - lens_.position());
        double sun = 0, sun_asked = 0, sky = 0, sky_asked = 0;
        for (int j = -rim; j <= rim; ++j) {
            for (int i = -rim; i <= rim; ++i) {
                const double weight =
                    window[static_cast<std::size_t>(i + rim)] * window[static_cast<std::size_t>(j + rim)];
                for (const Patch& other : field.at(x + i, y + j)) {
                    if (other.object != my.object || dot(other.normal, my.normal) < 0.85) continue;
                    if (std::abs(dot(my.normal, other.place - my.place)) > flat) continue;
                    sun += weight * other.sun_seen, sun_asked += weight * other.sun_asked;
                    sky += weight * other.sky_seen, sky_asked += weight * other.sky_asked;
                }
            }
        }
        colour += my.light.seen(sun_asked > 0 ? sun / sun_asked : 1, sky_asked > 0 ? sky / sky_asked : 1);
    }
    return colour / samples_;
}

void Shot::tile(Picture& picture, int left, int top) const {
    const int width = std::min(tile_side, picture.width - left);
    const int height = std::min(tile_side, picture.height - top);
    Field field{.stride = width + 2 * rim};
    for (int j = -rim; j < height + rim; ++j) {
        for (int i = -rim; i < width + rim; ++i) {
            const std::size_t first = field.patches.size();
            for (int s = 0; s < samples_; ++s) ray(left + i, top + j, s, field.patches, first);
            field.first.push_back(field.patches.size());
        }
    }
    for (int j = 0; j < height; ++j) {
        for (int i = 0; i < width; ++i) {
            const Vec3 c = tone(finished(field, i + rim, j + rim));
            std::uint8_t* out = picture.rgb.data() + picture.at(left + i, top + j);
            out[0] = to_byte(c.x), out[1] = to_byte(c.y), out[2] = to_byte(c.z);
        }
    }
}

}  // namespace

Result<Picture> Tracer::draw(const Stage& stage, const Camera& camera, int width, int height,
                             RenderQuality quality, const Parallel& parallel) {
    Impl& my = *impl_;
    if (!my.ready)
        for (const FrameMesh& mesh : my.meshes.given) my.scene.add_mesh(mesh.positions, mesh.triangles);
    my.ready = true;
    const SampledScene sampled(&my.scene, my.meshes, stage, camera.position, parallel);
    if (auto ready = my.scene.commit(); !ready) return ready.error();
    std::vector<RoundCone> cones;
    for (const StageMark& mark : stage.marks) cones.push_back(mark.shape);
    my.marks.begin(stage.centre);
    my.marks.add_cones(cones);
    for (const StageVolume& volume : stage.volumes) my.marks.add_surface(volume.positions, volume.triangles);
    if (auto ready = my.marks.commit(); !ready) return ready.error();

    Picture picture(width, height);
    const Shot shot(sampled, my.marks, camera, width, height, quality);
    const int across = (width + tile_side - 1) / tile_side, down = (height + tile_side - 1) / tile_side;
    parallel.each(static_cast<std::size_t>(across * down), 1, [&](std::size_t k) {
        const int tile = static_cast<int>(k);
        shot.tile(picture, tile % across * tile_side, tile / across * tile_side);
    });
    return picture;
}

}  // namespace plush::render
