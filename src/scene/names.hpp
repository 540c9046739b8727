#pragma once

#include <map>

#include "scene/spec.hpp"

namespace plush {

/// What a name in joints and pairs means: a body of the list, and one of its copies or all of them.
struct NamedBody {
    std::size_t body = 0;
    long long first = 0, count = 0;  ///< copies
};

/// The names of a scene's bodies. A repeated body called "toy" has copies "toy 1", "toy 2", …; "toy" means
/// all.
class Names {
public:
    /// Complains where two bodies have the same name.
    Names(const std::vector<BodySpec>& bodies, Messages& messages);

    std::optional<NamedBody> find(const std::string& name) const;
    /// `did you mean "x"?`, or the names there are.
    std::string cure(const std::string& name) const;

private:
    std::optional<NamedBody> find_copy(const std::string& name) const;  ///< "toy 2"

    struct Entry {
        std::size_t body;
        long long copies;
        bool repeated;
    };
    std::map<std::string, Entry> entries_;
};

/// The name of a copy, from 0; empty for bodies without one.
std::string copy_name(const BodySpec& body, long long copy);

}  // namespace plush
