#include "world/recipe_archive.hpp"

#include "bodies/deformable/soft_data.hpp"
#include "geometry/sdf/sdf_form.hpp"
#include "geometry/shapes/shape_data.hpp"
#include "math/described_state.hpp"

namespace plush {

void refuse_content(const char* what) {
    throw Error({.place = what,
                 .problem = "what the file says of it makes no sense",
                 .cure = "save the world again; a file that was not changed has no such place"});
}

RecipeArchive::RecipeArchive(StateVisitor& v)
    : v_(v), reads_(dynamic_cast<const StateReader*>(&v) != nullptr) {}

template <class Settings>
void RecipeArchive::described(Settings& settings) {
    DescribedState visitor(v_);
    describe(visitor, settings);
    if (!visitor.sound()) refuse_content("settings");
}
template void RecipeArchive::described(WorldSettings&);

// -- what is shared

template <class T, class Content>
void RecipeArchive::shared(Table<T>& table, T& value, const void* key, const Content& content) {
    std::uint32_t number = 0;
    if (!reads_)
        while (number < table.keys.size() && table.keys[number] != key) ++number;
    v_(number);
    if (number > table.items.size()) refuse_content("a reference");
    if (number == table.items.size()) {
        table.items.emplace_back(), table.keys.push_back(key);  // what it is made of gets later numbers
        content(value);
        table.items[number] = value;
    }
    if (reads_) value = table.items[number];
}

void RecipeArchive::visit(Mesh& mesh) {
    const void* key = mesh.positions().empty() ? nullptr : mesh.identity();
    shared(meshes_, mesh, key, [&](Mesh& m) {
        std::vector<Vec3> positions(m.positions().begin(), m.positions().end());
        std::vector<Triangle> triangles(m.triangles().begin(), m.triangles().end());
        v_(positions, triangles);
        if (reads_) m = Mesh::try_make(std::move(positions), std::move(triangles)).value();
    });
}

void RecipeArchive::visit(TetMesh& tets) {
    const void* key = tets.positions().empty() ? nullptr : tets.positions().data();
    shared(tets_, tets, key, [&](TetMesh& m) {
        std::vector<Vec3> positions(m.positions().begin(), m.positions().end());
        std::vector<Tet> all(m.tets().begin(), m.tets().end());
        v_(positions, all);
        if (reads_) m = TetMesh::try_make(std::move(positions), std::move(all)).value();
    });
}

void RecipeArchive::visit(Embedding& weights, std::size_t points, std::size_t vertices) {
    std::vector<std::uint32_t> counts, vertex;
    std::vector<double> weight;
    for (std::size_t p = 0; p < weights.size(); ++p) {
        counts.push_back(static_cast<std::uint32_t>(weights.row(p).size()));
        for (const Embedding::Entry& e : weights.row(p))
            vertex.push_back(e.vertex), weight.push_back(e.weight);
    }
    v_(counts, vertex, weight);
    if (!reads_) return;
    if (counts.size() != points || vertex.size() != weight.size()) refuse_content("the weights of a skin");
    Embedding read;
    std::size_t next = 0;
    for (const std::uint32_t count : counts) {
        if (count > vertex.size() - next) refuse_content("the weights of a skin");
        std::vector<Embedding::Entry> row;
        for (const std::size_t end = next + count; next < end; ++next) {
            if (vertex[next] >= vertices || !std::isfinite(weight[next]))
                refuse_content("the weights of a skin");
            row.push_back({vertex[next], weight[next]});
        }
        read.add_row(row);
    }
    if (next != vertex.size()) refuse_content("the weights of a skin");
    weights = std::move(read);
}

void RecipeArchive::visit(Sdf& distance) {
    constexpr int max_depth = 64;
    shared(distances_, distance, distance.get(), [&](Sdf& d) {
        if (++depth_ > max_depth) refuse_content("a signed distance");
        SdfForm form;
        if (!reads_) {
            const SdfForm* known = form_of(*d);
            if (!known)
                throw Error(
                    {.place = "shape",
                     .problem = "its signed distance is a class of your program, which no file can hold",
                     .cure =
                         "make the shape of plush::sdf functions or of a mesh, or keep a snapshot() beside "
                         "the program that builds the world"});
            form = *known;
        }
        v_(form.kind, form.numbers);
        form.parts.resize(v_.length(form.parts.size(), sizeof(std::uint32_t)));
        for (Sdf& part : form.parts) visit(part);
        visit(form.mesh);
        if (reads_) d = make_sdf(form);
        --depth_;
    });
}

void RecipeArchive::visit(Shape& shape) {
    shared(shapes_, shape, shape.empty() ? nullptr : &shape.data(), [&](Shape& s) {
        ShapeSource source = reads_ ? ShapeSource{} : s.data().source;
        v_(source.kind, source.size, source.cells);
        Mesh mesh;
        Sdf distance;
        const Vec3& size = source.size;
        using Kind = ShapeSource::Kind;
        if (source.kind == Kind::mesh || source.kind == Kind::distance) {
            if (!reads_) mesh = s.data().drawn;
            visit(mesh);
        }
        if (source.kind == Kind::distance) {
            if (!reads_) distance = s.data().distance;
            visit(distance);
        }
        if (!reads_) return;
        switch (source.kind) {
            case Kind::sphere:
                s = Shape::sphere(size.x);
                return;
            case Kind::box:
                s = Shape::box(size);
                return;
            case Kind::capsule:
                s = Shape::capsule(size.x, size.y);
                return;
            case Kind::cylinder:
                s = Shape::cylinder(size.x, size.y);
                return;
            case Kind::torus:
                s = Shape::torus(size.x, size.y);
                return;
            case Kind::half_space:
                s = Shape::half_space(size);
                return;
            case Kind::distance:
                s = Shape::distance(distance, mesh);
                return;
            case Kind::mesh:
                s = Shape::try_mesh(mesh, source.cells).value();
                return;
        }
        refuse_content("a shape");
    });
}

void RecipeArchive::visit(SoftSolid& solid) {
    shared(solids_, solid, solid.empty() ? nullptr : &solid.data(), [&](SoftSolid& s) {
        SoftSolid::Data data = reads_ ? SoftSolid::Data{} : s.data();
        visit(data.tets);
        visit(data.skin);
        const std::size_t vertices = data.tets.positions().size();
        visit(data.weights, data.skin.positions().size(), vertices);
        v_(data.shares);
        std::uint8_t refined = data.refined.has_value();
        v_(refined);
        if (refined) {
            if (!data.refined) data.refined.emplace();
            visit(data.refined->surface);
            visit(data.refined->weights, data.refined->surface.positions().size(), vertices);
        }
        if (!reads_) return;
        const auto is_share = [](double x) { return x >= 0 && x <= 1; };
        if (!(data.shares.empty() || data.shares.size() == data.tets.tets().size()) ||
            !std::all_of(data.shares.begin(), data.shares.end(), is_share))
            refuse_content("the shares of tets");
        s = SoftSolid::of_data(std::make_shared<const SoftSolid::Data>(std::move(data)));
    });
}

// -- settings

template <class T>
void RecipeArchive::visit(std::optional<T>& value) {
    std::uint8_t present = value.has_value();
    v_(present);
    if (present && !value) value.emplace();
    if (!present) value.reset();
    if (!value) return;
    if constexpr (requires { visit(*value); })
        visit(*value);
    else
        described(*value);
}

template <class T>
void RecipeArchive::visit_list(std::vector<T>& values) {
    const std::size_t n = v_.length(values.size(), 1);
    if (reads_) values.resize(n);
    for (T& value : values) {
        if constexpr (requires { visit(value); })
            visit(value);
        else
            described(value);
    }
}

void RecipeArchive::visit(Placement& p) {
    v_(p.position, p.rotation, p.velocity, p.angular_velocity);
}
void RecipeArchive::visit(Filter& f) {
    v_(f.groups, f.collides_with);
}
void RecipeArchive::visit(Look& look) {
    described(look);
}
void RecipeArchive::visit(Keyframe& k) {
    described(k);
    v_(k.rotation);
}
void RecipeArchive::visit(MeshFrame& f) {
    v_(f.time);
    visit(f.mesh);
}
void RecipeArchive::visit(Blade& b) {
    v_(b.from, b.to, b.back, b.edge);
}

template <class Body>
void RecipeArchive::common(Body& b) {
    v_(b.name);
    described(b.material);
    visit(b.filter);
    visit(b.look);
}
template <class Solid>
void RecipeArchive::solid_body(Solid& b) {
    described(b);
    common(b);
    visit(b.shape);
}

void RecipeArchive::settings_of(Rigid& b) {
    solid_body(b);
    visit(b.tets);
}
void RecipeArchive::settings_of(Fixed& b) {
    solid_body(b);
}
void RecipeArchive::settings_of(Scripted& b) {
    solid_body(b);
    visit_list(b.keyframes);
    visit_list(b.frames);
    visit(b.blade);
}
void RecipeArchive::settings_of(Particles& b) {
    described(b);
    common(b);
    v_(b.positions, b.velocities);
    visit(b.integration);
}
void RecipeArchive::settings_of(Rope& b) {
    described(b);
    common(b);
    v_(b.masses);
}
void RecipeArchive::settings_of(Cloth& b) {
    described(b);
    common(b);
    v_(b.masses);
    visit(b.mesh);
}
void RecipeArchive::settings_of(Jelly& b) {
    described(b);
    common(b);
    v_(b.masses);
}
void RecipeArchive::settings_of(Shells& b) {
    described(b);
    common(b);
    v_(b.masses);
    visit(b.mesh);
}
void RecipeArchive::settings_of(TetSprings& b) {
    described(static_cast<SpringBody&>(b));
    common(b);
    v_(b.masses);
    visit(b.mesh);
}
void RecipeArchive::settings_of(ShapeMatching& b) {
    described(b);
    common(b);
    v_(b.masses);
    visit(b.mesh);
    visit(b.tets);
    visit(b.skin);
    visit(b.shape);
}
void RecipeArchive::settings_of(Soft& b) {
    described(b);
    common(b);
    v_(b.masses);
    visit(b.mesh);
    visit(b.solid);
    visit_list(b.regions);
}

// -- a body

namespace {

/// The settings of the alternative with this number, as they are before any is set.
template <std::size_t I = 0>
BodyRecipe::Settings alternative(std::size_t number) {
    if constexpr (I < std::variant_size_v<BodyRecipe::Settings>) {
        if (number == I) return BodyRecipe::Settings(std::in_place_index<I>);
        return alternative<I + 1>(number);
    } else {
        refuse_content("the kind of a body");
    }
}

}  // namespace

void RecipeArchive::visit(BodyRecipe& recipe) {
    auto kind = static_cast<std::uint8_t>(recipe.settings.index());
    v_(kind);
    if (reads_) recipe.settings = alternative(kind);
    std::visit([&](auto& settings) { settings_of(settings); }, recipe.settings);
    visit(recipe.placement);
    const std::size_t clusters = v_.length(recipe.clusters.size(), 1);
    if (reads_) recipe.clusters.resize(clusters);
    for (BodyRecipe::Cluster& c : recipe.clusters) {
        v_(c.vertices, c.rest);
        described(c.settings);
    }
    visit(recipe.surface);
}

}  // namespace plush
