#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Who may ask what. Any web site that a browser shows can send requests to 127.0.0.1, and any name can be made to lead
// there. So: the Host must be this address itself, an Origin this page's own, state and commands need a token that only the
// address in the terminal has, and a POST must be JSON, which other sites cannot send without being asked first.

namespace plush::view {

/// What counts of a request. Headers that came more than once are all there.
struct RequestHead {
    std::string method{}, path{}, query{};
    std::vector<std::string> host{}, origin{}, content_type{}, token{}, page{};
    long long content_length = 0;  ///< −1: not said
};

struct Refusal {
    int status = 400;
    std::string code{}, problem{}, fix{};
};

class Guard {
public:
    Guard(int port, std::string token)
        : authority_("127.0.0.1:" + std::to_string(port)), token_(std::move(token)) {}

    /// Nothing where the request is one of ours. It says nothing of whether there is something at its path.
    std::optional<Refusal> check(const RequestHead& head) const;
    const std::string& token() const { return token_; }
    std::string origin() const { return "http://" + authority_; }

private:
    std::optional<Refusal> check_api(const RequestHead& head) const;
    std::string authority_, token_;
};

/// 128 random bits as 32 hexadecimal digits.
std::string new_token();
/// Takes as long wherever they differ.
bool equal_secrets(std::string_view a, std::string_view b);
/// Whether a page's own name has the form that it should.
bool is_page_name(std::string_view name);
/// The headers of every response, each with its line's end.
std::string_view security_headers();
/// The value of a key of a query ("a=1&b=2"); no escapes: no value of ours needs them.
std::optional<std::string> query_value(std::string_view query, std::string_view key);

}  // namespace plush::view
