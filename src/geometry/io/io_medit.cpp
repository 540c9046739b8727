#include <fmt/format.h>

#include "geometry/io/io_formats.hpp"

// Medit's MESH as text (P. Frey, "MEDIT: an interactive mesh visualization software", INRIA RT-0253, 2001):
// sections of a keyword, a count, and one item a line with a reference number at its end. Indices from 1.

namespace plush {
namespace {

class MeditReader {
public:
    explicit MeditReader(std::string_view data) : in_(data, '#') {}

    Result<RawMesh> read() {
        if (!same_word(in_.word(), "meshversionformatted"))
            in_.fail("a MESH file begins with MeshVersionFormatted; this one does not",
                     "export it as Medit MESH text");
        static_cast<void>(in_.integer());
        while (!in_.at_end() && section()) {
        }
        index_.finish(in_, mesh_.positions.size());
        if (!in_.ok()) return in_.error();
        return std::move(mesh_);
    }

private:
    /// False after the section that ends the file.
    bool section() {
        const std::size_t start = in_.position();
        const std::string_view name = in_.word();
        if (same_word(name, "end")) return false;
        if (same_word(name, "dimension")) {
            if (in_.integer() != 3)
                in_.fail_at(start, "the mesh is not three-dimensional", "export it in 3D");
        } else if (same_word(name, "vertices")) {
            vertices();
        } else if (same_word(name, "triangles")) {
            items<3>("triangles", [this](const auto& t) { mesh_.triangles.push_back(t); });
        } else if (same_word(name, "quadrilaterals")) {
            items<4>("quadrilaterals", [this](const auto& q) { add_polygon(in_, q, mesh_.triangles); });
        } else if (same_word(name, "tetrahedra")) {
            items<4>("tetrahedra", [this](const auto& t) { mesh_.tets.push_back(t); });
        } else if (!is_word(name)) {
            in_.fail_at(start, "the name of a section is expected here");
        } else {
            if (same_word(name, "hexahedra") || same_word(name, "prisms") || same_word(name, "pyramids"))
                mesh_.other_cells = name;
            pass_over();
        }
        return in_.ok();
    }

    void vertices() {
        const std::int64_t count = in_.integer();
        if (!mesh_.positions.empty()) return in_.fail("a second section of vertices");
        if (!in_.has_room(count, 6, "vertices")) return;  // "0 0 0\n"
        mesh_.positions.reserve(static_cast<std::size_t>(count));
        for (std::int64_t i = 0; i < count && in_.ok(); ++i) {
            const double x = in_.number(), y = in_.number_in_line(), z = in_.number_in_line();
            mesh_.positions.push_back({x, y, z});
            reference();
        }
    }

    template <std::size_t Corners, class Add>
    void items(std::string_view things, Add add) {
        const std::int64_t count = in_.integer();
        if (!in_.has_room(count, 2 * Corners, things)) return;
        for (std::int64_t i = 0; i < count && in_.ok(); ++i) {
            std::array<int, Corners> corners{};
            for (int& corner : corners) {
                static_cast<void>(in_.at_end());
                const std::size_t at = in_.position();
                corner = index_(in_, in_.integer(), at);
            }
            reference();
            if (in_.ok()) add(corners);
        }
    }

    /// The reference number at the end of an item. Some writers leave it out.
    void reference() {
        if (!in_.at_line_end()) static_cast<void>(in_.integer());
        if (!in_.at_line_end()) in_.fail("more numbers stand on the line than its section has");
    }

    static bool is_word(std::string_view name) {
        return !name.empty() && ((name[0] >= 'A' && name[0] <= 'Z') || (name[0] >= 'a' && name[0] <= 'z'));
    }

    /// To the next section. Sections of other things hold only numbers.
    void pass_over() {
        while (!in_.at_end()) {
            if (is_word(in_.rest().substr(0, 1))) return;
            in_.word();
        }
    }

    Scanner in_;
    RawMesh mesh_;
    IndexCheck index_{1};
};

template <std::size_t Corners>
void append_items(std::string& out, std::string_view name, std::span<const std::array<int, Corners>> items) {
    if (items.empty()) return;
    out += fmt::format("{}\n{}\n", name, items.size());
    for (const auto& item : items) {
        for (int v : item) append_number(out, v + 1), out += ' ';
        out += "0\n";
    }
}

}  // namespace

Result<RawMesh> read_medit(std::string_view data) {
    return MeditReader(data).read();
}

std::string write_medit(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                        std::span<const Tet> tets) {
    // Version 2 means double precision.
    std::string out = fmt::format("MeshVersionFormatted 2\nDimension 3\nVertices\n{}\n", positions.size());
    for (const Vec3& p : positions) {
        for (double x : {p.x, p.y, p.z}) append_number(out, x), out += ' ';
        out += "0\n";
    }
    append_items<3>(out, "Triangles", triangles);
    append_items<4>(out, "Tetrahedra", tets);
    return out + "End\n";
}

}  // namespace plush
