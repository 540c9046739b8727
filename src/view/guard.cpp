#include "view/guard.hpp"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <random>

#include "view/command.hpp"

namespace plush::view {

namespace {

Refusal refusal(int status, std::string code, std::string problem, std::string fix) {
    return {status, std::move(code), std::move(problem), std::move(fix)};
}

bool is_json(std::string type) {
    std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::tolower(c); });
    type.erase(std::remove(type.begin(), type.end(), ' '), type.end());
    return type == "application/json" || type == "application/json;charset=utf-8";
}

}  // namespace

std::string new_token() {
    std::array<unsigned char, 16> bytes{};
    // The kernel's generator; a std::random_device is the same on Linux, and throws where there is none.
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        std::random_device device;
        for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(device());
    }
    std::string token;
    for (const unsigned char byte : bytes)
        token += "0123456789abcdef"[byte >> 4], token += "0123456789abcdef"[byte & 15];
    return token;
}

bool equal_secrets(std::string_view a, std::string_view b) {
    unsigned differ = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < b.size(); ++i)
        differ |= static_cast<unsigned char>(i < a.size() ? a[i] : '\0') ^ static_cast<unsigned char>(b[i]);
    return differ == 0;
}

bool is_page_name(std::string_view name) {
    return name.size() == 16 &&
           std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isxdigit(c); });
}

std::string_view security_headers() {
    return "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' "
           "blob: data:; "
           "font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
           "frame-ancestors 'none'\r\n"
           "X-Content-Type-Options: nosniff\r\n"
           "X-Frame-Options: DENY\r\n"
           "Referrer-Policy: no-referrer\r\n"
           "Cross-Origin-Opener-Policy: same-origin\r\n"
           "Cross-Origin-Resource-Policy: same-origin\r\n"
           "Cache-Control: no-store\r\n";
}

std::optional<std::string> query_value(std::string_view query, std::string_view key) {
    while (!query.empty()) {
        const std::string_view part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), part.size() + 1));
        if (part.size() > key.size() && part.starts_with(key) && part[key.size()] == '=')
            return std::string(part.substr(key.size() + 1));
    }
    return std::nullopt;
}

std::optional<Refusal> Guard::check(const RequestHead& head) const {
    if (head.host.size() != 1 || head.host.front() != authority_)
        return refusal(403, "host", "this is not the address of the viewer",
                       "open " + origin() + "/ as plush view printed it");
    if (head.origin.size() > 1 || (!head.origin.empty() && head.origin.front() != origin()))
        return refusal(403, "origin", "another site asks", "only the viewer's own page may");
    if (head.method != "GET" && head.method != "POST")
        return refusal(405, "method", "there is nothing that " + head.method.substr(0, 16) + " does here",
                       "use GET or POST");
    if (head.path.starts_with("/api/")) return check_api(head);
    if (head.method == "POST") return refusal(405, "method", "the page's files are only read", "use GET");
    return std::nullopt;
}

std::optional<Refusal> Guard::check_api(const RequestHead& head) const {
    const bool post = head.method == "POST";
    if (post && head.origin.empty())
        return refusal(403, "origin", "the request does not say which site it is from",
                       "only the viewer's own page may");
    if (head.token.size() != 1 || !equal_secrets(head.token.front(), token_))
        return refusal(401, "token", "the token is missing or wrong",
                       "open the whole address that plush view printed, with what is after #");
    if (head.page.size() != 1 || !is_page_name(head.page.front()))
        return refusal(400, "malformed", "Plush-Page is not 16 hexadecimal digits",
                       "see docs/viewer-protocol.md");
    if (!post) return std::nullopt;
    if (head.content_type.size() != 1 || !is_json(head.content_type.front()))
        return refusal(415, "type", "the request is not application/json", "send JSON");
    if (head.content_length < 0)
        return refusal(400, "malformed", "the request does not say how long it is", "send Content-Length");
    if (head.content_length > static_cast<long long>(max_message_bytes))
        return refusal(413, "too_large", "the message is too long",
                       "send at most " + std::to_string(max_message_bytes) + " bytes");
    return std::nullopt;
}

}  // namespace plush::view
