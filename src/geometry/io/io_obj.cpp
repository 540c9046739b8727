#include <algorithm>

#include <fmt/format.h>

#include "geometry/io/io_formats.hpp"

// Wavefront OBJ ("Advanced Visualizer manual, appendix B1"). Positions and faces are read; texture
// coordinates, normals, groups, materials, lines, points and free-form surfaces are passed over. Indices
// count from 1, or back from the latest vertex where negative, and may name vertices that come later.

namespace plush {
namespace {

class ObjReader {
public:
    explicit ObjReader(std::string_view data) : in_(data, '#', '\\') {}

    Result<RawMesh> read() {
        mesh_.split = Split::seams;
        while (!in_.at_end()) statement();
        index_.finish(in_, mesh_.positions.size());
        if (!in_.ok()) return in_.error();
        return std::move(mesh_);
    }

private:
    void statement() {
        const std::size_t start = in_.position();
        const std::string_view keyword = in_.word();
        if (keyword == "v") {
            const double x = in_.number_in_line(), y = in_.number_in_line(), z = in_.number_in_line();
            mesh_.positions.push_back({x, y, z});  // a weight or a colour may follow
        } else if (keyword == "f" || keyword == "fo") {
            return face();
        } else if (!is_passed_over(keyword)) {
            return in_.fail_at(start, "the line begins with no statement of the OBJ format");
        }
        in_.next_line();
    }

    void face() {
        corners_.clear();
        while (!in_.at_line_end() && in_.ok()) corners_.push_back(corner());
        add_polygon(in_, corners_, mesh_.triangles);
    }

    /// v, v/vt, v//vn or v/vt/vn.
    int corner() {
        const std::size_t start = in_.position();
        std::int64_t index = in_.integer_part();
        for (int more = 0; more < 2 && in_.take('/');) {
            ++more;
            if (!in_.rest().starts_with('/')) static_cast<void>(in_.integer_part());
        }
        in_.expect_separator();
        const auto count = static_cast<std::int64_t>(mesh_.positions.size());
        if (index < -count) return out_of_range(start, index), 0;
        return index_(in_, index < 0 ? index + count + 1 : index, start);
    }

    void out_of_range(std::size_t at, std::int64_t index) {
        in_.fail_at(at, fmt::format("vertex index {} is out of range ({} vertices stand before this line)",
                                    index, mesh_.positions.size()));
    }

    /// Longer words that this reader does not know are other programs' extensions; one letter is a damaged
    /// line.
    static bool is_passed_over(std::string_view keyword) {
        if (keyword.size() == 1) return std::string_view("gsolp").find(keyword[0]) != std::string_view::npos;
        return std::all_of(keyword.begin(), keyword.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        });
    }

    Scanner in_;
    RawMesh mesh_;
    IndexCheck index_{1};
    std::vector<int> corners_;
};

}  // namespace

Result<RawMesh> read_obj(std::string_view data) {
    return ObjReader(data).read();
}

std::string write_obj(std::span<const Vec3> positions, std::span<const Triangle> triangles) {
    std::string out = "# Plush: metres, y up\n";
    for (const Vec3& p : positions) {
        out += 'v';
        for (double x : {p.x, p.y, p.z}) out += ' ', append_number(out, x);
        out += '\n';
    }
    for (const Triangle& t : triangles) {
        out += 'f';
        for (int v : t) out += ' ', append_number(out, v + 1);
        out += '\n';
    }
    return out;
}

}  // namespace plush
