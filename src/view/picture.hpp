#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "plush/bodies/look.hpp"
#include "view/layer.hpp"
#include "view/message.hpp"

// What pages see of a world. The thread that steps makes one Picture after another; each is never changed again, so that
// any number of slow readers may hold one without anybody waiting. What did not change is shared with the one before.
// Every piece has the number of the picture in which it changed: a page is sent what is newer than its last one.

namespace plush::view {

/// "colour" and "finish" of a body's META; `colour` 0xRRGGBB, or −1: the page chooses.
void add_look(nlohmann::json& meta, std::int32_t colour, Finish finish);

struct MeshPicture {
    std::uint64_t revision = 0;
    std::vector<float> positions{};                      ///< 3 a vertex
    std::vector<std::uint32_t> triangles{}, segments{};  ///< 3 and 2 indices each
    std::vector<std::uint32_t> skin_index{};             ///< 4 a drawn point; empty: no skin
    std::vector<float> skin_weight{};
};

/// What of a body stays from frame to frame.
struct BodyPicture {
    std::uint64_t revision = 0;
    nlohmann::json meta{};
    std::vector<std::uint32_t> tets{};  ///< 4 vertices each
};

struct PointsPicture {
    std::uint64_t seq = 0;
    std::vector<float> positions{};   ///< 3 a point
    std::vector<float> velocities{};  ///< the same, where the layer is wanted
    std::vector<float> strain{};      ///< one a vertex, where the layer is wanted
    std::vector<std::uint32_t> inverted{};
};

struct PosePicture {
    std::uint64_t seq = 0;  ///< 0: the body has no pose
    std::array<float, 7> values{};
    bool operator==(const PosePicture& other) const { return values == other.values; }
};

/// A list that is sent whole: drags, contacts, ….
struct ListPicture {
    SectionKind kind = SectionKind::contacts;
    std::uint32_t layers = 0;  ///< any of these asks for it; 0: always there
    std::size_t count = 0;
    std::vector<std::byte> bytes{};
};

struct Picture {
    std::uint64_t seq = 0;
    /// Of the structure: which bodies and meshes there are. Below `scene_revision` a page must be told everything.
    std::uint64_t revision = 0, scene_revision = 0;
    std::uint32_t layers = 0;     ///< that were captured
    nlohmann::json scene_meta{};  ///< without revision and bodies
    std::vector<std::shared_ptr<const MeshPicture>> meshes{};
    std::vector<std::shared_ptr<const BodyPicture>> bodies{};
    std::vector<std::shared_ptr<const PointsPicture>> points{};  ///< one a body; null: it has a pose
    std::vector<PosePicture> poses{};                            ///< one a body
    std::vector<std::uint8_t> flags{};                           ///< one a body
    std::vector<ListPicture> lists{};
    std::string frame_meta{};  ///< JSON
};

/// How far a page is.
struct PageProgress {
    std::uint64_t seq = 0, revision = 0;
    std::uint32_t layers = 0;  ///< of its last frame
};

/// The messages that bring a page from where it is to this picture: SCENE or BODIES where the structure changed, and FRAME.
/// Nothing where it is there already.
void append_messages(std::vector<std::byte>& out, const Picture& picture, std::uint32_t world,
                     std::uint32_t layers, PageProgress& page);

}  // namespace plush::view
