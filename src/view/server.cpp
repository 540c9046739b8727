#include "view/server.hpp"

#include <civetweb.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "view/gallery.hpp"
#include "view/page_files.hpp"

namespace plush::view {

namespace {

using Json = nlohmann::json;
using Clock = Pace::Clock;
using namespace std::chrono_literals;

constexpr auto answer_within = 600s;  // a command, while the world takes long over its steps
constexpr auto last_words = 200ms;    // for the ends of streams

const char* reason(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 408:
            return "Request Timeout";
        case 411:
            return "Length Required";
        case 413:
            return "Content Too Large";
        case 415:
            return "Unsupported Media Type";
        case 429:
            return "Too Many Requests";
        case 505:
            return "HTTP Version Not Supported";
        default:
            return "Service Unavailable";
    }
}

void send(mg_connection* to, int status, std::string_view type, std::string_view body,
          std::string_view more = {}) {
    const std::string head = fmt::format(
        "HTTP/1.1 {} {}\r\n{}Content-Type: {}\r\nContent-Length: {}\r\n{}Connection: {}\r\n\r\n", status,
        reason(status), security_headers(), type, body.size(), more, status == 200 ? "keep-alive" : "close");
    // What is left of a message that was refused is not read: the connection ends.
    if (status != 200) mg_disable_keep_alive(to);
    if (mg_write(to, head.data(), head.size()) > 0 && !body.empty()) mg_write(to, body.data(), body.size());
}

void send_json(mg_connection* to, std::string_view body) {
    send(to, 200, "application/json", body);
}

void send_refusal(mg_connection* to, const Refusal& r) {
    const Json json{{"error", {{"code", r.code}, {"problem", r.problem}, {"fix", r.fix}}}};
    send(to, r.status, "application/json", json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void send_malformed(mg_connection* to, const Error& error) {
    const std::string problem =
        error.place().empty() ? error.problem() : error.place() + ": " + error.problem();
    send_refusal(to, {400, "malformed", problem, error.cure()});
}

/// What civetweb refuses before on_request() sees it, such as a first line that is no HTTP: its own words would come without
/// our headers.
int refuse_unread(mg_connection* connection, int status, const char*) {
    send_refusal(connection, {status, "malformed", "this is no request that a browser sends", ""});
    return 0;  // it is answered
}

Refusal not_found() {
    return {404, "not_found", "there is nothing at this address", "see docs/viewer-protocol.md"};
}

RequestHead head_of(mg_connection* connection) {
    const mg_request_info* info = mg_get_request_info(connection);
    RequestHead head;
    head.method = info->request_method ? info->request_method : "";
    head.path = info->local_uri_raw ? info->local_uri_raw : "";
    head.query = info->query_string ? info->query_string : "";
    head.content_length = info->content_length;
    for (int i = 0; i < info->num_headers; ++i) {
        const auto is = [&](const char* name) {
            return mg_strcasecmp(info->http_headers[i].name, name) == 0;
        };
        const std::string value = info->http_headers[i].value;
        if (is("Host")) head.host.push_back(value);
        if (is("Origin")) head.origin.push_back(value);
        if (is("Content-Type")) head.content_type.push_back(value);
        if (is("Plush-Token")) head.token.push_back(value);
        if (is("Plush-Page")) head.page.push_back(value);
    }
    return head;
}

/// Nothing where it ends early.
std::optional<std::string> read_body(mg_connection* connection, long long size) {
    std::string body(static_cast<std::size_t>(size), '\0');
    std::size_t got = 0;
    while (got < body.size()) {
        const int n = mg_read(connection, body.data() + got, body.size() - got);
        if (n <= 0) return std::nullopt;
        got += static_cast<std::size_t>(n);
    }
    return body;
}

/// Why the port cannot be had: civetweb does not say.
std::string bind_problem(int port, const char* otherwise) {
    const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET, here.sin_port = htons(static_cast<std::uint16_t>(port));
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int yes = 1;
    ::setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const int problem = ::bind(probe, reinterpret_cast<const sockaddr*>(&here), sizeof here) == 0 ? 0 : errno;
    ::close(probe);
    // Where it can be bound now, somebody else listened at that moment.
    if (problem == EADDRINUSE || (problem == 0 && port > 0)) return "the port is in use";
    if (problem == EACCES) return "this user may not use ports below 1024";
    return problem != 0 ? std::strerror(problem) : otherwise;
}

/// civetweb's threads look only every two seconds whether the server ends, while a connection is open that says nothing (a
/// browser keeps some) or a page does not read. A connection that is shut down wakes them; civetweb does not tell its
/// sockets, so they are found by their port.
void end_connections(int port) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
        const int fd = std::atoi(entry.path().filename().c_str());
        sockaddr_in here{};
        socklen_t size = sizeof here;
        if (::getsockname(fd, reinterpret_cast<sockaddr*>(&here), &size) == 0 && here.sin_family == AF_INET &&
            ntohs(here.sin_port) == port)
            ::shutdown(fd, SHUT_RDWR);
    }
}

constexpr std::string_view no_page =
    "<!doctype html><meta charset=utf-8><title>Plush</title><p>This program was built without the viewer's "
    "page. "
    "Install Debian's npm and nodejs and build again with ./run; then plush view shows it.</p>";

}  // namespace

