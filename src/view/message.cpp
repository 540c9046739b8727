#include "view/message.hpp"

namespace plush::view {

void MessageWriter::word(std::uint32_t value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    out_.insert(out_.end(), bytes.begin(), bytes.end());
}

void MessageWriter::begin(MessageType type, std::uint32_t world) {
    start_ = out_.size();
    word(message_magic), word(static_cast<std::uint32_t>(type)), word(world), word(0);
}

void MessageWriter::section(SectionKind kind, std::uint32_t subject, std::size_t count,
                            std::span<const std::byte> data) {
    word(static_cast<std::uint32_t>(kind)), word(subject), word(static_cast<std::uint32_t>(count));
    word(static_cast<std::uint32_t>(data.size()));
    out_.insert(out_.end(), data.begin(), data.end());
    out_.resize(out_.size() + (4 - data.size() % 4) % 4, std::byte{0});
}

void MessageWriter::json(std::string_view text) {
    std::string padded(text);
    padded.resize(text.size() + (4 - text.size() % 4) % 4, ' ');
    section(SectionKind::meta, 0, padded.size(), std::as_bytes(std::span(padded)));
}

void MessageWriter::end() {
    const auto bytes = static_cast<std::uint32_t>(out_.size() - start_ - 16);
    std::memcpy(out_.data() + start_ + 12, &bytes, 4);
}

}  // namespace plush::view
