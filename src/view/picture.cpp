#include "view/picture.hpp"

namespace plush::view {

void add_look(nlohmann::json& meta, std::int32_t colour, Finish finish) {
    meta["colour"] = colour < 0 ? nlohmann::json(nullptr) : nlohmann::json(colour);
    for (const Choice& choice : finish_choices())
        if (choice.value == static_cast<int>(finish)) meta["finish"] = choice.word;
}

namespace {

void append_mesh(MessageWriter& out, std::uint32_t id, const MeshPicture& mesh) {
    out.section(SectionKind::mesh_positions, id, mesh.positions.size() / 3, mesh.positions);
    out.section(SectionKind::mesh_triangles, id, mesh.triangles.size() / 3, mesh.triangles);
    if (!mesh.segments.empty())
        out.section(SectionKind::mesh_segments, id, mesh.segments.size() / 2, mesh.segments);
    if (mesh.skin_index.empty()) return;
    out.section(SectionKind::skin_index, id, mesh.skin_index.size() / 4, mesh.skin_index);
    out.section(SectionKind::skin_weight, id, mesh.skin_weight.size() / 4, mesh.skin_weight);
}

/// SCENE (`after` 0), or BODIES with what changed after a revision.
void append_structure(MessageWriter& out, const Picture& picture, std::uint32_t world, bool whole,
                      std::uint64_t after, bool tets, bool new_tets) {
    out.begin(whole ? MessageType::scene : MessageType::bodies, world);
    nlohmann::json meta = whole ? picture.scene_meta : nlohmann::json::object();
    meta["revision"] = picture.revision;
    nlohmann::json& bodies = meta["bodies"] = nlohmann::json::array();
    const auto is_new = [&](const BodyPicture& body) {
        return whole || body.revision > after || (new_tets && !body.tets.empty());
    };
    for (const auto& body : picture.bodies)
        if (is_new(*body)) bodies.push_back(body->meta);
    out.json(meta.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    for (std::size_t k = 0; k < picture.meshes.size(); ++k)
        if (picture.meshes[k] && (whole || picture.meshes[k]->revision > after))
            append_mesh(out, static_cast<std::uint32_t>(k), *picture.meshes[k]);
    for (std::size_t i = 0; tets && i < picture.bodies.size(); ++i)
        if (const BodyPicture& body = *picture.bodies[i]; is_new(body) && !body.tets.empty())
            out.section(SectionKind::tets, static_cast<std::uint32_t>(i), body.tets.size() / 4, body.tets);
    out.end();
}

void append_points(MessageWriter& out, std::uint32_t body, const PointsPicture& points,
                   std::uint32_t layers) {
    const std::size_t count = points.positions.size() / 3;
    out.section(SectionKind::points, body, count, points.positions);
    if ((layers & bit(Layer::velocity)) && !points.velocities.empty())
        out.section(SectionKind::velocities, body, count, points.velocities);
    if ((layers & bit(Layer::strain)) && !points.strain.empty())
        out.section(SectionKind::strain, body, points.strain.size(), points.strain);
    if (layers & bit(Layer::tets))
        out.section(SectionKind::inverted, body, points.inverted.size(), points.inverted);
}

void append_frame(MessageWriter& out, const Picture& picture, std::uint32_t world, std::uint32_t layers,
                  std::uint64_t after) {
    out.begin(MessageType::frame, world);
    out.json(picture.frame_meta);
    Words poses;
    std::size_t count = 0;
    for (std::size_t i = 0; i < picture.poses.size(); ++i) {
        const PosePicture& pose = picture.poses[i];
        if (pose.seq <= after) continue;
        poses << static_cast<std::uint32_t>(i);
        for (const float v : pose.values) poses << v;
        ++count;
    }
    if (count > 0) out.section(SectionKind::poses, 0, count, poses.bytes());
    for (std::size_t i = 0; i < picture.points.size(); ++i)
        if (picture.points[i] && picture.points[i]->seq > after)
            append_points(out, static_cast<std::uint32_t>(i), *picture.points[i], layers);
    out.section(SectionKind::flags, 0, picture.flags.size(), picture.flags);
    for (const ListPicture& list : picture.lists)
        if (list.layers == 0 || (list.layers & layers)) out.section(list.kind, 0, list.count, list.bytes);
    out.end();
}

}  // namespace

void append_messages(std::vector<std::byte>& out, const Picture& picture, std::uint32_t world,
                     std::uint32_t layers, PageProgress& page) {
    MessageWriter writer(out);
    const std::uint32_t new_layers = layers & ~page.layers;
    const bool whole = page.revision < picture.scene_revision || page.seq == 0;
    const bool new_tets = !whole && (new_layers & bit(Layer::tets));
    if (page.seq == picture.seq && !new_layers) return;
    if (whole || page.revision < picture.revision || new_tets)
        append_structure(writer, picture, world, whole, page.revision, layers & bit(Layer::tets), new_tets);
    // A body whose mesh or points are of another number is sent whole; so is everything where a layer of points is new.
    append_frame(writer, picture, world, layers, whole || new_layers ? 0 : page.seq);
    page = {picture.seq, picture.revision, layers};
}

}  // namespace plush::view
