#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "geometry/io/io_formats.hpp"

// Gmsh's MSH, versions 2.x, 4.0 and 4.1, text and binary (Gmsh reference manual, "Gmsh file formats").
// Sections $Name … $EndName; only MeshFormat, Nodes and Elements are read. What the versions write for an
// item:
//
//               2.x                         4.0, in blocks               4.1, in blocks
//   node        tag x y z                   tag x y z [u v w]            all tags, then all x y z [u v w]
//   element     tag type tags nodes         tag nodes                    tag nodes
//   (binary)    blocks: type count ntags    int tags, 8-byte counts      8-byte tags and counts
//
// Triangles and tets are taken, of curved ones the corners; quads are cut in two. Solid elements of other
// shapes are remembered by name, so that nobody simulates half a mesh unawares.

namespace plush {
namespace {

enum class Shape { ignored, triangle, quad, tet, other_solid };

struct Kind {
    int type, nodes;
    Shape shape;
    std::string_view name;
};
constexpr Kind kinds[] = {
    {1, 2, Shape::ignored, "line"},
    {2, 3, Shape::triangle, "triangle"},
    {3, 4, Shape::quad, "quadrangle"},
    {4, 4, Shape::tet, "tetrahedron"},
    {5, 8, Shape::other_solid, "hexahedra"},
    {6, 6, Shape::other_solid, "prisms"},
    {7, 5, Shape::other_solid, "pyramids"},
    {8, 3, Shape::ignored, "line"},
    {9, 6, Shape::triangle, "triangle"},
    {10, 9, Shape::quad, "quadrangle"},
    {11, 10, Shape::tet, "tetrahedron"},
    {12, 27, Shape::other_solid, "hexahedra"},
    {13, 18, Shape::other_solid, "prisms"},
    {14, 14, Shape::other_solid, "pyramids"},
    {15, 1, Shape::ignored, "point"},
    {16, 8, Shape::quad, "quadrangle"},
    {17, 20, Shape::other_solid, "hexahedra"},
    {18, 15, Shape::other_solid, "prisms"},
    {19, 13, Shape::other_solid, "pyramids"},
    {20, 9, Shape::triangle, "triangle"},
    {21, 10, Shape::triangle, "triangle"},
    {22, 12, Shape::triangle, "triangle"},
    {23, 15, Shape::triangle, "triangle"},
    {24, 15, Shape::triangle, "triangle"},
    {25, 21, Shape::triangle, "triangle"},
    {26, 4, Shape::ignored, "line"},
    {27, 5, Shape::ignored, "line"},
    {28, 6, Shape::ignored, "line"},
    {29, 20, Shape::tet, "tetrahedron"},
    {30, 35, Shape::tet, "tetrahedron"},
    {31, 56, Shape::tet, "tetrahedron"},
    {92, 64, Shape::other_solid, "hexahedra"},
    {93, 125, Shape::other_solid, "hexahedra"},
};

class MshReader {
public:
    explicit MshReader(std::string_view data) : in_(data) { mesh_.shared_nodes = true; }

    Result<RawMesh> read() {
        while (!in_.at_end()) section();
        if (version_ == Version::unknown) in_.fail("the file has no $MeshFormat");
        if (!in_.ok()) return in_.error();
        return std::move(mesh_);
    }

private:
    enum class Version { unknown, v2, v40, v41 };

    void section() {
        const std::size_t start = in_.position();
        const std::string_view name = in_.word();
        if (!name.starts_with('$') || name.starts_with("$End"))
            return in_.fail_at(start, "the name of a section is expected here, such as $Nodes");
        const bool known = name == "$MeshFormat" || name == "$Nodes" || name == "$Elements";
        if (!known) return pass_over(start, name.substr(1));
        if (name != "$MeshFormat" && version_ == Version::unknown)
            return in_.fail_at(start, "$MeshFormat does not come first");
        in_.next_line();
        if (name == "$MeshFormat") format();
        if (name == "$Nodes") nodes(), sort_tags();
        if (name == "$Elements") elements();
        in_.text();
        if (!in_.at_end() && in_.word() == fmt::format("$End{}", name.substr(1))) return;
        in_.fail(fmt::format("$End{} is expected here", name.substr(1)));
    }

