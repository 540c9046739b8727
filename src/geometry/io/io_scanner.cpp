#include "geometry/io/io_scanner.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace plush {

void Scanner::fail_at(std::size_t position, std::string problem, std::string_view cure) {
    if (error_) return;
    const std::string place =
        binary_ ? fmt::format("byte {}", position) : fmt::format("line {}", line_of(position));
    error_ = Error({.place = place, .problem = std::move(problem), .cure = std::string(cure)});
    pos_ = data_.size();
}

std::size_t Scanner::line_of(std::size_t position) const {
    std::size_t line = 1;
    for (std::size_t i = 0; i < std::min(position, data_.size()); ++i)
        if (data_[i] == '\n' || (data_[i] == '\r' && (i + 1 == data_.size() || data_[i + 1] != '\n'))) ++line;
    return line;
}

void Scanner::skip(std::size_t bytes) {
    if (bytes > remaining()) return fail("the file ends too early");
    pos_ += bytes;
}

bool Scanner::has_room(std::int64_t count, std::size_t bytes_each, std::string_view things,
                       std::optional<std::size_t> claim) {
    const std::size_t at = claim.value_or(pos_);
    if (count < 0) {
        fail_at(at, fmt::format("a negative number of {} ({})", things, count));
        return false;
    }
    const auto wanted = static_cast<std::uint64_t>(count);
    // The last item of a text needs no separator behind it: one byte of grace.
    const std::uint64_t room = bytes_each == 0 ? wanted : (remaining() + 1) / bytes_each;
    if (wanted > room)
        fail_at(at, fmt::format("{} {} are promised, but the rest of the file can hold at most {}", count,
                                things, room));
    else if (wanted > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        fail_at(at, fmt::format("{} {} are too many", count, things), "simplify the mesh");
    return ok();
}

/// True where something other than a blank was found on the line.
bool Scanner::skip_blanks() {
    while (pos_ < data_.size()) {
        const char c = data_[pos_];
        if (is_blank(c)) {
            ++pos_;
        } else if (c == comment_ && comment_ != 0) {
            while (pos_ < data_.size() && !is_line_end(data_[pos_])) ++pos_;
        } else if (continues(pos_)) {
            ++pos_;
            skip_line_end();
        } else {
            return !is_line_end(c);
        }
    }
    return false;
}

void Scanner::skip_line_end() {
    if (pos_ == data_.size()) return;
    const bool two = data_[pos_] == '\r' && pos_ + 1 < data_.size() && data_[pos_ + 1] == '\n';
    pos_ += two ? 2 : 1;
}

bool Scanner::at_line_end() {
    return !skip_blanks();
}

bool Scanner::at_end() {
    while (!skip_blanks()) {
        if (pos_ == data_.size()) return true;
        skip_line_end();
    }
    return false;
}

void Scanner::next_line() {
    while (continuation_ != 0 && skip_blanks())
        while (!ends_word(pos_)) ++pos_;
    while (pos_ < data_.size() && !is_line_end(data_[pos_])) ++pos_;
    skip_line_end();
}

std::string_view Scanner::word() {
    if (at_end()) return {};
    const std::size_t start = pos_;
    while (!ends_word(pos_)) ++pos_;
    return data_.substr(start, pos_ - start);
}

std::string Scanner::quoted_word(std::size_t from) const {
    constexpr std::size_t longest = 40;  // more of a broken word helps nobody
    std::string word = "'";
    for (; !ends_number(from); ++from) {
        if (word.size() > longest) {
            word += "…";
            break;
        }
        const char c = data_[from];
        word += c >= ' ' && c <= '~' ? c : '?';
    }
    return word + "'";
}

double Scanner::number() {
    if (at_end()) return fail("the file ends where a number is expected"), 0;
    return parse_number();
}

double Scanner::number_in_line() {
    if (at_line_end()) return fail("the line ends where a number is expected"), 0;
    return parse_number();
}

double Scanner::parse_number() {
    const char* const end = data_.data() + data_.size();
    const char* start = data_.data() + pos_;
    if (*start == '+') ++start;  // which from_chars does not take
    double value = 0;
    const auto [stop, code] = std::from_chars(start, end, value);
    const auto next = static_cast<std::size_t>(stop - data_.data());
    if (code == std::errc::invalid_argument || !ends_number(next))
        return fail(fmt::format("{} is not a number", quoted_word(pos_)), "write numbers as 1.25 or 1.25e-3"),
               0;
    if (code == std::errc::result_out_of_range) {
        // Too large or too small to hold; the small ones are zero.
        const std::string_view digits(start, static_cast<std::size_t>(stop - start));
        const std::size_t exponent = digits.find_first_of("eE");
        const bool small = exponent != digits.npos ? digits.substr(exponent + 1).starts_with('-')
                                                   : digits.find_first_of("123456789.") == digits.find('.');
        if (!small) return fail(fmt::format("{} is too large", quoted_word(pos_)), finite_cure), 0;
        value = 0;
    }
    if (!(value - value == 0))
        return fail(fmt::format("{} is not finite", quoted_word(pos_)), finite_cure), 0;
    pos_ = next;
    return value;
}

std::int64_t Scanner::integer() {
    if (at_end()) return fail("the file ends where a whole number is expected"), 0;
    const std::int64_t value = integer_part();
    expect_separator();
    return value;
}

std::int64_t Scanner::integer_part() {
    const char* const end = data_.data() + data_.size();
    const char* start = data_.data() + pos_;
    if (start != end && *start == '+') ++start;
    std::int64_t value = 0;
    const auto [stop, code] = std::from_chars(start, end, value);
    if (code != std::errc()) return fail(fmt::format("{} is not a whole number", quoted_word(pos_))), 0;
    pos_ = static_cast<std::size_t>(stop - data_.data());
    return value;
}

bool Scanner::take(char c) {
    if (pos_ == data_.size() || data_[pos_] != c) return false;
    ++pos_;
    return true;
}

void Scanner::expect_separator() {
    if (!ends_number(pos_)) fail(fmt::format("unexpected {} after a whole number", quoted_word(pos_)));
}

}  // namespace plush