// -- begin and end

Result<std::unique_ptr<Server>> Server::start(Session& session, int port) {
    std::unique_ptr<Server> server(new Server(session));
    mg_init_library(0);
    mg_callbacks callbacks{};
    callbacks.begin_request = &Server::on_request;
    callbacks.http_error = &refuse_unread;
    callbacks.log_message = [](const mg_connection*, const char*) { return 1; };  // never to a log
    const std::string ports = fmt::format("127.0.0.1:{}", port);
    // No document root: every request is answered by on_request(). An empty access_control_allow_origin: no CORS headers.
    const char* options[] = {"listening_ports",
                             ports.c_str(),
                             "num_threads",
                             "32",
                             "enable_keep_alive",
                             "yes",
                             "keep_alive_timeout_ms",
                             "10000",
                             "request_timeout_ms",
                             "60000",
                             "tcp_nodelay",
                             "1",
                             "max_request_size",
                             "8192",
                             "access_control_allow_origin",
                             "",
                             "access_control_allow_methods",
                             "",
                             "access_control_allow_headers",
                             "",
                             "enable_directory_listing",
                             "no",
                             nullptr};
    mg_init_data init{&callbacks, server.get(), options};
    unsigned code = 0;
    char text[256] = "";
    mg_error_data error{&code, text, sizeof text};
    server->context_ = mg_start2(&init, &error);
    mg_server_port listening{};
    if (!server->context_ || mg_get_server_ports(server->context_, 1, &listening) != 1) {
        return Error({.file = "view",
                      .problem = fmt::format("cannot listen on {}: {}", ports, bind_problem(port, text)),
                      .cure = "give another one with --port, or leave it out for a free one"});
    }
    server->port_ = listening.port;
    server->guard_.emplace(server->port_, new_token());
    return server;
}

Server::~Server() {
    session_.stop();
    if (context_) {
        // Streams end by themselves, with a whole last chunk, unless their page reads too slowly for that.
        const auto until = Clock::now() + last_words;
        while (streams_ > 0 && Clock::now() < until) std::this_thread::sleep_for(1ms);
        end_connections(port_);
        mg_stop(context_);
    }
    mg_exit_library();
}

std::string Server::address() const {
    return fmt::format("{}/#{}", guard_->origin(), guard_->token());
}

int Server::on_request(mg_connection* connection) {
    auto* const self = static_cast<Server*>(mg_get_user_data(mg_get_context(connection)));
    try {
        self->handle(connection);
    } catch (const std::exception& error) {
        send_refusal(connection, {503, "busy", error.what(), "try again"});
    }
    return 200;  // it is answered, whatever it was
}

void Server::handle(mg_connection* connection) {
    const RequestHead head = head_of(connection);
    if (!guard_) return send_refusal(connection, {503, "busy", "the viewer is only beginning", "try again"});
    if (const auto refused = guard_->check(head)) return send_refusal(connection, *refused);
    if (!head.path.starts_with("/api/")) return send_page(connection, head);
    if (!session_.pages().count_request(head.page.front(), Clock::now()))
        return send_refusal(connection, {429, "rate", "the page asks too often", "send less"});
    if (head.method == "GET")
        handle_get(connection, head);
    else
        handle_post(connection, head);
}

// -- GET

void Server::send_page(mg_connection* connection, const RequestHead& head) {
    const std::string path = head.path == "/" ? "/index.html" : head.path;
    for (const PageFile& file : page_files()) {
        if (file.path != path) continue;
        return send(connection, 200, file.type,
                    {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()});
    }
    if (page_files().empty() && head.path == "/")
        return send(connection, 200, "text/html; charset=utf-8", no_page);
    send_refusal(connection, not_found());
}

