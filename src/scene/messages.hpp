#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "plush/core/error.hpp"

namespace plush {

struct JsonNode;

/// A file, or an override from the command line, that parts of a scene come from.
struct Source {
    std::string name{};              ///< as messages call it
    std::filesystem::path folder{};  ///< relative paths start here
};
using Sources = std::vector<Source>;

/// Where something stands in a scene.
struct Place {
    std::uint16_t source = 0;
    int line = 0;                    ///< from 1; 0 where there are no lines
    std::string path{};              ///< "$.bodies[3].rigid"
    const JsonNode* node = nullptr;  ///< only while the document lives

    std::string to_string() const;  ///< "line 12, $.bodies[3].rigid"
};

/// The place of a member of the object at `place`, or of the object itself where it has no such key.
Place at_key(const Place& place, std::string_view key);

/// Collects everything that is wrong with a scene, and everything odd. Only so many are kept: nobody reads a
/// million, and a hostile file must not make us write them.
class Messages {
public:
    static constexpr std::size_t most = 100;

    Sources sources{};

    void error(const Place& place, std::string problem, std::string cure = {});
    void warning(const Place& place, std::string problem, std::string cure = {});

    bool ok() const { return errors_.empty(); }
    bool full() const { return errors_.size() >= most; }

    /// The main file first, then the others as they were met; in each, by line.
    std::vector<Error> errors() const { return in_order(errors_); }
    std::vector<Error> warnings() const { return in_order(warnings_); }

private:
    struct Entry {
        std::uint16_t source;
        int line;
        Error error;
    };
    void keep(std::vector<Entry>& list, const Place& place, std::string problem, std::string cure);
    static std::vector<Error> in_order(std::vector<Entry> entries);

    std::vector<Entry> errors_, warnings_;
};

}  // namespace plush
