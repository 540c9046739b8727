#include "fuzz/targets.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/files.hpp"

namespace plush::fuzz {
namespace {

constexpr std::array<Target, 16> all{{{"checkpoint", run_checkpoint, edit_seeds},
                                      {"frames", run_frames, edit_seeds},
                                      {"input_record", run_input_record, input_record_seeds},
                                      {"medit", run_medit, medit_seeds},
                                      {"messages", run_messages, message_seeds},
                                      {"metrics", run_metrics, metrics_seeds},
                                      {"msh", run_msh, msh_seeds},
                                      {"obj", run_obj, obj_seeds},
                                      {"off", run_off, off_seeds},
                                      {"override", run_override, override_seeds},
                                      {"pipeline", run_pipeline, pipeline_seeds},
                                      {"ply", run_ply, ply_seeds},
                                      {"scene", run_scene, scene_seeds},
                                      {"snapshot", run_snapshot, edit_seeds},
                                      {"stl", run_stl, stl_seeds},
                                      {"world_file", run_world_file, edit_seeds}}};

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return 0;
}

template <class T>
void write(std::vector<std::byte>& bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, std::min(sizeof(T), bytes.size() - at));
}

}  // namespace

std::span<const Target> targets() {
    return all;
}

const Target* find_target(std::string_view name) {
    const auto place = std::find_if(all.begin(), all.end(), [&](const Target& t) { return t.name == name; });
    return place == all.end() ? nullptr : &*place;
}

void expect(bool holds, const char* promise) {
    if (holds) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

std::string file_with(std::string_view name, std::string_view content) {
    static const test::TempFolder folder;
    return folder.write(name, content).string();
}

std::vector<std::string> kept_inputs(std::string_view name) {
    const std::string text =
        test::read_text(std::string(PLUSH_SOURCE_DIR "/tests/fuzz/corpus/") + std::string(name) + ".txt");
    std::vector<std::string> inputs;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        inputs.push_back(unescaped(std::string_view(text).substr(at, end - at)));
        at = end + 1;
    }
    return inputs;
}

std::string escaped(std::string_view bytes) {
    std::string line;
    for (const char c : bytes) {
        if (c == '\\') {
            line += "\\\\";
        } else if (c == '\n') {
            line += "\\n";
        } else if (c >= ' ' && c <= '~') {
            line += c;
        } else {
            constexpr std::string_view digits = "0123456789abcdef";
            const auto value = static_cast<unsigned char>(c);
            line += "\\x";
            line += digits[value / 16];
            line += digits[value % 16];
        }
    }
    return line;
}

std::string unescaped(std::string_view line) {
    std::string bytes;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '\\' || i + 1 == line.size()) {
            bytes += line[i];
        } else if (line[i + 1] == 'x' && i + 3 < line.size()) {
            bytes += static_cast<char>(16 * hex_digit(line[i + 2]) + hex_digit(line[i + 3]));
            i += 3;
        } else {
            bytes += line[i + 1] == 'n' ? '\n' : line[i + 1];
            ++i;
        }
    }
    return bytes;
}

// Place (4 bytes), what to do (1 byte), and a number for it (3 bytes).
void edit(std::vector<std::byte>& bytes, std::string_view script) {
    for (int edits = 0; script.size() >= 8 && edits < 32; script.remove_prefix(8), ++edits) {
        std::uint32_t place = 0, number = 0;
        std::memcpy(&place, script.data(), 4);
        std::memcpy(&number, script.data() + 5, 3);
        if (bytes.empty()) return;
        const std::size_t at = place % bytes.size(), aligned = at / 8 * 8;
        const std::size_t count = std::min<std::size_t>(number % 64, bytes.size() - at);
        const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        switch (static_cast<unsigned char>(script[4]) % 8) {
            case 0:
                bytes[at] ^= static_cast<std::byte>(number);
                break;
            case 1:
                write(bytes, at, static_cast<std::uint8_t>(number));
                break;
            case 2:
                write(bytes, at / 4 * 4, number);
                break;
            case 3: {
                constexpr std::array<std::uint64_t, 8> words{0,
                                                             ~std::uint64_t{0},
                                                             0x7ff0000000000000,   // infinity
                                                             0x7ff8000000000000,   // NaN
                                                             0x7fefffffffffffff,   // the largest number
                                                             0x8000000000000001,   // the smallest, below 0
                                                             0x4170000000000000,   // 2²⁴
                                                             0x000000007fffffff};  // the largest int
                write(bytes, aligned, words[number % words.size()]);
                break;
            }
            case 4: {
                const double value = (number & 0x800000 ? -1.0 : 1.0) * (number & 0xffff) / 65536.0 *
                                     (number & 0x400000 ? 1e6 : 1.0) * (number & 0x200000 ? 1e-6 : 1.0);
                write(bytes, aligned, value);
                break;
            }
            case 5:
                bytes.erase(from, from + static_cast<std::ptrdiff_t>(count));
                break;
            case 6: {
                const std::vector<std::byte> part(from, from + static_cast<std::ptrdiff_t>(count));
                bytes.insert(from, part.begin(), part.end());
                break;
            }
            default:
                write(bytes, at / 4 * 4, std::uint32_t{0} - number);
        }
    }
}

std::vector<std::string> edit_seeds() {
    using namespace std::string_literals;
    return {"\1"s,
            "\3"s,
            "\1"s + "\x40\0\0\0\0\1\0\0"s,
            "\3"s + "\x40\1\0\0\3\2\0\0"s,
            "\1"s + "\x10\2\0\0\2\7\0\0"s + "\x80\0\0\0\4\7\0\x80"s,
            "\1"s + "\x20\0\0\0\5\x20\0\0"s,
            "\1"s + "\x20\0\0\0\6\x20\0\0"s,
            "\0"s + "\x20\0\0\0\0\x20\0\0"s};
}

}  // namespace plush::fuzz
