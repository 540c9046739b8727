#include "plush/core/error.hpp"

namespace plush {

Error::Error(Parts parts) : parts_(std::move(parts)) {
    for (const std::string* part : {&parts_.file, &parts_.place, &parts_.problem}) {
        if (part->empty()) continue;
        if (!message_.empty()) message_ += ": ";
        message_ += *part;
    }
    if (!parts_.cure.empty()) message_ += " (" + parts_.cure + ")";
}

Error Error::in_file(std::string file) const {
    Parts parts = parts_;
    parts.file = std::move(file);
    return Error(std::move(parts));
}

}  // namespace plush
