#include "render/rasteriser.hpp"

#include <algorithm>
#include <array>

#include "render/lighting.hpp"
#include "render/stage_triangles.hpp"
#include "render/sun_map.hpp"

// A picture in five steps:
//   1. the backdrop: planes and sky, pixel by pixel. It is kept while camera and planes stay.
//   2. a z-buffer of the bodies, as numbers of triangles and round cones;
//   3. a z-buffer of the same that the sun sees, for shadows (sun_map.hpp);
//   4. for each pixel whose triangle is nearer than the backdrop: the surface there and its light, as the tracer has them;
//   5. how much of the sky a pixel sees, from the depths around it ("Alchemy" obscurance, McGuire et al. 2011), the sums.
// The sun's and the sky's parts come from few questions; as in the tracer the pixels of every 4 × 4 block ask different
// ones, and take the mean of the answers around them.
// Nothing of it depends on who draws which pixels: any number of threads gives the same bytes.

namespace plush::render {

namespace {

constexpr std::size_t rows_of_task = 8;
constexpr double least_depth = 1e-3;  // of the subject's radius: nearer triangles are cut off
constexpr double sky_reach = 0.5;     // of the subject's radius: what is farther away hides no sky
constexpr std::size_t sky_taps = 12;
constexpr double sky_strength = 2.4;  // so that corners are as dark as the tracer's
constexpr double sky_grazing =
    0.08;  // a sine: what rises less hides nothing, it may be the surface's own curve
constexpr int max_sky_pixels = 160;
/// Which part of the questions a pixel of a 4 × 4 block takes: neighbours take parts that are far apart.
constexpr std::array<std::size_t, 16> part_of_block{0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};
std::size_t part_at(int x, int y) {
    return part_of_block[static_cast<std::size_t>((y & 3) * 4 + (x & 3))];
}

Vec3f to_float(const Vec3& v) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

constexpr int sky_object = -1;

/// What a pixel shows: base + sun_seen · sun + sky_seen · sky.
struct Shown {
    Vec3f base{}, sun{}, sky{};
    Vec3f normal{};
    float near = 0;  // 1 / depth along the view; 0: the sky
    float sun_seen = 1;
    int object = sky_object;
    bool plain = false;  // the backdrop, in full light: its bytes are known
};

/// What does not change while bodies move.
struct Backdrop {
    struct Of {
        Camera camera{};
        int width = 0, height = 0;
        std::vector<StagePlane> planes{};
        Vec3 up{}, centre{};
        double radius = 0, grid = 0;
        std::size_t objects = 0;  // before the planes
        bool operator==(const Of&) const = default;
    };
    std::optional<Of> of{};
    std::vector<Shown> shown{};
    Picture picture{};
};

struct SkyTap {
    float x, y;
};
/// The places that the 16 parts look at, in a disc of radius 1: together one golden spiral.
const std::array<std::array<SkyTap, sky_taps>, 16>& sky_spiral() {
    static const auto made = [] {
        std::array<std::array<SkyTap, sky_taps>, 16> out{};
        for (std::size_t n = 0; n < 16 * sky_taps; ++n) {
            const double k = static_cast<double>(n) + 1, r = k / (16.0 * sky_taps),
                         angle = 2.399963229728653 * k;
            out[n % 16][n / 16] = {static_cast<float>(r * std::cos(angle)),
                                   static_cast<float>(r * std::sin(angle))};
        }
        return out;
    }();
    return made;
}

/// The sRGB curve by table: powers would cost more than all else of a pixel.
std::uint8_t quick_byte(double linear) {
    constexpr int steps = 8192;
    static const std::vector<std::uint8_t> table = [] {
        std::vector<std::uint8_t> bytes;
        for (int i = 0; i <= steps; ++i) bytes.push_back(to_byte(static_cast<double>(i) / steps));
        return bytes;
    }();
    return table[static_cast<std::size_t>(std::clamp(linear, 0.0, 1.0) * steps + 0.5)];
}

}  // namespace

struct Rasteriser::Impl {
    explicit Impl(std::span<const FrameMesh> given) : meshes(given) {}
    MeshShelf meshes;
    Backdrop backdrop{};
    DepthMap bodies{}, marks{};
    SunMap sun{};
    std::vector<Projection::Place> places{};
    std::vector<Shown> shown{};
    std::vector<float> nears{};  // of shown
    std::vector<float> sky{};    // of every second pixel of every second row; negative: not asked, all of it
};

Rasteriser::Rasteriser(std::span<const FrameMesh> meshes) : impl_(std::make_unique<Impl>(meshes)) {}
Rasteriser::~Rasteriser() = default;
Rasteriser::Rasteriser(Rasteriser&&) noexcept = default;
Rasteriser& Rasteriser::operator=(Rasteriser&&) noexcept = default;

bool Rasteriser::can_draw(const Stage& stage) {
    const auto clear = [](const auto& things) {
        return std::any_of(things.begin(), things.end(),
                           [](const auto& t) { return t.finish == Finish::translucent; });
    };
    return stage.volumes.empty() && !clear(stage.bodies) && !clear(stage.softs) && !clear(stage.balls) &&
           !clear(stage.tubes);
}

namespace {

/// One picture under way.
class Draft {
public:
    Draft(const SampledScene& sampled, const Camera& camera, int width, int height, const Parallel& parallel)
        : sampled_(sampled),
          stage_(sampled.stage()),
          studio_(stage_.up),
          lens_(camera, width, height),
          view_(Projection::central(lens_, width, height, least_depth * stage_.radius)),
          width_(width),
          height_(height),
          parallel_(parallel) {}

