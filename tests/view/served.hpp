#pragma once

#include <thread>

#include "plush/scene/scene.hpp"
#include "support/files.hpp"
#include "view/client.hpp"
#include "view/live_world.hpp"
#include "view/server.hpp"

// A session with its server and its thread, as plush view has them.

namespace plush::view {

/// A soft ball over the ground and a rigid box beside it: small enough for thousands of steps a second.
inline constexpr const char* small_scene = R"({"plush": 1, "description": "a test", "duration": 1, "bodies": [
    {"ground": {}},
    {"soft": {"shape": "icosphere", "triangles": 80, "size": 0.4, "cells_across": 3, "young": 2e4, "density": 300}, "name": "ball", "at": [0, 0.3, 0]},
    {"rigid": {"box": {"half_size": [0.1, 0.1, 0.1]}, "density": 500}, "name": "box", "at": [0.6, 0.1, 0]}]})";

class Served {
public:
    explicit Served(Source source) : session_(std::move(source)) {
        opened_ = session_.open();
        if (!opened_) return;
        server_ = std::move(Server::start(session_, 0)).value();
        thread_ = std::thread([this] {
            while (session_.next()) session_.advance();
            session_.close();
        });
    }
    ~Served() { stop(); }
    void stop() {
        session_.stop();
        if (thread_.joinable()) thread_.join();
        server_.reset();
    }
    const Result<void>& opened() const { return opened_; }
    Session& session() { return session_; }
    std::string address() const { return server_->address(); }
    int port() const { return server_->port(); }

private:
    Session session_;
    Result<void> opened_{};
    std::unique_ptr<Server> server_;
    std::thread thread_;
};

}  // namespace plush::view
