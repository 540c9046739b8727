#include <gtest/gtest.h>

#include <thread>

#include "view/served.hpp"

// The server from outside: who may ask what, frames against the engine's state, pages that come and go.

namespace plush::view {

using nlohmann::json;

class ViewServer : public testing::Test {
protected:
    ViewServer() {
        test::write_text(folder_ / "small.json", small_scene);
        served_.emplace(Source{.names = {(folder_ / "small.json").string()}, .threads = 1});
        page_.emplace(served_->address());
    }
    test::TempFolder folder_holder_;
    std::filesystem::path folder_ = folder_holder_.path();
    std::optional<Served> served_;
    std::optional<Page> page_;
};

TEST_F(ViewServer, AnswersOnlyItsOwnPage) {
    const Page& page = *page_;
    const std::string host = "Host: " + page.host() + "\r\n",
                      origin = "Origin: http://" + page.host() + "\r\n";
    const std::string token = "Plush-Token: " + page.token() + "\r\n",
                      name = "Plush-Page: 00000000000000aa\r\n";
    const std::string type = "Content-Type: application/json\r\n",
                      body = R"({"commands":[{"do":"pick","ray":{"origin":[0,1,5],"direction":[0,0,-1]}}]})";
    const std::string size = "Content-Length: " + std::to_string(body.size()) + "\r\n";
    struct Case {
        const char* what;
        std::string request;
        int status;
        const char* code;
    };
    const std::string get = "GET /api/state HTTP/1.1\r\n", post = "POST /api/command HTTP/1.1\r\n";
    const std::vector<Case> cases{
        {"a good GET", get + host + token + name + "\r\n", 200, ""},
        {"a good POST", post + host + origin + token + name + type + size + "\r\n" + body, 200, ""},
        {"a charset",
         post + host + origin + token + name + "Content-Type: application/json; charset=utf-8\r\n" + size +
             "\r\n" + body,
         200, ""},
        {"another name for this address",
         get + "Host: localhost:" + std::to_string(page.port()) + "\r\n" + token + name + "\r\n", 403,
         "host"},
        {"a name that leads here",
         get + "Host: evil.example:" + std::to_string(page.port()) + "\r\n" + token + name + "\r\n", 403,
         "host"},
        {"no port", get + "Host: 127.0.0.1\r\n" + token + name + "\r\n", 403, "host"},
        {"two hosts", get + host + "Host: evil.example\r\n" + token + name + "\r\n", 403, "host"},
        {"no host", "GET /api/state HTTP/1.0\r\n" + token + name + "\r\n", 403, "host"},
        {"the page itself by another host", "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403, "host"},
        {"another origin", get + host + "Origin: http://evil.example\r\n" + token + name + "\r\n", 403,
         "origin"},
        {"the origin null", post + host + "Origin: null\r\n" + token + name + type + size + "\r\n" + body,
         403, "origin"},
        {"another port's origin",
         post + host + "Origin: http://127.0.0.1:1\r\n" + token + name + type + size + "\r\n" + body, 403,
         "origin"},
        {"a POST without origin", post + host + token + name + type + size + "\r\n" + body, 403, "origin"},
        {"no token", get + host + name + "\r\n", 401, "token"},
        {"a wrong token", get + host + "Plush-Token: 00000000000000000000000000000000\r\n" + name + "\r\n",
         401, "token"},
        {"a part of the token",
         get + host + "Plush-Token: " + page.token().substr(0, 31) + "\r\n" + name + "\r\n", 401, "token"},
        {"the token in the query",
         "GET /api/state?token=" + page.token() + " HTTP/1.1\r\n" + host + name + "\r\n", 401, "token"},
        {"a POST without token", post + host + origin + name + type + size + "\r\n" + body, 401, "token"},
        {"a page without name", get + host + token + "\r\n", 400, "malformed"},
        {"a form",
         post + host + origin + token + name + "Content-Type: text/plain\r\n" + size + "\r\n" + body, 415,
         "type"},
        {"no type", post + host + origin + token + name + size + "\r\n" + body, 415, "type"},
        {"too large", post + host + origin + token + name + type + "Content-Length: 65537\r\n\r\n", 413,
         "too_large"},
        {"not JSON", post + host + origin + token + name + type + "Content-Length: 3\r\n\r\n{a}", 400,
         "malformed"},
        {"another method", "PUT /api/command HTTP/1.1\r\n" + host + token + name + "\r\n", 405, "method"},
        {"preflight",
         "OPTIONS /api/command HTTP/1.1\r\n" + host +
             "Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n\r\n",
         403, "origin"},
        {"a GET of a command", "GET /api/command HTTP/1.1\r\n" + host + token + name + "\r\n", 405, "method"},
        {"no HTTP", std::string("\x01\x02 nonsense\r\n\r\n"), 400, "malformed"},
        {"HTTP of another kind", "GET / HTTP/9.9\r\n" + host + "\r\n", 505, "malformed"},
        {"a line without end", "GET /" + std::string(10000, 'a') + " HTTP/1.1\r\n" + host + "\r\n", 400,
         "malformed"},
        {"a negative length", post + host + origin + token + name + type + "Content-Length: -5\r\n\r\n", 411,
         "malformed"},
        {"nothing there", "GET /api/secret HTTP/1.1\r\n" + host + token + name + "\r\n", 404, "not_found"},
        {"a file of the machine", "GET /../../etc/passwd HTTP/1.1\r\n" + host + "\r\n", 404, "not_found"},
        {"a picture outside",
         "GET /api/picture/..%2f..%2fREADME.png HTTP/1.1\r\n" + host + token + name + "\r\n", 404,
         "not_found"},
        {"a WebSocket",
         "GET /api/stream HTTP/1.1\r\n" + host +
             "Origin: http://evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
             "x\r\nSec-WebSocket-Version: 13\r\n\r\n",
         403, "origin"},
    };
    for (const Case& c : cases) {
        const auto answer = page.raw(c.request);
        ASSERT_TRUE(answer) << c.what;
        EXPECT_EQ(answer->status, c.status) << c.what << ": " << answer->body.substr(0, 200);
        if (*c.code) {
            EXPECT_EQ(answer->json()["error"]["code"], c.code) << c.what;
        }
        EXPECT_EQ(answer->headers.count("access-control-allow-origin"), 0u) << c.what;
        EXPECT_EQ(answer->headers.count("set-cookie"), 0u) << c.what;
        EXPECT_EQ(answer->headers.at("x-content-type-options"), "nosniff") << c.what;
        EXPECT_EQ(answer->headers.at("referrer-policy"), "no-referrer") << c.what;
        EXPECT_NE(answer->headers.at("content-security-policy").find("frame-ancestors 'none'"),
                  std::string::npos)
            << c.what;
        EXPECT_EQ(answer->headers.at("content-security-policy").find("unsafe"), std::string::npos) << c.what;
        EXPECT_EQ(answer->body.find(page.token()), std::string::npos) << c.what;
    }
}

TEST_F(ViewServer, ListensOnThisMachineOnly) {
    EXPECT_EQ(served_->address().rfind("http://127.0.0.1:", 0), 0u);
    EXPECT_EQ(page_->token().size(), 32u);
    // The sockets of this process that listen: all on 127.0.0.1 (0100007F in /proc's hexadecimal).
    const std::string table = test::read_text("/proc/net/tcp");
    char port[8];
    std::snprintf(port, sizeof port, ":%04X", static_cast<unsigned>(page_->port()));
    std::size_t found = 0;
    for (std::size_t at = table.find(port); at != std::string::npos; at = table.find(port, at + 1))
        if (table.compare(at + 5, 17, " 00000000:0000 0A") == 0) {
            EXPECT_EQ(table.substr(at - 8, 8), "0100007F");
            ++found;
        }
    EXPECT_EQ(found, 1u);
}

TEST_F(ViewServer, AUsedPortIsToldWithItsFix) {
    Session another(Source{});
    const auto second = Server::start(another, page_->port());
    ASSERT_FALSE(second);
    EXPECT_NE(std::string(second.error().what()).find("the port is in use"), std::string::npos);
    EXPECT_NE(second.error().cure().find("--port"), std::string::npos);
}

TEST_F(ViewServer, FramesHoldTheEnginesState) {
    ASSERT_TRUE(page_->open_stream("contacts,velocity"));
    const auto scene = page_->next(1);
    ASSERT_TRUE(scene);
    const json meta = scene->meta();
    ASSERT_EQ(meta["bodies"].size(), 3u);
    EXPECT_EQ(meta["bodies"][1]["name"], "ball");
    EXPECT_TRUE(meta["bodies"][1]["soft"]);
    EXPECT_EQ(meta["bodies"][0]["normal"], json({0.0, 1.0, 0.0}));
    EXPECT_EQ(page_->act({{"do", "step"}, {"count", 30}})["done"], 30);
    // The same scene without a viewer.
    World world = Scene::load((folder_ / "small.json").string()).build(1);
    for (int i = 0; i < 30; ++i) world.step();
    std::optional<Message> frame;
    while ((frame = page_->next(2)) && frame->meta()["step"] != 30) {
    }
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->meta()["time"], world.time());
    const BodyId ball = world.bodies()[1], box = world.bodies()[2];
    const Section* points = frame->find(17, 1);
    ASSERT_TRUE(points);
    const auto x = world.vertex_positions(ball);
    ASSERT_EQ(points->count, x.size());
    for (std::size_t v = 0; v < x.size(); ++v) {
        EXPECT_EQ(points->real(3 * v), static_cast<float>(x[v].x));
        EXPECT_EQ(points->real(3 * v + 1), static_cast<float>(x[v].y));
    }
    // The skin is the page's work: its weights of those vertices give the engine's drawn points.
    const auto mesh = meta["bodies"][1]["mesh"].get<std::uint32_t>();
    const Section *index = scene->find(5, mesh), *weight = scene->find(6, mesh);
    ASSERT_TRUE(index && weight);
    const std::vector<Vec3> drawn = world.drawn_positions(ball);
    ASSERT_EQ(index->count, drawn.size());
    double worst = 0;
    for (std::size_t p = 0; p < drawn.size(); ++p) {
        double y = 0;
        for (std::size_t k = 0; k < 4; ++k)
            y += static_cast<double>(weight->real(4 * p + k)) *
                 static_cast<double>(points->real(3 * index->whole(4 * p + k) + 1));
        worst = std::max(worst, std::abs(y - drawn[p].y));
    }
    EXPECT_LT(worst, 1e-6);  // measured 3e-8: single precision
    const Section* contacts = frame->find(32);
    ASSERT_TRUE(contacts);
    EXPECT_EQ(contacts->count, world.contacts().size());
    EXPECT_EQ(contacts->data.size(), 80 * world.contacts().size());
    const Section* velocities = frame->find(36);
    ASSERT_TRUE(velocities);
    EXPECT_EQ(velocities->count, 2u);
    EXPECT_EQ(page_->state()["worlds"][0]["hash"].get<std::string>().size(), 16u);
    char hash[20];
    std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(world.state_hash()));
    EXPECT_EQ(page_->state()["worlds"][0]["hash"], hash);
    EXPECT_FALSE(page_->bad());
    static_cast<void>(box);
}