    const Projection& view() const { return view_; }
    const Studio& studio() const { return studio_; }
    void paint_backdrop(Backdrop& backdrop, int first_plane) const;
    void paint(const Backdrop& backdrop, const StageTriangles& things, const DepthMap& bodies,
               const DepthMap& marks, const SunMap& sun, std::vector<Shown>& shown,
               std::vector<float>& nears) const;
    void ask_sky(const std::vector<Shown>& shown, const std::vector<float>& nears,
                 std::vector<float>& sky) const;
    void finish(const Backdrop& backdrop, const std::vector<Shown>& shown, const std::vector<float>& sky,
                Picture& picture) const;

private:
    std::size_t at(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
    }
    template <class F>
    void each_pixel(const F& f) const {
        parallel_.each(static_cast<std::size_t>(height_), rows_of_task, [&](std::size_t row) {
            for (int x = 0; x < width_; ++x) f(x, static_cast<int>(row));
        });
    }
    Ray ray(int x, int y) const { return {lens_.position(), lens_.direction(x + 0.5, y + 0.5)}; }
    /// The same with distance for depth.
    Shown shown_of(const Surface& surface, const Ray& ray) const;
    int sky_pixels(float near) const;
    double sky_at(const std::vector<Shown>& shown, const std::vector<float>& nears, int x, int y) const;
    double mean_sun(const std::vector<Shown>& shown, int x, int y) const;
    double mean_sky(const std::vector<Shown>& shown, const std::vector<float>& sky, int x, int y) const;
    bool same_surface(const Shown& a, const Shown& b) const;
    void put(const Vec3& light, std::uint8_t* out) const {
        const Vec3 c = tone(light);
        out[0] = quick_byte(c.x), out[1] = quick_byte(c.y), out[2] = quick_byte(c.z);
    }

