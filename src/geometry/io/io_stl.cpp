#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "geometry/io/io_formats.hpp"

// Stereolithography files: triangles with three positions each. Text files say "solid NAME facet normal …";
// binary ones have 80 bytes of anything (some begin with "solid" too), a count, and 50 bytes a triangle. Only
// a binary file has exactly the length that its bytes 80…83 tell: four letters there would mean 27 GB.

namespace plush {
namespace {

constexpr std::size_t header_size = 84, triangle_size = 50;

/// Triangles of their own vertices, in order.
void add_triangle(RawMesh& mesh) {
    const int n = static_cast<int>(mesh.positions.size());
    mesh.triangles.push_back({n - 3, n - 2, n - 1});
}

bool is_binary(std::string_view data) {
    if (data.size() >= header_size) {
        Scanner in(data);
        in.binary(false);
        in.skip(80);
        if (data.size() == header_size + triangle_size * std::uint64_t{in.get<std::uint32_t>()}) return true;
    }
    Scanner in(data);
    return !same_word(in.word(), "solid") || data.find('\0') != data.npos;
}

Result<RawMesh> read_binary(std::string_view data) {
    Scanner in(data);
    in.binary(false);
    RawMesh mesh{.split = Split::soup};
    in.skip(80);
    const auto count = in.get<std::uint32_t>();
    // Three vertices a triangle must be countable with an int.
    if (count > std::numeric_limits<int>::max() / 3) in.fail(fmt::format("{} triangles are too many", count));
    if (in.ok() && in.remaining() < count * triangle_size)
        in.fail(fmt::format("{} triangles are promised, but the file ends after {}", count,
                            in.remaining() / triangle_size));
    if (in.ok() && in.remaining() >= (count + std::uint64_t{1}) * triangle_size)
        in.fail(fmt::format("{} triangles are promised, but the file goes on behind them", count));
    for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
        in.skip(12);  // the normal follows from the corners
        for (int k = 0; k < 3; ++k) {
            const double x = in.coordinate<float>(), y = in.coordinate<float>(), z = in.coordinate<float>();
            mesh.positions.push_back({x, y, z});
        }
        add_triangle(mesh);
        in.skip(2);
    }
    if (!in.ok()) return in.error();
    return mesh;
}

void expect(Scanner& in, std::string_view wanted) {
    static_cast<void>(in.at_end());
    const std::size_t at = in.position();
    const std::string_view found = in.word();
    if (!same_word(found, wanted) && in.ok())
        in.fail_at(at, found.empty() ? fmt::format("the file ends where '{}' is expected", wanted)
                                     : fmt::format("'{}' is expected here", wanted));
}

void read_facet(Scanner& in, RawMesh& mesh) {
    expect(in, "normal");
    for (int k = 0; k < 3; ++k) in.word();  // follows from the corners; some exporters write "nan"
    expect(in, "outer");
    expect(in, "loop");
    for (int k = 0; k < 3; ++k) {
        expect(in, "vertex");
        const double x = in.number(), y = in.number(), z = in.number();
        mesh.positions.push_back({x, y, z});
    }
    add_triangle(mesh);
    expect(in, "endloop");
    expect(in, "endfacet");
}

Result<RawMesh> read_text(std::string_view data) {
    Scanner in(data);
    RawMesh mesh{.split = Split::soup};
    bool inside = false;  // a solid; a file may hold several
    while (!in.at_end()) {
        const std::size_t at = in.position();
        const std::string_view word = in.word();
        if (same_word(word, inside ? "endsolid" : "solid"))
            inside = !inside, in.next_line();  // the rest of the line is its name
        else if (inside && same_word(word, "facet"))
            read_facet(in, mesh);
        else
            in.fail_at(at, inside ? "'facet' or 'endsolid' is expected here" : "'solid' is expected here");
    }
    if (inside) in.fail("the file ends before 'endsolid'");
    if (!in.ok()) return in.error();
    return mesh;
}

void append_float(std::string& out, float x) {
    char bytes[4];
    std::memcpy(bytes, &x, 4);
    out.append(bytes, 4);
}

}  // namespace

Result<RawMesh> read_stl(std::string_view data) {
    return is_binary(data) ? read_binary(data) : read_text(data);
}

Result<std::string> write_stl(std::span<const Vec3> positions, std::span<const Triangle> triangles) {
    static_assert(std::endian::native == std::endian::little, "STL and this writer are little-endian");
    for (std::size_t v = 0; v < positions.size(); ++v)
        if (!(max_component(abs(positions[v])) <= static_cast<double>(std::numeric_limits<float>::max())))
            return Error({.place = fmt::format("vertex {}", v),
                          .problem = "a coordinate is too large for the single precision of STL",
                          .cure = "save as PLY or OBJ"});
    std::string out = "binary STL by Plush: metres, y up";
    out.resize(80, ' ');
    const auto count = static_cast<std::uint32_t>(triangles.size());
    out.append(reinterpret_cast<const char*>(&count), 4);
    for (const Triangle& t : triangles) {
        const Vec3 a = positions[static_cast<std::size_t>(t[0])],
                   b = positions[static_cast<std::size_t>(t[1])],
                   c = positions[static_cast<std::size_t>(t[2])];
        // Of unit length, or zero where the triangle has no area, as the format wants it.
        const Vec3 normal = normalised(cross(b - a, c - a), Vec3{});
        for (const Vec3& p : {normal, a, b, c})
            for (double x : {p.x, p.y, p.z}) append_float(out, static_cast<float>(x));
        out.append(2, '\0');
    }
    return out;
}

}  // namespace plush
