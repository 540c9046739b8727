#include "view/input_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "plush/core/version.hpp"
#include "view/file_text.hpp"

namespace plush::view {

namespace {

using Json = nlohmann::json;
constexpr int format_version = 1;

std::string end_line(long long step, std::uint64_t hash) {
    return Json{{"end", step}, {"state_hash", fmt::format("{:016x}", hash)}}.dump() + "\n";
}

Error damaged(const std::string& file, std::size_t line, std::string problem) {
    return Error({.file = file,
                  .place = fmt::format("line {}", line),
                  .problem = std::move(problem),
                  .cure = "give a file of plush view --save-input, as it was written"});
}

/// A number of steps: no world does more than 2⁵³.
bool is_step(const Json& value) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() <= std::uint64_t{1} << 53;
}

}  // namespace

Result<void> InputRecord::begin(const std::filesystem::path& file, const Scene* scene, long long first_step) {
    text_.clear(), commands_ = 0, error_.reset();
    Json head{{"plush_input", format_version}, {"version", version()}, {"first_step", first_step}};
    head["scene"] = scene ? Json(scene->name()) : Json(nullptr);
    head["resolved"] = scene ? Json(scene->resolved()) : Json("");
    file_ = file;
    out_ = std::ofstream();
    if (!file.empty()) {
        out_.open(file, std::ios::binary | std::ios::trunc);
        if (!out_)
            return Error({.file = file.string(),
                          .problem = fmt::format("the file cannot be written: {}", std::strerror(errno)),
                          .cure = "name a file in a folder that exists and may be written"});
    }
    write(head.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
    return {};
}

void InputRecord::write(const std::string& line) {
    text_ += line;
    if (!out_.is_open()) return;
    out_ << line << std::flush;
    if (!out_ && !error_)
        error_ = Error({.file = file_.string(),
                        .problem = "what was done could not be written",
                        .cure = "make room on the disk; the page can still download it"});
}

void InputRecord::add(long long step, const Command& command) {
    Json json = view::to_json(command);
    json["step"] = step;
    write(json.dump() + "\n");
    ++commands_;
}

void InputRecord::end(long long step, std::uint64_t state_hash) {
    if (!text_.empty()) write(end_line(step, state_hash));
    out_.close();
}

std::string InputRecord::text(long long step, std::uint64_t state_hash) const {
    return text_ + end_line(step, state_hash);
}

Result<InputReplay> InputReplay::load(const std::filesystem::path& file) {
    const auto text = file_text(file);
    if (!text)
        return Error({.file = file.string(),
                      .problem = fmt::format("the file cannot be read: {}", std::strerror(errno)),
                      .cure = "give a file of plush view --save-input"});
    return read(*text, file.string());
}

Result<InputReplay> InputReplay::read(std::string_view text, const std::string& name) {
    InputReplay replay;
    std::size_t number = 0;
    while (!text.empty()) {
        ++number;
        const std::size_t length = text.find('\n');
        if (length == std::string_view::npos && number > 1) break;  // a last line that was being written
        const std::string_view line = text.substr(0, length);
        text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
        Json json = Json::parse(line, nullptr, false);
        if (!json.is_object()) return damaged(name, number, "this line is not a JSON object");
        if (number == 1) {
            if (json.value("plush_input", Json()) != Json(format_version) ||
                !json.value("resolved", Json()).is_string())
                return damaged(name, number,
                               "this is not a record of a viewer's input, or one of another version");
            if (json.value("first_step", Json(0)) != Json(0))
                return damaged(
                    name, number,
                    "the record begins in the middle of a run: its world was opened from a saved state");
            replay.scene_ = json["resolved"].get<std::string>();
        } else if (json.contains("end")) {
            const Json &steps = json["end"], &hash = json.value("state_hash", Json(""));
            std::uint64_t value = 0;
            if (!is_step(steps) || !hash.is_string()) return damaged(name, number, "the end is not readable");
            const std::string digits = hash.get<std::string>();
            const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
            if (bad != std::errc() || end != digits.data() + digits.size())
                return damaged(name, number, "the hash is not a hexadecimal number");
            replay.steps_ = steps.get<long long>(), replay.state_hash_ = value;
        } else {
            if (!is_step(json.value("step", Json())))
                return damaged(name, number, "a command without its step");
            const auto step = json["step"].get<long long>();
            json.erase("step");
            auto command = read_command(json, fmt::format("line {}", number));
            if (!command) return command.error().in_file(name);
            if (reach_of(command.value().verb) != Reach::world)
                return damaged(name, number, "this command does nothing to a world");
            if (!replay.commands_.empty() && step < replay.commands_.back().step)
                return damaged(name, number, "the steps go backwards");
            replay.commands_.push_back({step, std::move(command).value()});
        }
    }
    if (number == 0) return damaged(name, 1, "the file is empty");
    return replay;
}

bool InputReplay::drops_bodies() const {
    return std::any_of(commands_.begin(), commands_.end(),
                       [](const Timed& t) { return t.command.verb == Verb::drop; });
}

void InputReplay::before_step(World& world) {
    // What the world refused then it refuses now, with the same state afterwards.
    for (; next_ < commands_.size() && commands_[next_].step <= world.steps(); ++next_)
        static_cast<void>(actions_.apply(world, commands_[next_].command));
}

}  // namespace plush::view