TEST_F(ViewServer, ADraggedBodyIsWhereTheEngineSays) {
    ASSERT_TRUE(page_->open_stream());
    const json drag =
        page_->act({{"do", "drag"}, {"ray", {{"origin", {0.6, 2, 0}}, {"direction", {0, -1, 0}}}}});
    ASSERT_TRUE(drag["ok"]) << drag.dump();
    EXPECT_EQ(drag["body"], 2);
    ASSERT_TRUE(page_->act({{"do", "drag_to"}, {"drag", drag["drag"]}, {"target", {0.6, 1, 0.5}}})["ok"]);
    page_->act({{"do", "step"}, {"count", 300}});
    const json hit =
        page_->act({{"do", "pick"}, {"ray", {{"origin", {0.6, 5, 0.5}}, {"direction", {0, -1, 0}}}}});
    ASSERT_FALSE(hit["hit"].is_null()) << hit.dump();
    EXPECT_EQ(hit["hit"]["body"], 2);
    // Where the spring balances the weight: k = m ω² at two swings a second leaves g/ω² below the target.
    EXPECT_NEAR(hit["hit"]["point"][1].get<double>(), 1 - 9.81 / (4 * M_PI * 4 * M_PI),
                0.01);  // measured 0.0003
    EXPECT_TRUE(page_->act({{"do", "release"}, {"drag", drag["drag"]}})["ok"]);
    EXPECT_FALSE(page_->act({{"do", "release"}, {"drag", drag["drag"]}})["ok"]);
    page_->act({{"do", "step"}, {"count", 300}});
    EXPECT_TRUE(
        page_->act({{"do", "pick"},
                    {"ray", {{"origin", {0.6, 5, 0.5}}, {"direction", {0, -1, 0}}}}})["hit"]["point"][1] <
        0.3);
}