void Server::handle_get(mg_connection* connection, const RequestHead& head) {
    if (head.path == "/api/stream") return stream(connection, head);
    if (head.path == "/api/gallery") return send_json(connection, gallery_json());
    if (head.path == "/api/state" || head.path == "/api/metrics" || head.path == "/api/save" ||
        head.path == "/api/input")
        return send_of_world(connection, head);
    constexpr std::string_view pictures = "/api/picture/", ending = ".png";
    if (head.path.starts_with(pictures) && head.path.ends_with(ending) &&
        head.path.size() > pictures.size() + ending.size())
        return send_picture(connection, head.path.substr(pictures.size(),
                                                         head.path.size() - pictures.size() - ending.size()));
    const bool post = head.path == "/api/command" || head.path == "/api/subscribe";
    send_refusal(connection,
                 post ? Refusal{405, "method", "commands are sent by POST", "use POST"} : not_found());
}

void Server::send_picture(mg_connection* connection, const std::string& name) {
    const auto picture = gallery_picture(name);
    if (!picture) return send_refusal(connection, not_found());
    send(connection, 200, "image/png", *picture);
}

/// What only the worlds' own thread may read, between two steps.
void Server::send_of_world(mg_connection* connection, const RequestHead& head) {
    const std::string text = query_value(head.query, "world").value_or("0");
    if (text.size() != 1 || text < "0" || text > "9") return send_refusal(connection, not_found());
    const auto world = static_cast<std::size_t>(text[0] - '0');
    auto promise = std::make_shared<std::promise<Result<std::string>>>();
    auto answer = promise->get_future();
    session_.post([this, promise, world, path = head.path] {
        if (path == "/api/state")
            return promise->set_value(
                session_.state_document().dump(-1, ' ', false, Json::error_handler_t::replace));
        const auto worlds = session_.worlds();
        if (world >= worlds.size())
            return promise->set_value(
                Error({.problem = "there is no such world", .cure = "open a scene first"}));
        if (path == "/api/metrics") return promise->set_value(worlds[world]->metrics().dump());
        if (path == "/api/input") return promise->set_value(worlds[world]->input());
        auto saved = worlds[world]->saved();
        if (!saved) return promise->set_value(saved.error());
        const auto& bytes = saved.value();
        promise->set_value(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    });
    const auto until = Clock::now() + answer_within;
    while (answer.wait_for(50ms) != std::future_status::ready)
        if (session_.stopped() || Clock::now() > until)
            return send_refusal(connection, {503, "busy", "the viewer is busy or ends", "try again"});
    const auto content = answer.get();
    if (!content)
        return send_refusal(connection,
                            {404, "not_found", content.error().problem(), content.error().cure()});
    if (head.path == "/api/metrics" || head.path == "/api/state")
        return send_json(connection, content.value());
    send(connection, 200, head.path == "/api/save" ? "application/octet-stream" : "application/x-ndjson",
         content.value());
}

// -- POST

void Server::handle_post(mg_connection* connection, const RequestHead& head) {
    const auto body = read_body(connection, head.content_length);
    if (!body)
        return send_refusal(connection, {400, "malformed", "the message ends early", "send all of it"});
    if (head.path == "/api/command") return take_commands(connection, head, *body);
    if (head.path == "/api/subscribe") return subscribe(connection, head, *body);
    send_refusal(connection, not_found());
}

void Server::take_commands(mg_connection* connection, const RequestHead& head, const std::string& body) {
    auto commands = read_commands(body);
    if (!commands) return send_malformed(connection, commands.error());
    const std::string& page = head.page.front();
    for (const Command& command : commands.value()) {
        const auto now = Clock::now();
        if (command.verb == Verb::take_control) {
            if (!session_.pages().take_control(page, now))
                return send_refusal(connection,
                                    {403, "watching", "this page has no stream", "open /api/stream first"});
            session_.touch();
        } else if (changes_something(command.verb) && !session_.pages().may_act(page, now)) {
            return send_refusal(connection, {403, "watching", "another page acts, and this one watches",
                                             "take control first"});
        }
    }
    auto answer = session_.submit(std::move(commands).value());
    const auto until = Clock::now() + answer_within;
    while (answer.wait_for(50ms) != std::future_status::ready)
        if (session_.stopped() || Clock::now() > until)
            return send_refusal(connection,
                                {503, "busy", "the command waits for a step that takes long", "wait"});
    send_json(connection, answer.get().dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Server::subscribe(mg_connection* connection, const RequestHead& head, const std::string& body) {
    const auto wanted = read_subscription(body);
    if (!wanted) return send_malformed(connection, wanted.error());
    std::optional<std::uint64_t> stream;
    {
        const std::lock_guard lock(mutex_);
        for (auto& [page, id, subscription] : subscriptions_)
            if (page == head.page.front()) subscription = wanted.value(), stream = id;
    }
    if (!stream)
        return send_refusal(connection,
                            {403, "watching", "this page has no stream", "open /api/stream first"});
    session_.set_reader(*stream, wanted.value().layers);
    send_json(connection, "{\"ok\":true}");
}

}  // namespace plush::view
