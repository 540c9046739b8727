#include <civetweb.h>
#include <fmt/format.h>

#include <thread>

#include "view/server.hpp"

// One page's stream: it waits for what is new, puts it into bytes and writes them. A page that reads slowly holds up this
// thread alone; when it comes back for more, what it missed is in the picture of then.

namespace plush::view {

namespace {

using Clock = Pace::Clock;
using namespace std::chrono_literals;
constexpr auto ping_every = 2s;         // where nothing happens, so that a page that is gone is noticed
constexpr std::size_t chunk = 1 << 20;  // bytes that are written at once

/// Layers of a query: "contacts,joints".
Result<std::uint32_t> layers_of(const std::string& query) {
    const auto text = [&]() -> std::string {
        for (std::size_t at = 0; at < query.size();) {
            const std::size_t end = std::min(query.find('&', at), query.size());
            if (query.compare(at, 7, "layers=") == 0) return query.substr(at + 7, end - at - 7);
            at = end + 1;
        }
        return {};
    }();
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return read_layers(words);
}

/// As a chunk of HTTP. False: the page is gone.
bool write_chunk(mg_connection* to, const std::vector<std::byte>& bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += chunk) {
        const std::size_t size = std::min(chunk, bytes.size() - at);
        if (mg_send_chunk(to, reinterpret_cast<const char*>(bytes.data()) + at,
                          static_cast<unsigned>(size)) <= 0)
            return false;
    }
    return true;
}

}  // namespace

void Server::stream(mg_connection* connection, const RequestHead& head) {
    const std::string page = head.page.front();
    const auto refuse = [&](int status, const char* reason, const std::string& code,
                            const std::string& problem) {
        const std::string body =
            nlohmann::json{{"error", {{"code", code}, {"problem", problem}, {"fix", "try again"}}}}.dump();
        const std::string text = fmt::format(
            "HTTP/1.1 {} {}\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\n"
            "Connection: close\r\n\r\n{}",
            status, reason, security_headers(), body.size(), body);
        mg_disable_keep_alive(connection);
        mg_write(connection, text.data(), text.size());
    };
    ++streams_;
    struct Ended {
        std::atomic<int>& streams;
        ~Ended() { --streams; }
    } ended{streams_};
    const auto layers = layers_of(head.query);
    if (!layers) return refuse(400, "Bad Request", "malformed", layers.error().problem());
    const std::uint64_t id = next_stream_++;
    const auto opened = session_.pages().open(page, id, Clock::now());
    if (opened == Pages::Opened::refused)
        return refuse(503, "Service Unavailable", "busy",
                      fmt::format("{} pages are open already", Pages::max_pages));
    // Loaded again before its old stream was found to be broken, which takes a frame: the world pauses all the same.
    if (opened == Pages::Opened::replaces && session_.pages().acting(Clock::now()) == page)
        session_.acting_left();
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(subscriptions_, [&](const auto& s) { return std::get<0>(s) == page; });
        subscriptions_.emplace_back(page, id, Subscription{.layers = layers.value()});
    }
    session_.set_reader(id, layers.value());
    session_.touch();
    mg_disable_keep_alive(connection);
    const std::string start = fmt::format(
        "HTTP/1.1 200 OK\r\n{}Content-Type: application/octet-stream\r\n"
        "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        security_headers());
    if (mg_write(connection, start.data(), start.size()) > 0) run_stream(connection, page, id);
    session_.set_reader(id, std::nullopt);
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(subscriptions_, [&](const auto& s) { return std::get<1>(s) == id; });
    }
    if (session_.pages().close(page, id, Clock::now())) session_.acting_left();
    session_.touch();
}

Subscription Server::subscription_of(const std::string& page) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, id, subscription] : subscriptions_)
        if (known == page) return subscription;
    return {};
}

void Server::run_stream(mg_connection* connection, const std::string& page, std::uint64_t id) {
    std::vector<PageProgress> progress;
    std::uint64_t seq = 0, state_version = 0, epoch = ~std::uint64_t{0};
    std::optional<std::string> acting;
    auto next = Clock::now();
    std::vector<std::byte> bytes;
    while (!session_.stopped() && session_.pages().is_current(page, id)) {
        bytes.clear();
        const auto now = session_.wait(seq, state_version, Clock::now() + ping_every);
        // Only now: what came may be the picture for layers that were asked for while this waited.
        const Subscription wanted = subscription_of(page);
        MessageWriter writer(bytes);
        if (!now) {
            if (session_.stopped()) break;
            writer.begin(MessageType::ping, 0), writer.end();
        } else {
            if (now->state_version > state_version || now->epoch != epoch) {
                writer.begin(MessageType::state, 0), writer.json(now->state), writer.end();
                state_version = now->state_version;
            }
            if (now->epoch != epoch) progress.clear(), epoch = now->epoch;
            progress.resize(now->worlds.size());
            for (std::uint32_t w = 0; w < now->worlds.size(); ++w) {
                const Picture& picture = *now->worlds[w];
                append_messages(bytes, picture, w, wanted.layers & picture.layers, progress[w]);
            }
            seq = now->seq;
        }
        if (!write_chunk(connection, bytes)) break;
        // Somebody else acts now, since the page that did is gone for good.
        if (auto who = session_.pages().acting(Clock::now()); who != acting) acting = who, session_.touch();
        next = std::max(next + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(1 / wanted.max_rate)),
                        Clock::now() - 50ms);
        std::this_thread::sleep_until(next);
    }
    mg_send_chunk(connection, "", 0);  // a whole end, which the page tells from a broken one
}

}  // namespace plush::view