TEST_F(ViewServer, EveryToolDoesItsWork) {
    ASSERT_TRUE(page_->open_stream());
    ASSERT_TRUE(page_->next(1));  // SCENE has come: what is dropped in after it comes as BODIES
    const json up{{"origin", {0, 2, 0}}, {"direction", {0, -1, 0}}};
    const auto ok = [&](const json& command) {
        const json result = page_->act(command);
        EXPECT_TRUE(result.value("ok", false)) << command.dump() << " " << result.dump();
        return result;
    };
    EXPECT_EQ(ok({{"do", "drop"}, {"shape", "ball"}, {"soft", true}, {"at", {0, 3, 0}}})["body"], 3);
    EXPECT_EQ(ok({{"do", "drop"}, {"shape", "bear"}, {"at", {0.6, 1, 0}}, {"size", 0.1}})["body"], 4);
    EXPECT_EQ(ok({{"do", "drop"}, {"shape", "box"}, {"at", {-0.6, 1, 0}}})["body"], 5);
    const auto added = page_->next(4);  // BODIES
    ASSERT_TRUE(added);
    EXPECT_EQ(added->meta()["bodies"][0]["index"], 3);
    ok({{"do", "step"}, {"count", 5}});
    const json cut = ok({{"do", "cut"},
                         {"body", 1},
                         {"from", {{"origin", {0, 0.2, 3}}, {"direction", {-1, 0, -3}}}},
                         {"to", {{"origin", {0, 0.2, 3}}, {"direction", {1, 0, -3}}}}});
    ASSERT_EQ(cut["cuts"].size(), 1u);
    EXPECT_EQ(cut["cuts"][0]["pieces"], 2);
    std::optional<Message> surface;  // after those of what was dropped in
    while ((surface = page_->next(4)) && surface->meta()["bodies"][0]["index"] != 1) {
    }
    ASSERT_TRUE(surface);
    EXPECT_EQ(surface->meta()["bodies"][0]["pieces"], 2);
    const json pin = ok({{"do", "pin"}, {"ray", up}});
    ok({{"do", "step"}, {"count", 5}});
    ok({{"do", "unpin"}, {"pin", pin["pin"]}});
    ok({{"do", "set_gravity"}, {"value", {0, -1.62, 0}}});
    ok({{"do", "set_step"}, {"value", 0.01}});
    ok({{"do", "set_cells"}, {"value", 8}});
    ok({{"do", "set_method"}, {"value", "volume"}});
    ok({{"do", "set_friction"}, {"value", 0.9}});
    ok({{"do", "set_damping"}, {"value", 0.5}, {"body", 2}});
    ok({{"do", "set_young"}, {"value", 1e5}});
    const json settings = page_->state()["worlds"][0]["settings"];
    EXPECT_EQ(settings["step"], 0.01);
    EXPECT_EQ(settings["cells"], 8);
    EXPECT_EQ(settings["method"], "volume");
    const json wrong = page_->act({{"do", "set_method"}, {"value", "volum"}});
    EXPECT_EQ(wrong["error"]["fix"], "did you mean \"volume\"?");
    ok({{"do", "reset"}});
    EXPECT_EQ(page_->state()["worlds"][0]["bodies"].size(), 3u);
    EXPECT_EQ(page_->state()["worlds"][0]["step"], 0);
    EXPECT_EQ(page_->get("/api/metrics").json()["columns"]["step"].size(), 0u);
}