    void pass_over(std::size_t start, std::string_view name) {
        const std::string end = fmt::format("$End{}", name);
        const std::size_t found = in_.rest().find(end);
        if (found == std::string_view::npos) return in_.fail_at(start, fmt::format("{} is missing", end));
        in_.skip(found + end.size());
    }

    void format() {
        const double number = in_.number();
        if (number >= 2 && number < 3)
            version_ = Version::v2;
        else if (number >= 4 && number < 4.1)
            version_ = Version::v40;
        else if (number >= 4.1 && number < 5)
            version_ = Version::v41;
        else
            in_.fail("a version of MSH that Plush does not know", "export it as version 4.1 or 2.2");
        binary_ = in_.integer() != 0;
        if (in_.integer() != 8 && in_.ok())
            in_.fail("the file's numbers have not 8 bytes", "export it as text");
        if (!binary_) return;
        in_.next_line();
        in_.binary(false);
        const auto one = in_.get<std::uint32_t>();
        big_endian_ = one == 0x01000000;
        if (one != 1 && !big_endian_) in_.fail("the byte order is not told");
    }

    /// An int, and a count or a tag as wide as the version has it.
    std::int64_t integer() { return binary_ ? in_.get<std::int32_t>() : in_.integer(); }
    std::int64_t wide() { return binary_ ? in_.get<std::int64_t>() : in_.integer(); }
    std::int64_t tag() { return version_ == Version::v41 ? wide() : integer(); }
    double coordinate() { return binary_ ? in_.coordinate<double>() : in_.number(); }

    /// The fewest bytes that so many ints, wide integers and doubles take.
    std::size_t least_size(std::size_t ints, std::size_t wides, std::size_t doubles) const {
        return binary_ ? 4 * ints + 8 * (wides + doubles) : 2 * (ints + wides + doubles);
    }

    /// In version 2 a section's count is text in binary files too.
    std::int64_t text_count(std::size_t bytes_each, std::string_view things) {
        const std::int64_t count = in_.integer();
        if (!in_.has_room(count, bytes_each, things)) return 0;
        in_.next_line();
        if (binary_) in_.binary(big_endian_);
        return count;
    }

    void nodes() {
        if (version_ == Version::v2) return read_nodes(text_count(least_size(1, 0, 3), "nodes"), 0);
        if (binary_) in_.binary(big_endian_);
        const std::int64_t blocks = wide();
        if (!in_.has_room(wide(), least_size(1, 0, 3), "nodes")) return;
        if (version_ == Version::v41) wide(), wide();  // the least and the largest tag
        if (!in_.has_room(blocks, least_size(3, 1, 0), "blocks of nodes")) return;
        for (std::int64_t b = 0; b < blocks && in_.ok(); ++b) {
            const std::int64_t first = integer(), second = integer(), parametric = integer();
            const std::int64_t dimension = version_ == Version::v41 ? first : second;
            if (dimension < 0 || dimension > 3)
                return in_.fail("a block of nodes has no dimension from 0 to 3");
            read_nodes(wide(), parametric != 0 ? static_cast<int>(dimension) : 0);
        }
    }

    void read_nodes(std::int64_t count, int parameters) {
        if (!in_.has_room(count, least_size(1, 0, 3), "nodes")) return;
        const bool tags_first = version_ == Version::v41;
        for (std::int64_t i = 0; i < count && in_.ok() && tags_first; ++i) add_tag();
        for (std::int64_t i = 0; i < count && in_.ok(); ++i) {
            if (!tags_first) add_tag();
            const double x = coordinate(), y = coordinate(), z = coordinate();
            for (int k = 0; k < parameters; ++k) coordinate();
            mesh_.positions.push_back({x, y, z});
        }
    }

    void add_tag() { tags_.emplace_back(tag(), static_cast<int>(tags_.size())); }

    void sort_tags() {
        if (!in_.ok()) return;
        if (tags_.size() != mesh_.positions.size()) return in_.fail("the nodes are incomplete");
        std::sort(tags_.begin(), tags_.end());
        for (std::size_t i = 1; i < tags_.size(); ++i)
            if (tags_[i].first == tags_[i - 1].first)
                return in_.fail(fmt::format("node {} stands twice in the section", tags_[i].first));
    }

