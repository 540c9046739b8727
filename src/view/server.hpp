#pragma once

#include <atomic>

#include "view/guard.hpp"
#include "view/session.hpp"

struct mg_context;
struct mg_connection;

namespace plush::view {

/// The local server: the page's files, and a session's state, frames and commands (docs/viewer-protocol.md). Bound to
/// 127.0.0.1 only.
class Server {
public:
    /// `port` 0: a free one.
    static Result<std::unique_ptr<Server>> start(Session& session, int port);
    ~Server();  ///< ends all streams
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    int port() const { return port_; }
    /// With the token, as a user opens it.
    std::string address() const;

private:
    explicit Server(Session& session) : session_(session) {}
    static int on_request(mg_connection* connection);
    void handle(mg_connection* connection);
    void handle_get(mg_connection* connection, const RequestHead& head);
    void handle_post(mg_connection* connection, const RequestHead& head);
    void send_page(mg_connection* connection, const RequestHead& head);
    void send_of_world(mg_connection* connection, const RequestHead& head);
    void send_picture(mg_connection* connection, const std::string& name);
    void take_commands(mg_connection* connection, const RequestHead& head, const std::string& body);
    void subscribe(mg_connection* connection, const RequestHead& head, const std::string& body);
    void stream(mg_connection* connection, const RequestHead& head);
    void run_stream(mg_connection* connection, const std::string& page, std::uint64_t id);
    Subscription subscription_of(const std::string& page) const;

    Session& session_;
    std::optional<Guard> guard_;
    mg_context* context_ = nullptr;
    int port_ = 0;
    std::atomic<std::uint64_t> next_stream_{1};
    std::atomic<int> streams_{0};  ///< that are open
    mutable std::mutex mutex_;
    std::vector<std::tuple<std::string, std::uint64_t, Subscription>> subscriptions_;
};

}  // namespace plush::view
