#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

// A page without a browser: raw requests over a socket, and the messages of a stream taken apart.

namespace plush::view {

struct Answer {
    int status = 0;
    std::map<std::string, std::string> headers{};  ///< names in small letters
    std::string body{};
    nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
};

class Connection {
public:
    explicit Connection(int port, int receive_buffer = 0) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        if (receive_buffer > 0)
            ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
        timeval patience{90, 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        sockaddr_in to{};
        to.sin_family = AF_INET, to.sin_port = htons(static_cast<std::uint16_t>(port));
        ::inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
        connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
    }
    ~Connection() { ::close(socket_); }
    Connection(const Connection&) = delete;

    bool connected() const { return connected_; }
    void write(const std::string& text) {
        static_cast<void>(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL));
    }
    /// More bytes into `buffer()`; false at the end.
    bool read() {
        char bytes[65536];
        const ssize_t n = ::recv(socket_, bytes, sizeof bytes, 0);
        if (n <= 0) return false;
        buffer_.append(bytes, static_cast<std::size_t>(n));
        return true;
    }
    std::string& buffer() { return buffer_; }
    /// The head of an answer; what follows stays in the buffer.
    std::optional<Answer> read_head() {
        std::size_t end = 0;
        while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
            if (!read()) return std::nullopt;
        Answer answer;
        answer.status = std::atoi(buffer_.c_str() + 9);
        std::size_t line = buffer_.find("\r\n") + 2;
        while (line < end + 2) {
            const std::size_t next = buffer_.find("\r\n", line), colon = buffer_.find(": ", line);
            std::string name = buffer_.substr(line, colon - line);
            for (char& c : name) c = static_cast<char>(std::tolower(c));
            answer.headers[name] = buffer_.substr(colon + 2, next - colon - 2);
            line = next + 2;
        }
        buffer_.erase(0, end + 4);
        return answer;
    }
    std::optional<Answer> read_answer() {
        auto answer = read_head();
        if (!answer) return answer;
        const std::size_t size =
            answer->headers.count("content-length") ? std::stoul(answer->headers["content-length"]) : 0;
        while (buffer_.size() < size)
            if (!read()) break;
        answer->body = buffer_.substr(0, size);
        buffer_.erase(0, size);
        return answer;
    }

private:
    int socket_;
    bool connected_ = false;
    std::string buffer_;
};

/// One part of a message.
struct Section {
    std::uint32_t kind = 0, subject = 0, count = 0;
    std::string data{};
    float real(std::size_t word) const {
        float v = 0;
        std::memcpy(&v, data.data() + 4 * word, 4);
        return v;
    }
    std::uint32_t whole(std::size_t word) const {
        std::uint32_t v = 0;
        std::memcpy(&v, data.data() + 4 * word, 4);
        return v;
    }
};

struct Message {
    std::uint32_t type = 0, world = 0;
    std::vector<Section> sections{};
    std::size_t bytes = 0;
    const Section* find(std::uint32_t kind, std::uint32_t subject = 0) const {
        for (const Section& s : sections)
            if (s.kind == kind && s.subject == subject) return &s;
        return nullptr;
    }
    nlohmann::json meta() const {
        const Section* section = find(1);
        return section ? nlohmann::json::parse(section->data, nullptr, false) : nlohmann::json();
    }
};

/// Takes one message off the front of `bytes`; nothing where it is not all there. `bad` where it is not one.
inline std::optional<Message> take_message(std::string& bytes, bool& bad) {
    const auto word = [&](std::size_t at) {
        std::uint32_t v = 0;
        std::memcpy(&v, bytes.data() + at, 4);
        return v;
    };
    if (bytes.size() < 16) return std::nullopt;
    const std::size_t size = word(12);
    if (word(0) != 0x31564C50 || size % 4 != 0) return bad = true, std::nullopt;
    if (bytes.size() < 16 + size) return std::nullopt;
    Message message{word(4), word(8), {}, 16 + size};
    for (std::size_t at = 16; at < 16 + size;) {
        const std::size_t length = word(at + 12);
        if (at + 16 + length > 16 + size) return bad = true, std::nullopt;
        message.sections.push_back({word(at), word(at + 4), word(at + 8), bytes.substr(at + 16, length)});
        at += 16 + (length + 3) / 4 * 4;
    }
    bytes.erase(0, 16 + size);
    return message;
}

