#include <array>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "geometry/io/io_formats.hpp"

// PLY, the Stanford polygon format (G. Turk, 1994): a text header names elements and the type of each of
// their properties; the body is text or binary of either byte order. Vertices need x, y and z, faces a list
// named vertex_indices or vertex_index; everything else is passed over by its type.

namespace plush {
namespace {

enum class Type { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct TypeName {
    std::string_view name, other_name;
    std::size_t bytes;
};
// In the order of Type.
constexpr std::array<TypeName, 8> type_names{{{"int8", "char", 1},
                                              {"uint8", "uchar", 1},
                                              {"int16", "short", 2},
                                              {"uint16", "ushort", 2},
                                              {"int32", "int", 4},
                                              {"uint32", "uint", 4},
                                              {"float32", "float", 4},
                                              {"float64", "double", 8}}};

std::size_t size_of(Type type) {
    return type_names[static_cast<std::size_t>(type)].bytes;
}
bool is_float(Type type) {
    return type == Type::float32 || type == Type::float64;
}

struct Property {
    std::string_view name;
    Type type = Type::float32;
    std::optional<Type> count_type{};  ///< of a list
};

struct Element {
    std::string_view name;
    std::int64_t count = 0;
    std::size_t claim = 0;  ///< where the header says so
    std::vector<Property> properties{};

    int find(std::string_view property) const {
        for (std::size_t i = 0; i < properties.size(); ++i)
            if (properties[i].name == property) return static_cast<int>(i);
        return -1;
    }
};

class PlyReader {
public:
    explicit PlyReader(std::string_view data) : in_(data) {}

    Result<RawMesh> read() {
        header();
        for (const Element& element : elements_) {
            if (!in_.ok()) break;
            if (!in_.has_room(element.count, least_size(element), "elements", element.claim)) break;
            if (element.name == "vertex")
                vertices(element);
            else if (element.name == "face")
                faces(element);
            else
                pass_over(element);
        }
        index_.finish(in_, mesh_.positions.size());
        if (!in_.ok()) return in_.error();
        return std::move(mesh_);
    }

private:
    void header() {
        if (in_.word() != "ply") return in_.fail("a PLY file begins with 'ply'; this one does not");
        in_.next_line();
        bool has_format = false;
        while (!in_.at_end()) {
            const std::size_t start = in_.position();
            const std::string_view word = in_.word();
            if (word == "end_header") break;
            if (word == "format")
                format(), has_format = true;
            else if (word == "element")
                elements_.push_back({.name = word_in_line(), .count = in_.integer(), .claim = start});
            else if (word == "property")
                property();
            else if (word != "comment" && word != "obj_info")
                in_.fail_at(start, "the line begins with no word of a PLY header");
            if (word == "format" || word == "element" || word == "property") {
                if (!in_.at_line_end()) in_.fail("the line goes on where it should end");
            }
            in_.next_line();
        }
        if (in_.ok() && in_.remaining() == 0) in_.fail("the file ends in its header");
        if (!has_format) in_.fail("the header has no format line");
        in_.next_line();
        if (in_.ok() && format_ != "ascii") in_.binary(format_ == "binary_big_endian");
    }

    std::string_view word_in_line() {
        if (!in_.at_line_end()) return in_.word();
        in_.fail("the line ends too early");
        return {};
    }

    void format() {
        format_ = word_in_line();
        if (format_ != "ascii" && format_ != "binary_little_endian" && format_ != "binary_big_endian")
            in_.fail("the format is not ascii, binary_little_endian or binary_big_endian");
        word_in_line();  // the version: there is only 1.0
    }

    void property() {
        if (elements_.empty()) return in_.fail("a property before the first element");
        Property p;
        std::string_view word = word_in_line();
        if (word == "list") {
            p.count_type = type(word_in_line());
            if (is_float(*p.count_type)) in_.fail("the length of a list is not of an integer type");
            word = word_in_line();
        }
        p.type = type(word);
        p.name = word_in_line();
        elements_.back().properties.push_back(p);
    }

    Type type(std::string_view name) {
        for (std::size_t i = 0; i < type_names.size(); ++i)
            if (name == type_names[i].name || name == type_names[i].other_name) return static_cast<Type>(i);
        in_.fail("no type of the PLY format");
        return Type::int8;
    }

    /// The fewest bytes that one element can take.
    std::size_t least_size(const Element& element) const {
        if (!in_.is_binary()) return 2 * element.properties.size();
        std::size_t bytes = 0;
        for (const Property& p : element.properties) bytes += size_of(p.count_type.value_or(p.type));
        return bytes;
    }

