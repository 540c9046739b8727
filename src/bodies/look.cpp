#include "plush/bodies/look.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <vector>

#include "core/did_you_mean.hpp"

namespace plush {

std::span<const Choice> finish_choices() {
    static constexpr std::array words{
        Choice{"matt", static_cast<int>(Finish::matt), "like cloth or chalk"},
        Choice{"shiny", static_cast<int>(Finish::shiny), "with highlights, like wet skin or plastic"},
        Choice{"translucent", static_cast<int>(Finish::translucent),
               "what is behind shows through, as through jelly"},
    };
    return words;
}

void describe(FieldVisitor& v, Look& s) {
    v.field({.key = "colour",
             .text = "of the body in pictures: \"#RRGGBB\" or a name such as \"orange\"; absent: one is "
                     "chosen for each body"},
            s.colour);
    v.choice({.key = "finish", .text = "how the surface takes light"}, s.finish, finish_choices());
}

std::span<const ColourName> colour_names() {
    // Plain names first; then what bodies of this engine are often made of.
    static constexpr std::array<ColourName, 22> names{
        {{"black", 0x26282B},  {"white", 0xF2F0EB},   {"grey", 0x8E9196},   {"silver", 0xC3C7CC},
         {"red", 0xC8322B},    {"orange", 0xE69F00},  {"yellow", 0xF0E442}, {"green", 0x009E73},
         {"lime", 0x8CC63F},   {"cyan", 0x56B4E9},    {"blue", 0x0072B2},   {"navy", 0x1F3864},
         {"purple", 0x6A4C93}, {"magenta", 0xCC79A7}, {"pink", 0xF2A6B3},   {"brown", 0x7B4B2A},
         {"beige", 0xD9C7A3},  {"gold", 0xC9A227},    {"skin", 0xE3B59B},   {"liver", 0x7A2E2A},
         {"bone", 0xE8DEC3},   {"wood", 0xB07D4B}}};
    return names;
}

Result<unsigned> parse_colour(std::string_view text) {
    for (const ColourName& known : colour_names())
        if (known.name == text) return known.rgb;
    if (text.size() == 7 && text[0] == '#') {
        unsigned rgb = 0;
        const auto [end, bad] = std::from_chars(text.data() + 1, text.data() + 7, rgb, 16);
        if (bad == std::errc() && end == text.data() + 7) return rgb;
    }
    std::vector<std::string_view> words;
    for (const ColourName& known : colour_names()) words.push_back(known.name);
    std::string fix = did_you_mean(text, words);
    if (fix.empty()) fix = fmt::format("give \"#RRGGBB\", or one of {}", fmt::join(words, ", "));
    return Error({.problem = fmt::format("\"{}\" is not a colour", text), .cure = std::move(fix)});
}

}  // namespace plush