    int node(std::int64_t wanted) {
        if (!in_.ok()) return 0;
        // Mostly the tags are 1, 2, 3, …
        if (!tags_.empty() && wanted >= tags_[0].first) {
            const auto guess =
                static_cast<std::uint64_t>(wanted) - static_cast<std::uint64_t>(tags_[0].first);
            if (guess < tags_.size() && tags_[guess].first == wanted) return tags_[guess].second;
        }
        const auto found = std::lower_bound(tags_.begin(), tags_.end(), std::pair{wanted, 0});
        if (found != tags_.end() && found->first == wanted) return found->second;
        in_.fail(fmt::format("an element uses node {}, which does not exist", wanted));
        return 0;
    }

    void elements() {
        if (version_ == Version::v2) return binary_ ? elements_2_binary() : elements_2_text();
        if (binary_) in_.binary(big_endian_);
        const std::int64_t blocks = wide();
        wide();  // the number of all elements
        if (version_ == Version::v41) wide(), wide();
        if (!in_.has_room(blocks, least_size(3, 1, 0), "blocks of elements")) return;
        for (std::int64_t b = 0; b < blocks && in_.ok(); ++b) {
            integer(), integer();  // the entity
            const Kind kind = find_kind(integer());
            const std::int64_t count = wide();
            if (!in_.has_room(count, least_size(2, 0, 0), "elements")) return;
            for (std::int64_t i = 0; i < count && in_.ok(); ++i) tag(), element(kind);
        }
    }

    void elements_2_text() {
        const std::int64_t count = text_count(least_size(4, 0, 0), "elements");
        for (std::int64_t i = 0; i < count && in_.ok(); ++i) {
            integer();
            const Kind kind = find_kind(integer());
            read_labels(integer());
            element(kind);
        }
    }

    void elements_2_binary() {
        const std::int64_t count = text_count(least_size(2, 0, 0), "elements");
        for (std::int64_t done = 0; done < count && in_.ok();) {
            const Kind kind = find_kind(integer());
            const std::int64_t block = integer(), labels = integer();
            if (block <= 0 || block > count - done) return in_.fail("a block has a wrong number of elements");
            for (std::int64_t i = 0; i < block && in_.ok(); ++i) {
                integer();
                read_labels(labels);
                element(kind);
            }
            done += block;
        }
    }

    void read_labels(std::int64_t count) {
        if (!in_.has_room(count, least_size(1, 0, 0), "tags of an element")) return;
        for (std::int64_t i = 0; i < count && in_.ok(); ++i) integer();
    }

    Kind find_kind(std::int64_t type) {
        for (const Kind& kind : kinds)
            if (kind.type == type) return kind;
        in_.fail(fmt::format("an element of the unknown type {}", type), "export first-order elements only");
        return kinds[0];
    }

    void element(const Kind& kind) {
        std::array<int, 4> corner{};
        for (int i = 0; i < kind.nodes && in_.ok(); ++i) {
            const std::int64_t wanted = tag();
            if (i < 4 && kind.shape != Shape::ignored) corner[static_cast<std::size_t>(i)] = node(wanted);
        }
        if (!in_.ok()) return;
        const auto [a, b, c, d] = corner;
        if (kind.shape == Shape::triangle) mesh_.triangles.push_back({a, b, c});
        if (kind.shape == Shape::quad) add_polygon(in_, corner, mesh_.triangles);
        if (kind.shape == Shape::tet) mesh_.tets.push_back({a, b, c, d});
        if (kind.shape == Shape::other_solid) mesh_.other_cells = kind.name;
    }

    Scanner in_;
    RawMesh mesh_;
    Version version_ = Version::unknown;
    bool binary_ = false, big_endian_ = false;
    std::vector<std::pair<std::int64_t, int>>
        tags_;  ///< of each node, with its index; sorted when all are read
};

}  // namespace

Result<RawMesh> read_msh(std::string_view data) {
    return MshReader(data).read();
}

}  // namespace plush