    void vertices(const Element& element) {
        const std::array<int, 3> xyz{element.find("x"), element.find("y"), element.find("z")};
        for (int i : xyz)
            if (i < 0 || element.properties[static_cast<std::size_t>(i)].count_type)
                return in_.fail("the vertices have no x, y and z");
        // Normals and texture coordinates belong to a vertex here, so seams split it.
        for (std::string_view name : {"nx", "s", "u", "texture_u"})
            if (element.find(name) >= 0) mesh_.split = Split::seams;
        mesh_.positions.reserve(static_cast<std::size_t>(element.count));
        for (std::int64_t i = 0; i < element.count && in_.ok(); ++i) {
            Vec3 p;
            for (int k = 0; k < static_cast<int>(element.properties.size()); ++k) {
                const Property& property = element.properties[static_cast<std::size_t>(k)];
                if (k == xyz[0])
                    p.x = coordinate(property.type);
                else if (k == xyz[1])
                    p.y = coordinate(property.type);
                else if (k == xyz[2])
                    p.z = coordinate(property.type);
                else
                    pass_over(property);
            }
            mesh_.positions.push_back(p);
        }
    }

    void faces(const Element& element) {
        int list = element.find("vertex_indices");
        if (list < 0) list = element.find("vertex_index");
        if (list < 0 || !element.properties[static_cast<std::size_t>(list)].count_type ||
            is_float(element.properties[static_cast<std::size_t>(list)].type))
            return in_.fail("the faces have no list vertex_indices of an integer type");
        mesh_.triangles.reserve(static_cast<std::size_t>(element.count));
        for (std::int64_t i = 0; i < element.count && in_.ok(); ++i)
            for (int k = 0; k < static_cast<int>(element.properties.size()); ++k) {
                const Property& property = element.properties[static_cast<std::size_t>(k)];
                if (k == list)
                    face(property);
                else
                    pass_over(property);
            }
    }

    void face(const Property& property) {
        const std::int64_t count = list_length(property);
        corners_.clear();
        for (std::int64_t i = 0; i < count && in_.ok(); ++i) {
            if (!in_.is_binary()) static_cast<void>(in_.at_end());
            const std::size_t at = in_.position();
            corners_.push_back(index_(in_, integer(property.type), at));
        }
        add_polygon(in_, corners_, mesh_.triangles);
    }

    std::int64_t list_length(const Property& property) {
        const std::int64_t count = integer(*property.count_type);
        return in_.has_room(count, in_.is_binary() ? size_of(property.type) : 2, "items of a list") ? count
                                                                                                    : 0;
    }

    void pass_over(const Element& element) {
        if (element.properties.empty()) return;
        for (std::int64_t i = 0; i < element.count && in_.ok(); ++i)
            for (const Property& property : element.properties) pass_over(property);
    }

    void pass_over(const Property& property) {
        const std::int64_t count = property.count_type ? list_length(property) : 1;
        if (in_.is_binary()) return in_.skip(static_cast<std::size_t>(count) * size_of(property.type));
        for (std::int64_t i = 0; i < count && in_.ok(); ++i)
            if (in_.word().empty()) in_.fail("the file ends too early");
    }

    double coordinate(Type type) {
        if (!in_.is_binary()) return in_.number();
        if (type == Type::float32) return in_.coordinate<float>();
        if (type == Type::float64) return in_.coordinate<double>();
        return static_cast<double>(integer(type));
    }

    std::int64_t integer(Type type) {
        if (!in_.is_binary()) return in_.integer();
        switch (type) {
            case Type::int8:
                return in_.get<std::int8_t>();
            case Type::uint8:
                return in_.get<std::uint8_t>();
            case Type::int16:
                return in_.get<std::int16_t>();
            case Type::uint16:
                return in_.get<std::uint16_t>();
            case Type::int32:
                return in_.get<std::int32_t>();
            case Type::uint32:
                return in_.get<std::uint32_t>();
            case Type::float32:
            case Type::float64:
                break;  // refused in the header
        }
        return 0;
    }

    Scanner in_;
    RawMesh mesh_;
    std::string_view format_;
    std::vector<Element> elements_;
    IndexCheck index_{0};
    std::vector<int> corners_;
};

}  // namespace

Result<RawMesh> read_ply(std::string_view data) {
    return PlyReader(data).read();
}

std::string write_ply(std::span<const Vec3> positions, std::span<const Triangle> triangles) {
    static_assert(std::endian::native == std::endian::little && sizeof(Vec3) == 24 && sizeof(Triangle) == 12);
    std::string out = fmt::format(
        "ply\nformat binary_little_endian 1.0\ncomment Plush: metres, y up\n"
        "element vertex {}\nproperty double x\nproperty double y\nproperty double z\n"
        "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        positions.size(), triangles.size());
    out.append(reinterpret_cast<const char*>(positions.data()), positions.size_bytes());
    for (const Triangle& t : triangles) {
        out += '\3';
        out.append(reinterpret_cast<const char*>(t.data()), sizeof(t));
    }
    return out;
}

}  // namespace plush
