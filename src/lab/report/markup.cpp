#include "lab/report/markup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plush::lab {
namespace {

/// The length of the UTF-8 sequence that starts here; 0 where it is none, or one of a character that XML
/// forbids.
std::size_t sequence(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
    const std::size_t length = first >= 0xf0 && first < 0xf5   ? 4
                               : first >= 0xe0                 ? 3
                               : first >= 0xc2 && first < 0xe0 ? 2
                                                               : 0;
    if (length == 0 || first >= 0xf5 || length > text.size()) return 0;
    unsigned code = first & (0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0u) != 0x80) return 0;
        code = code << 6 | (byte(i) & 0x3fu);
    }
    const unsigned least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
    const bool good = code >= least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) &&
                      code != 0xfffe && code != 0xffff;
    return good ? length : 0;
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t n = sequence(text);
        const char c = text[0];
        if (n == 0) {
            out += "\xEF\xBF\xBD";
        } else if (c == '&') {
            out += "&amp;";
        } else if (c == '<') {
            out += "&lt;";
        } else if (c == '>') {
            out += "&gt;";
        } else if (c == '"') {
            out += "&quot;";
        } else if (c == '\'') {
            out += "&#39;";
        } else {
            out += text.substr(0, n);
        }
        text.remove_prefix(std::max<std::size_t>(n, 1));
    }
    return out;
}

double text_width(std::string_view text) {
    // Digits of common fonts are 0.56 (Arial) to 0.64 (DejaVu Sans) wide; thin letters half of that.
    constexpr double wide = 0.85, usual = 0.6, thin = 0.36;
    double width = 0;
    for (const char c : text) {
        if ((static_cast<unsigned char>(c) & 0xc0u) == 0x80) continue;  // inside a character
        if (std::string_view("mwMW@%").find(c) != std::string_view::npos)
            width += wide;
        else if (std::string_view(" .,:;'|!()[]ijlftr").find(c) != std::string_view::npos)
            width += thin;
        else
            width += usual;
    }
    return width;
}

std::string number_text(double value, int digits) {
    if (std::isnan(value)) return "–";
    std::string text = std::isinf(value) ? (value < 0 ? "-∞" : "∞") : fmt::format("{:.{}g}", value, digits);
    return text[0] == '-' ? "−" + text.substr(1) : text;
}

std::string base64(std::string_view bytes) {
    static constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
        unsigned three = 0;
        for (std::size_t k = 0; k < 3; ++k)
            three = three << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k) out += k <= n ? letters[three >> (18 - 6 * k) & 63u] : '=';
    }
    return out;
}

}  // namespace plush::lab
