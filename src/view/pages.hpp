#pragma once

#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

// Which pages there are, and which of them acts. Called from any thread; times are given, so that tests need not wait.

namespace plush::view {

class Pages {
public:
    using Time = std::chrono::steady_clock::time_point;
    static constexpr std::size_t max_pages = 8;
    static constexpr int max_requests = 300;                 ///< of one page in a second
    static constexpr std::chrono::milliseconds grace{2000};  ///< for a page that is loaded again

    enum class Opened { fresh, replaces, refused };
    /// A page's stream begins; `stream` names it. A page that has one already loses the older one.
    Opened open(const std::string& page, std::uint64_t stream, Time now);
    /// It ended. True: it was that of the page that acts, so the world is to pause.
    bool close(const std::string& page, std::uint64_t stream, Time now);
    /// Whether this stream is still the page's.
    bool is_current(const std::string& page, std::uint64_t stream) const;

    bool may_act(const std::string& page, Time now);
    /// False: the page has no stream.
    bool take_control(const std::string& page, Time now);
    /// False: it asks too often.
    bool count_request(const std::string& page, Time now);

    std::size_t count() const;
    std::optional<std::string> acting(Time now);

private:
    struct Page {
        std::string id{};
        std::uint64_t stream = 0;
        Time opened{};
    };
    struct Rate {
        std::string id{};
        Time since{};
        int requests = 0;
    };
    Page* find(const std::string& page);
    void choose(Time now);

    mutable std::mutex mutex_;
    std::vector<Page> pages_;  ///< the oldest first
    std::vector<Rate> rates_;
    std::string acting_;
    std::optional<Time> left_{};  ///< when the page that acts lost its stream
};

}  // namespace plush::view
