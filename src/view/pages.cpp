#include "view/pages.hpp"

#include <algorithm>

namespace plush::view {

Pages::Page* Pages::find(const std::string& page) {
    const auto found =
        std::find_if(pages_.begin(), pages_.end(), [&](const Page& p) { return p.id == page; });
    return found == pages_.end() ? nullptr : &*found;
}

/// Where nobody acts, or who did is gone for good, the page that is there longest does.
void Pages::choose(Time now) {
    if (left_ && now - *left_ < grace) return;
    if (!acting_.empty() && find(acting_)) return;
    left_.reset();
    acting_ = pages_.empty() ? std::string() : pages_.front().id;
}

Pages::Opened Pages::open(const std::string& page, std::uint64_t stream, Time now) {
    const std::lock_guard lock(mutex_);
    choose(now);
    if (Page* known = find(page)) {
        known->stream = stream;
        return Opened::replaces;
    }
    if (pages_.size() >= max_pages) return Opened::refused;
    pages_.push_back({page, stream, now});
    if (page == acting_) left_.reset();
    choose(now);
    return Opened::fresh;
}

bool Pages::close(const std::string& page, std::uint64_t stream, Time now) {
    const std::lock_guard lock(mutex_);
    const Page* known = find(page);
    if (!known || known->stream != stream) return false;
    std::erase_if(pages_, [&](const Page& p) { return p.id == page; });
    if (page != acting_) return false;
    left_ = now;
    return true;
}

bool Pages::is_current(const std::string& page, std::uint64_t stream) const {
    const std::lock_guard lock(mutex_);
    return std::any_of(pages_.begin(), pages_.end(),
                       [&](const Page& p) { return p.id == page && p.stream == stream; });
}

bool Pages::may_act(const std::string& page, Time now) {
    const std::lock_guard lock(mutex_);
    choose(now);
    return page == acting_ && find(page) != nullptr;
}

bool Pages::take_control(const std::string& page, Time now) {
    const std::lock_guard lock(mutex_);
    choose(now);
    if (!find(page)) return false;
    acting_ = page, left_.reset();
    return true;
}

bool Pages::count_request(const std::string& page, Time now) {
    const std::lock_guard lock(mutex_);
    std::erase_if(rates_, [&](const Rate& r) { return now - r.since > std::chrono::seconds(1); });
    auto found = std::find_if(rates_.begin(), rates_.end(), [&](const Rate& r) { return r.id == page; });
    if (found == rates_.end()) {
        // More names than pages can only be an attempt to get round the limit.
        if (rates_.size() >= 4 * max_pages) return false;
        found = rates_.insert(rates_.end(), {page, now, 0});
    }
    return ++found->requests <= max_requests;
}

std::size_t Pages::count() const {
    const std::lock_guard lock(mutex_);
    return pages_.size();
}

std::optional<std::string> Pages::acting(Time now) {
    const std::lock_guard lock(mutex_);
    choose(now);
    return acting_.empty() ? std::nullopt : std::optional(acting_);
}

}  // namespace plush::view