TEST_F(ViewServer, EveryBuiltInSceneHasItsPictureInTheGallery) {
    const json scenes = page_->get("/api/gallery").json()["scenes"];
    EXPECT_EQ(scenes.size(), builtin_scenes().size());
    for (const json& scene : scenes) {
        const std::string name = scene["name"];
        EXPECT_TRUE(scene["picture"]) << name;
        EXPECT_FALSE(scene["description"].get<std::string>().empty()) << name;
        const Answer picture = page_->get("/api/picture/" + name + ".png");
        EXPECT_EQ(picture.status, 200) << name;
        EXPECT_EQ(picture.headers.at("content-type"), "image/png");
        EXPECT_EQ(picture.body.substr(0, 4), "\x89PNG") << name;
    }
}

TEST_F(ViewServer, OnePageActsAndOthersWatch) {
    ASSERT_TRUE(page_->open_stream());
    Page second(served_->address(), "00000000000000bb");
    ASSERT_TRUE(second.open_stream());
    EXPECT_TRUE(page_->act({{"do", "speed"}, {"value", 0}})["ok"]);
    EXPECT_EQ(second.act({{"do", "play"}})["error"]["code"], "watching");
    EXPECT_TRUE(
        second.act({{"do", "pick"}, {"ray", {{"origin", {0, 2, 0}}, {"direction", {0, -1, 0}}}}})["ok"]);
    EXPECT_EQ(page_->state()["acting"], "00000000000000aa");
    EXPECT_EQ(page_->state()["pages"], 2);
    EXPECT_TRUE(second.act({{"do", "take_control"}})["ok"]);
    EXPECT_EQ(page_->act({{"do", "play"}})["error"]["code"], "watching");
    EXPECT_TRUE(second.act({{"do", "play"}})["ok"]);
    EXPECT_TRUE(page_->until([](const json& s) { return s["worlds"][0]["step"] > 0; }));
    // The page that acts is closed: the world pauses, and nothing is lost.
    second.close_stream();
    EXPECT_TRUE(page_->until([](const json& s) { return s["playing"] == false; }));
    const long long step = page_->state()["worlds"][0]["step"];
    ASSERT_TRUE(second.open_stream());
    EXPECT_TRUE(second.act({{"do", "take_control"}})["ok"]);  // it may be back too late to act by itself
    EXPECT_EQ(second.act({{"do", "step"}})["done"], 1);
    EXPECT_EQ(second.state()["worlds"][0]["step"], step + 1);
}