    const SampledScene& sampled_;
    const Stage& stage_;
    Studio studio_;
    Lens lens_;
    Projection view_;
    int width_, height_;
    const Parallel& parallel_;
};

Shown Draft::shown_of(const Surface& surface, const Ray& ray) const {
    Light light = !surface.cloth ? studio_.matt(surface.colour, surface.normal)
                  : surface.finish == Finish::matt
                      ? studio_.cloth(surface.colour, surface.normal, -ray.direction)
                      : studio_.shiny(surface.colour, surface.normal, -ray.direction);
    light = light * (1 - surface.fade);
    if (surface.fade > 0) light.base += studio_.background(ray.direction) * surface.fade;
    const double depth = surface.distance * dot(ray.direction, lens_.forward());
    return {.base = to_float(light.base),
            .sun = to_float(light.sun),
            .sky = to_float(light.sky),
            .normal = to_float(surface.normal),
            .near = static_cast<float>(1 / depth),
            .object = surface.object};
}

void Draft::paint_backdrop(Backdrop& backdrop, int first_plane) const {
    backdrop.shown.resize(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
    backdrop.picture = Picture(width_, height_);
    each_pixel([&](int x, int y) {
        const Ray to = ray(x, y);
        Shown shown{.base = to_float(studio_.background(to.direction))};
        if (const auto plane = sampled_.first_plane(to)) {
            const Surface surface = sampled_.on_plane(to, *plane, lens_.pixel());
            shown = shown_of(surface, to);
            shown.object = first_plane + static_cast<int>(plane->plane);
            // What is faded out has no shadows and throws none on its neighbours.
            if (surface.fade >= 1) shown.object = sky_object;
        }
        shown.plain = true;
        put(to_double(shown.base) + to_double(shown.sun) + to_double(shown.sky),
            backdrop.picture.rgb.data() + backdrop.picture.at(x, y));
        backdrop.shown[at(x, y)] = shown;
    });
}

void Draft::paint(const Backdrop& backdrop, const StageTriangles& things, const DepthMap& bodies,
                  const DepthMap& marks, const SunMap& sun, std::vector<Shown>& shown,
                  std::vector<float>& nears) const {
    shown.resize(backdrop.shown.size());
    nears.resize(shown.size());
    const Occupied occupied(bodies, parallel_);
    const bool folded = stage_.planes.size() > 1;  // planes may hide the sky from each other
    each_pixel([&](int x, int y) {
        Shown& out = shown[at(x, y)];
        const Shown& behind = backdrop.shown[at(x, y)];
        const bool body = bodies.near(x, y) > behind.near;
        Vec3 place, normal;
        if (body) {
            const Ray to = ray(x, y);
            const Surface surface = sampled_.surface(to, things.hit(to, bodies.number(x, y)), lens_.pixel());
            out = shown_of(surface, to);
            out.near = bodies.near(x, y);
            place = surface.raised, normal = surface.normal;
        } else {
            // Of most of these the bytes are known: the rest of them is copied where it is needed.
            out.plain = true, out.object = behind.object, out.near = behind.near, out.sun_seen = 1;
            if (out.object != sky_object) {
                const Ray to = view_.ray(x, y);
                place = to.origin + to.direction * (1 / static_cast<double>(out.near));
                normal = to_double(behind.normal);
                out.plain = !folded && !occupied.any(x, y, sky_pixels(out.near));
            }
        }
        nears[at(x, y)] = out.near;
        if (out.object != sky_object && dot(normal, studio_.sun()) > 0) {
            const double gap = 1e-4 * stage_.radius;
            const bool shaded =
                folded && sampled_.blocked_by_plane({place + normal * gap, studio_.sun(), gap});
            out.sun_seen = shaded ? 0.0f : static_cast<float>(sun.seen(place, normal, part_at(x, y)));
            out.plain = out.plain && out.sun_seen == 1;
        }
        const bool marked = marks.width() > 0 && marks.near(x, y) > 0;
        out.plain = out.plain && !marked;
        if (!body && !out.plain)
            out.base = behind.base, out.sun = behind.sun, out.sky = behind.sky, out.normal = behind.normal;
        if (!marked) return;
        const StageMark& mark = stage_.marks[marks.number(x, y)];
        const auto round = hit_cone(ray(x, y), mark.shape);
        const double cover = marks.near(x, y) < out.near ? 0.5 : 1;
        const auto fade = static_cast<float>(1 - cover);
        for (Vec3f* part : {&out.base, &out.sun, &out.sky}) part->x *= fade, part->y *= fade, part->z *= fade;
        const Vec3 own = studio_.matt(mark.colour, round ? round->normal : stage_.up).seen(1, 1) * cover;
        out.base = to_float(to_double(out.base) + own);
    });
}

/// How far around it a pixel looks for what hides the sky.
int Draft::sky_pixels(float near) const {
    const double pixels = sky_reach * stage_.radius * static_cast<double>(near) / lens_.pixel();
    return static_cast<int>(std::min<double>(pixels, max_sky_pixels));
}

/// Of the sky that pixel (x, y) would see without anything around it.
double Draft::sky_at(const std::vector<Shown>& shown, const std::vector<float>& nears, int x, int y) const {
    const Shown& here = shown[at(x, y)];
    const auto pixel = static_cast<float>(lens_.pixel());
    const float centre_x = 0.5f * static_cast<float>(width_ - 1),
                centre_y = 0.5f * static_cast<float>(height_ - 1);
    // In the axes of the camera.
    const auto place_of = [&](int i, int j, float near) {
        const float depth = 1 / near, size = pixel * depth;
        return Vec3f{(static_cast<float>(i) - centre_x) * size, (centre_y - static_cast<float>(j)) * size,
                     depth};
    };
    const Vec3 turned = to_double(here.normal);
    const Vec3f place = place_of(x, y, here.near);
    const Vec3f normal =
        to_float({dot(turned, lens_.right()), dot(turned, lens_.up()), dot(turned, lens_.forward())});
    const auto reach = static_cast<float>(sky_reach * stage_.radius), least = static_cast<float>(sky_grazing);
    const float reach2 = reach * reach;
    const auto radius = static_cast<float>(sky_pixels(here.near));
    float hidden = 0;
    for (const SkyTap& tap : sky_spiral()[part_at(x / 2, y / 2)]) {
        const int i = x + static_cast<int>(radius * tap.x), j = y + static_cast<int>(radius * tap.y);
        if (i < 0 || j < 0 || i >= width_ || j >= height_) continue;
        const float near = nears[at(i, j)];
        if (near <= 0) continue;
        const Vec3f p = place_of(i, j, near);
        const Vec3f v{p.x - place.x, p.y - place.y, p.z - place.z};
        const float length2 = v.x * v.x + v.y * v.y + v.z * v.z;
        if (length2 >= reach2 || length2 == 0) continue;
        const float up = v.x * normal.x + v.y * normal.y + v.z * normal.z;
        if (up <= 0) continue;
        hidden +=
            std::max(up / std::sqrt(length2) - least, 0.0f) * (1 - length2 * length2 / (reach2 * reach2));
    }
    return std::max(0.0, 1 - sky_strength * static_cast<double>(hidden) / sky_taps);
}

void Draft::ask_sky(const std::vector<Shown>& shown, const std::vector<float>& nears,
                    std::vector<float>& sky) const {
    const int across = (width_ + 1) / 2, down = (height_ + 1) / 2;
    sky.resize(static_cast<std::size_t>(across * down));
    parallel_.each(static_cast<std::size_t>(down), rows_of_task, [&](std::size_t row) {
        for (int x = 0; x < across; ++x) {
            const Shown& here = shown[at(2 * x, 2 * static_cast<int>(row))];
            const bool asks = !here.plain && here.object != sky_object;
            sky[row * static_cast<std::size_t>(across) + static_cast<std::size_t>(x)] =
                asks ? static_cast<float>(sky_at(shown, nears, 2 * x, 2 * static_cast<int>(row))) : 1.0f;
        }
    });
}

bool Draft::same_surface(const Shown& a, const Shown& b) const {
    return a.object == b.object && std::abs(a.near - b.near) < 0.03f * b.near;
}

double Draft::mean_sun(const std::vector<Shown>& shown, int x, int y) const {
    const Shown& here = shown[at(x, y)];
    if (here.sun_seen <= 0 || here.sun_seen >= 1) return static_cast<double>(here.sun_seen);
    double sum = 0, count = 0;
    for (int j = std::max(y - 2, 0); j <= std::min(y + 2, height_ - 1); ++j) {
        for (int i = std::max(x - 2, 0); i <= std::min(x + 2, width_ - 1); ++i) {
            const Shown& other = shown[at(i, j)];
            if (!same_surface(other, here)) continue;
            // Each of the 16 parts counts the same.
            const double weight = (std::abs(i - x) == 2 ? 0.5 : 1) * (std::abs(j - y) == 2 ? 0.5 : 1);
            sum += weight * static_cast<double>(other.sun_seen), count += weight;
        }
    }
    return count > 0 ? sum / count : static_cast<double>(here.sun_seen);
}

double Draft::mean_sky(const std::vector<Shown>& shown, const std::vector<float>& sky, int x, int y) const {
    const int across = (width_ + 1) / 2, down = (height_ + 1) / 2;
    const Shown& here = shown[at(x, y)];
    // A window of 4 × 4 holds each part once. It slides with the pixel.
    const int left = (x + 1) / 2 - 2, top = (y + 1) / 2 - 2;
    double sum = 0;
    int count = 0;
    for (int j = std::max(top, 0); j < std::min(top + 4, down); ++j) {
        for (int i = std::max(left, 0); i < std::min(left + 4, across); ++i) {
            if (!same_surface(shown[at(2 * i, 2 * j)], here)) continue;
            sum += static_cast<double>(sky[static_cast<std::size_t>(j * across + i)]), ++count;
        }
    }
    return count > 0 ? sum / count
                     : static_cast<double>(sky[static_cast<std::size_t>(y / 2 * across + x / 2)]);
}

void Draft::finish(const Backdrop& backdrop, const std::vector<Shown>& shown, const std::vector<float>& sky,
                   Picture& picture) const {
    each_pixel([&](int x, int y) {
        const Shown& here = shown[at(x, y)];
        std::uint8_t* out = picture.rgb.data() + picture.at(x, y);
        if (here.plain) {
            std::copy_n(backdrop.picture.rgb.data() + picture.at(x, y), 3, out);
            return;
        }
        put(to_double(here.base) + to_double(here.sun) * mean_sun(shown, x, y) +
                to_double(here.sky) * mean_sky(shown, sky, x, y),
            out);
    });
}

}  // namespace

Picture Rasteriser::draw(const Stage& stage, const Camera& camera, int width, int height,
                         const Parallel& parallel) {
    Impl& my = *impl_;
    const SampledScene sampled(nullptr, my.meshes, stage, camera.position, parallel);
    const StageTriangles things(stage, sampled);
    const Draft draft(sampled, camera, width, height, parallel);
    const std::size_t objects = things.meshes().size() + things.cones().size();
    const Backdrop::Of of{camera,       width,        height,     stage.planes, stage.up,
                          stage.centre, stage.radius, stage.grid, objects};
    if (my.backdrop.of != of) {
        draft.paint_backdrop(my.backdrop, static_cast<int>(objects));
        my.backdrop.of = of;
    }
    DepthMap::project(things.meshes(), draft.view(), parallel, my.places);
    my.bodies.draw(draft.view(), width, height, things.meshes(), my.places, things.cones(), parallel);
    my.marks = {};
    if (!stage.marks.empty()) {
        std::vector<RoundCone> cones;
        for (const StageMark& mark : stage.marks) cones.push_back(mark.shape);
        const DepthCones group{cones, 0};
        my.marks.draw(draft.view(), width, height, {}, {}, {&group, 1}, parallel);
    }
    my.sun.draw(draft.studio(), stage, things.meshes(), things.cones(), parallel);
    draft.paint(my.backdrop, things, my.bodies, my.marks, my.sun, my.shown, my.nears);
    draft.ask_sky(my.shown, my.nears, my.sky);
    Picture picture(width, height);
    draft.finish(my.backdrop, my.shown, my.sky, picture);
    return picture;
}

}  // namespace plush::render
