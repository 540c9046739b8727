#include "view/saved_state.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <fstream>
#include <span>

#include "plush/core/state.hpp"
#include "plush/core/version.hpp"
#include "view/file_text.hpp"

namespace plush::view {

namespace {

constexpr std::array<char, 8> signature{'p', 'l', 'u', 's', 'h', 'v', 'i', 'w'};
constexpr std::uint32_t format_version = 1;

}  // namespace

static void visit_state(StateVisitor& v, SavedState& s) {
    v(s.scene_name, s.scene, s.actions, s.world);
}

std::vector<std::byte> to_bytes(const SavedState& state) {
    SavedState copy = state;
    std::uint32_t format = format_version;
    std::string writer(version());
    StateWriter out;
    out(format, writer, copy);
    const std::vector<std::byte> payload = out.take();
    const std::uint64_t sum = checksum(payload);
    std::vector<std::byte> bytes;
    bytes.reserve(signature.size() + sizeof sum + payload.size());
    const auto append = [&](std::span<const std::byte> part) {
        bytes.insert(bytes.end(), part.begin(), part.end());
    };
    append(std::as_bytes(std::span(signature)));
    append(std::as_bytes(std::span(&sum, 1)));
    append(payload);
    return bytes;
}

bool is_saved_state(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::array<char, 8> start{};
    return in.read(start.data(), start.size()) && start == signature;
}

Result<SavedState> load_saved_state(const std::filesystem::path& file) {
    const auto fail = [&](std::string problem, std::string cure) {
        return Error({.file = file.string(), .problem = std::move(problem), .cure = std::move(cure)});
    };
    const auto content = file_text(file);
    if (!content) return fail("the file cannot be read", "give a file that exists");
    const std::string& text = *content;
    const auto bytes = std::as_bytes(std::span(text));
    const std::size_t head = signature.size() + sizeof(std::uint64_t);
    std::uint64_t sum = 0;
    if (bytes.size() >= head) std::memcpy(&sum, bytes.data() + signature.size(), sizeof sum);
    if (bytes.size() < head || !text.starts_with(std::string_view(signature.data(), signature.size())) ||
        checksum(bytes.subspan(head)) != sum)
        return fail("the saved state is damaged or not all there", "save it again");
    StateReader reader(bytes.subspan(head));
    std::uint32_t format = 0;
    std::string writer;
    reader(format, writer);
    // A snapshot is the memory of one version's structs.
    if (format != format_version || writer != version())
        return fail(fmt::format("Plush {} wrote it (format {}), and this is Plush {} (format {})", writer,
                                format, version(), format_version),
                    "open it with that version");
    SavedState state;
    reader(state);
    if (!reader.finish())
        return fail("the saved state does not have the length that its content needs", "save it again");
    return state;
}

}  // namespace plush::view