TEST_F(ViewServer, ALoadedAgainPagePausesBeforeItsOldStreamIsMissed) {
    ASSERT_TRUE(page_->open_stream());
    ASSERT_TRUE(page_->act({{"do", "play"}})["ok"]);
    Page again(served_->address());  // of the same name, and the old stream still open
    ASSERT_TRUE(again.open_stream());
    EXPECT_TRUE(again.until([](const json& s) { return s["playing"] == false; }));
    EXPECT_EQ(again.state()["pages"], 1);
    EXPECT_EQ(again.act({{"do", "step"}})["done"], 1);
}

TEST_F(ViewServer, ASlowReaderHoldsNobodyUp) {
    Page slow(served_->address(), "00000000000000cc");
    ASSERT_TRUE(slow.open_stream("contacts,velocity,strain,tets", 4096));
    ASSERT_TRUE(slow.act({{"do", "speed"}, {"value", 0}})["ok"]);
    ASSERT_TRUE(slow.act({{"do", "play"}})["ok"]);
    // Nothing of the stream is read, and far more frames are made than fit between the two.
    EXPECT_TRUE(slow.until([](const json& s) { return s["worlds"][0]["step"] > 200; }));
    served_->stop();  // ends although a page does not read
}

TEST(ViewPages, APageThatIsLoadedAgainActsAgain) {
    using namespace std::chrono_literals;
    Pages pages;
    const Pages::Time start{};
    EXPECT_EQ(pages.open("a", 1, start), Pages::Opened::fresh);
    EXPECT_EQ(pages.open("b", 2, start), Pages::Opened::fresh);
    EXPECT_TRUE(pages.may_act("a", start));
    EXPECT_FALSE(pages.may_act("b", start));
    EXPECT_FALSE(pages.close("b", 7, start));  // a stream that was replaced
    EXPECT_TRUE(pages.close("a", 1, start + 1s));
    EXPECT_FALSE(pages.may_act("b", start + 2900ms));
    EXPECT_EQ(pages.open("a", 3, start + 2950ms), Pages::Opened::fresh);
    EXPECT_TRUE(pages.may_act("a", start + 10s));
    // Not in time: who watches longest acts, until the first one takes control again.
    EXPECT_TRUE(pages.close("a", 3, start + 10s));
    EXPECT_TRUE(pages.may_act("b", start + 12s));
    EXPECT_EQ(pages.open("a", 4, start + 13s), Pages::Opened::fresh);
    EXPECT_FALSE(pages.may_act("a", start + 13s));
    EXPECT_TRUE(pages.take_control("a", start + 14s));
    EXPECT_EQ(pages.acting(start + 14s), "a");
    EXPECT_FALSE(pages.take_control("c", start + 14s));
}

TEST(ViewPages, RequestsAreCounted) {
    Pages pages;
    const Pages::Time start{};
    for (int i = 0; i < Pages::max_requests; ++i) EXPECT_TRUE(pages.count_request("a", start));
    EXPECT_FALSE(pages.count_request("a", start));
    EXPECT_TRUE(pages.count_request("b", start));
    EXPECT_TRUE(pages.count_request("a", start + std::chrono::milliseconds(1001)));
}

TEST_F(ViewServer, AServerThatEndsEndsItsStreams) {
    ASSERT_TRUE(page_->open_stream());
    std::thread ending([&] { served_->stop(); });
    while (page_->message()) {
    }
    ending.join();
    EXPECT_FALSE(page_->bad());
    EXPECT_FALSE(Connection(page_->port()).connected());
}

}  // namespace plush::view
