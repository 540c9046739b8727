#include "world/world_file.hpp"

#include <fmt/format.h>

#include <new>

#include "core/chunk.hpp"
#include "plush/core/version.hpp"
#include "world/recipe_archive.hpp"
#include "world/world_impl.hpp"

// A world in a file: what it is made of (settings, and the recipe of each body, which copies of a world are made of, too), and
// its snapshot. One chunk (core/chunk.hpp) holds all of it, so that a checksum guards every byte; it replaces the file in one go.
//
//     "plushwld"   chunk WRLD: format, version of Plush, settings, places of bodies, bodies, joints, contacts, snapshot
//
// What passes the checksum and makes no sense all the same is refused by the checks of World::add() and of restore().

namespace plush {

static void visit_state(StateVisitor& v, Contact& c) {
    std::uint8_t sticking = c.sticking;
    v(c.a.index, c.a.generation, c.b.index, c.b.generation, c.point, c.normal, c.depth, c.normal_force,
      c.friction_force, sticking, c.id, c.area, c.volume, c.largest_depth);
    c.sticking = sticking != 0;
}

namespace {

constexpr Signature signature{'p', 'l', 'u', 's', 'h', 'w', 'l', 'd'};
constexpr ChunkType world_type{'W', 'R', 'L', 'D'};
constexpr std::uint32_t format_version = 1;

/// Of a body, beside its recipe.
struct Kept {
    std::uint64_t order = 0;
    Look look = Look();
};

void visit_settings(RecipeArchive& archive, StateVisitor& v, WorldSettings& settings) {
    archive.described(settings);
    v(settings.gravity);
}

Error damaged() {
    return Error({.problem = "the world in it is damaged or not all there",
                  .cure = "copy the file again, or save the world again"});
}

}  // namespace

std::vector<std::byte> World::to_bytes() const {
    WorldParts& parts = *impl_;
    StateWriter writer;
    RecipeArchive archive(writer);
    std::uint32_t format = format_version;
    std::string by(version());
    WorldSettings settings = parts.settings;
    writer(format, by);
    visit_settings(archive, writer, settings);
    if (!parts.bodies.visit_places(writer)) refuse_content("the places of bodies");
    for (std::uint32_t i = 0; i < parts.bodies.size(); ++i) {
        const BodyRecord& record = parts.bodies[i];
        if (!record.body) continue;
        BodyRecipe recipe = *record.recipe;
        Kept kept{record.order, record.look};
        try {
            archive.visit(recipe);
        } catch (const Error& error) {
            throw Error({.place = parts.bodies.label(i) + ", " + error.place(),
                         .problem = error.problem(),
                         .cure = error.cure()});
        }
        writer(kept.order);
        archive.visit(kept.look);
    }
    parts.joints.visit_joints(writer);
    writer(parts.contacts);
    std::uint8_t queries = parts.queries.enabled();
    std::vector<std::byte> state = snapshot();
    writer(queries, state);
    const auto letters = std::as_bytes(std::span(signature));
    std::vector<std::byte> bytes(letters.begin(), letters.end());
    append_chunk(bytes, world_type, writer.take());
    return bytes;
}

namespace {

/// The payload, where the envelope is whole.
Result<std::span<const std::byte>> opened(std::span<const std::byte> bytes) {
    const auto letters = std::as_bytes(std::span(signature));
    if (bytes.size() < letters.size() || !std::equal(letters.begin(), letters.end(), bytes.begin()))
        return Error({.problem = "this is not a world that Plush saved",
                      .cure = "give a file of World::save() or of plush run --save-world"});
    const std::size_t head = letters.size() + chunk_head_bytes;
    if (bytes.size() < head + chunk_sum_bytes) return damaged();
    // Written again, the chunk must have the same bytes: head, length and sums are those of the payload.
    const auto payload = bytes.subspan(head, bytes.size() - head - chunk_sum_bytes);
    std::vector<std::byte> again;
    append_chunk(again, world_type, payload);
    const auto chunk = bytes.subspan(letters.size());
    if (!std::equal(again.begin(), again.end(), chunk.begin(), chunk.end())) return damaged();
    return payload;
}

}  // namespace

void WorldParts::read_file(StateReader& reader, RecipeArchive& archive) {
    if (!bodies.visit_places(reader)) refuse_content("the places of bodies");
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
        if (bodies.is_free(i)) continue;
        auto recipe = std::make_shared<BodyRecipe>();
        Kept kept;
        archive.visit(*recipe);
        reader(kept.order);
        archive.visit(kept.look);
        put_again(i, std::move(recipe), kept.order, kept.look);
    }
    attachments.mark_changed();
    joints.visit_joints(reader);
    std::vector<Contact> read;
    std::uint8_t with_queries = 0;
    std::vector<std::byte> state;
    reader(read, with_queries, state);
    if (!reader.finish()) throw damaged();
    restore_snapshot(state);
    joints.require_sound(true);
    for (const Contact& c : read)
        if (!bodies.contains(c.a) || !bodies.contains(c.b)) refuse_content("a contact");
    contacts = std::move(read);
    queries.enable(with_queries != 0);
    if (with_queries) queries.update(parallel);
}

Result<World> World::try_from_bytes(std::span<const std::byte> bytes, int threads) {
    const auto payload = opened(bytes);
    if (!payload) return payload.error();
    try {
        StateReader reader(payload.value());
        RecipeArchive archive(reader);
        std::uint32_t format = 0;
        std::string by;
        reader(format, by);
        // A snapshot is the memory of one version's structs: no other version may take it for its own.
        if (format != format_version || by != version())
            return Error(
                {.problem = fmt::format("Plush {} wrote it (format {}), and this is Plush {} (format {})", by,
                                        format, version(), format_version),
                 .cure = "open it with that version, or build the world again from its scene"});
        WorldSettings settings;
        visit_settings(archive, reader, settings);
        settings.threads = threads;
        World world(settings);
        world.impl_->read_file(reader, archive);
        return world;
    } catch (const Error& error) {
        return error;
    } catch (const std::bad_alloc&) {
        return Error({.problem = "there is not enough memory for the world in it",
                      .cure = "free some memory, or open it on a larger machine"});
    } catch (const std::length_error&) {
        return damaged();
    }
}

bool is_world_file(const std::filesystem::path& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return false;
    const auto file = ReadFile::open(path);
    return file && check_signature(file.value(), signature, "a world").ok();
}

void World::save(const std::filesystem::path& file) const {
    replace_file(file, to_bytes()).value();
}

Result<World> World::try_load(const std::filesystem::path& file, int threads) {
    const auto open = ReadFile::open(file);
    if (!open) return open.error();
    std::vector<std::byte> bytes(open.value().size());
    if (!open.value().read(0, bytes)) return damaged().in_file(file.string());
    auto world = try_from_bytes(bytes, threads);
    if (!world) return world.error().in_file(file.string());
    return world;
}

World World::load(const std::filesystem::path& file, int threads) {
    return try_load(file, threads).value();
}

}  // namespace plush