class Page {
public:
    /// `address` as the viewer prints it.
    explicit Page(const std::string& address, std::string name = "00000000000000aa")
        : name_(std::move(name)) {
        const std::size_t colon = address.rfind(':');
        port_ = std::atoi(address.c_str() + colon + 1);
        token_ = address.substr(address.find('#') + 1);
    }
    int port() const { return port_; }
    const std::string& token() const { return token_; }
    std::string host() const { return "127.0.0.1:" + std::to_string(port_); }

    /// A request as a page of ours sends it.
    std::string head(const std::string& method, const std::string& path, const std::string& more = "") const {
        return method + " " + path + " HTTP/1.1\r\nHost: " + host() + "\r\nPlush-Token: " + token_ +
               "\r\nPlush-Page: " + name_ + "\r\n" + more + "\r\n";
    }
    std::optional<Answer> raw(const std::string& request) const {
        Connection connection(port_);
        connection.write(request);
        return connection.read_answer();
    }
    Answer get(const std::string& path) const { return raw(head("GET", path)).value_or(Answer{}); }
    Answer post(const std::string& path, const std::string& body) const {
        return raw(head("POST", path,
                        "Origin: http://" + host() +
                            "\r\nContent-Type: application/json\r\nContent-Length: " +
                            std::to_string(body.size()) + "\r\n") +
                   body)
            .value_or(Answer{});
    }
    /// One command; its own result, or the whole answer's error.
    nlohmann::json act(const nlohmann::json& command) const {
        const nlohmann::json json =
            post("/api/command", nlohmann::json{{"commands", {command}}}.dump()).json();
        return json.contains("results") ? json["results"][0] : json;
    }
    nlohmann::json state() const { return get("/api/state").json(); }
    /// Waits for a state, however long a loaded machine takes; false after a minute and a half.
    bool until(const std::function<bool(const nlohmann::json&)>& is) const {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(90);
        while (std::chrono::steady_clock::now() < end) {
            const nlohmann::json now = state();
            if (now.contains("worlds") && is(now)) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));  // the page may not ask too often
        }
        return false;
    }

    // -- the stream
    bool open_stream(const std::string& layers = "", int receive_buffer = 0) {
        stream_ = std::make_unique<Connection>(port_, receive_buffer);
        bytes_.clear();
        stream_->write(head("GET", "/api/stream" + (layers.empty() ? "" : "?layers=" + layers)));
        answer_ = stream_->read_head().value_or(Answer{});
        return answer_.status == 200;
    }
    void close_stream() { stream_.reset(); }
    const Answer& stream_answer() const { return answer_; }
    bool bad() const { return bad_; }
    /// The next message; nothing where the stream has ended.
    std::optional<Message> message() {
        for (;;) {
            if (auto whole = take_message(bytes_, bad_)) return whole;
            if (bad_ || !stream_ || !take_chunk()) return std::nullopt;
        }
    }
    /// The next of this type.
    std::optional<Message> next(std::uint32_t type) {
        for (;;) {
            auto m = message();
            if (!m || m->type == type) return m;
        }
    }

private:
    bool take_chunk() {
        std::string& b = stream_->buffer();
        for (;;) {
            const std::size_t line = b.find("\r\n");
            if (line != std::string::npos) {
                const std::size_t size = std::stoul(b.substr(0, line), nullptr, 16);
                if (size == 0) return false;
                if (b.size() >= line + 4 + size) {
                    bytes_ += b.substr(line + 2, size);
                    b.erase(0, line + 4 + size);
                    return true;
                }
            }
            if (!stream_->read()) return false;
        }
    }
    int port_ = 0;
    std::string token_, name_;
    std::unique_ptr<Connection> stream_;
    Answer answer_;
    std::string bytes_;
    bool bad_ = false;
};

}  // namespace plush::view
