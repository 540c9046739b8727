#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plush::test {

/// An element of an XML text, in the order of the text.
struct XmlElement {
    std::string name{};
    std::map<std::string, std::string> attributes{};
    std::string text{};  ///< directly inside it
};

/// A reader just strict enough to refuse what a browser's XML parser would: tags that do not match, bare &
/// and <, attributes without quotes or twice. Returns the problem, or nothing.
class Xml {
public:
    explicit Xml(std::string_view text) : text_(text) { read(); }

    std::string problem{};
    std::vector<XmlElement> elements{};

    std::vector<const XmlElement*> all(std::string_view name) const {
        std::vector<const XmlElement*> found;
        for (const XmlElement& e : elements)
            if (e.name == name) found.push_back(&e);
        return found;
    }
    /// Whether some <text> says this.
    bool says(std::string_view words) const {
        for (const XmlElement& e : elements)
            if (e.text.find(words) != std::string::npos) return true;
        return false;
    }

private:
    void fail(std::string what) {
        if (problem.empty()) problem = std::move(what) + " at byte " + std::to_string(at_);
        at_ = text_.size();
    }
    void read() {
        std::vector<std::size_t> open;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '&') {
                const std::size_t end = text_.find(';', at_);
                if (end == text_.npos || end - at_ > 8) fail("a bare &");
                if (!open.empty() && at_ < text_.size())
                    elements[open.back()].text += text_.substr(at_, end - at_ + 1);
                at_ = end == text_.npos ? text_.size() : end + 1;
            } else if (c != '<') {
                if (open.empty() && c != '\n') fail("text outside");
                if (at_ < text_.size() && !open.empty()) elements[open.back()].text += c;
                ++at_;
            } else if (text_.substr(at_, 2) == "</") {
                const std::size_t end = text_.find('>', at_);
                if (open.empty() || text_.substr(at_ + 2, end - at_ - 2) != elements[open.back()].name)
                    return fail("a tag that does not match");
                open.pop_back();
                at_ = end + 1;
            } else {
                start(open);
            }
        }
        if (!open.empty() && problem.empty()) problem = "not closed: " + elements[open.back()].name;
    }
    void start(std::vector<std::size_t>& open) {
        std::size_t end = ++at_;
        while (end < text_.size() && std::string_view(" />\n").find(text_[end]) == std::string_view::npos)
            ++end;
        XmlElement element{std::string(text_.substr(at_, end - at_)), {}, {}};
        if (element.name.empty()) return fail("a bare <");
        at_ = end;
        while (at_ < text_.size()) {
            if (text_[at_] == ' ' || text_[at_] == '\n') {
                ++at_;
            } else if (text_[at_] == '>' || text_.substr(at_, 2) == "/>") {
                const bool empty = text_[at_] == '/';
                at_ += empty ? 2 : 1;
                elements.push_back(std::move(element));
                if (!empty) open.push_back(elements.size() - 1);
                return;
            } else {
                const std::size_t equals = text_.find("=\"", at_), close = text_.find('"', equals + 2);
                if (equals == text_.npos || close == text_.npos) return fail("an attribute without quotes");
                const std::string value(text_.substr(equals + 2, close - equals - 2));
                if (value.find('<') != value.npos) return fail("a < in an attribute");
                if (!element.attributes.emplace(text_.substr(at_, equals - at_), value).second)
                    return fail("an attribute twice");
                at_ = close + 1;
            }
        }
        fail("a tag without end");
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace plush::test
