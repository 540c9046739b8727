#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "plush/core/error.hpp"

// Reads words, numbers and binary values from a file in memory. The first error sticks: it moves to the end
// of the data, where everything that follows reads as zero or as nothing, so a reader checks ok() once per
// item and not after every number. Lines are counted only when an error needs one.

namespace plush {

/// The fix of everything that looks like a broken file.
inline constexpr std::string_view export_again = "the file is damaged or was cut off; export it again";

class Scanner {
public:
    /// Text; `comment` begins a comment that runs to the end of its line (0: none), `continuation` at the end
    /// of a line joins it with the next (0: none).
    explicit Scanner(std::string_view data, char comment = 0, char continuation = 0)
        : data_(data), comment_(comment), continuation_(continuation) {}

    bool ok() const { return !error_; }
    const Error& error() const { return *error_; }
    void fail(std::string problem, std::string_view cure = export_again) {
        fail_at(pos_, std::move(problem), cure);
    }
    void fail_at(std::size_t position, std::string problem, std::string_view cure = export_again);

    std::size_t position() const { return pos_; }
    std::size_t remaining() const { return data_.size() - pos_; }
    std::string_view rest() const { return data_.substr(pos_); }
    void skip(std::size_t bytes);

    /// Checks a count that the file claims: the rest of the file must be able to hold that many things of at
    /// least `bytes_each`, and they must be countable with an int. So a lying header never costs memory.
    /// The error is where the scanner stands, or at `claim`.
    bool has_room(std::int64_t count, std::size_t bytes_each, std::string_view things,
                  std::optional<std::size_t> claim = {});

    // Text. Words end at blanks and line ends; "\n", "\r\n" and "\r" end a line.

    bool at_line_end();           ///< after blanks, comments and continued lines
    bool at_end();                ///< after blanks, comments and line ends
    void next_line();             ///< to the start of the next line
    std::string_view word();      ///< the next word on this line or a later one; empty at the end
    double number();              ///< a finite number on this line or a later one
    double number_in_line();      ///< a finite number on this line
    std::int64_t integer();       ///< on this line or a later one
    std::int64_t integer_part();  ///< the digits at the position; what follows them is the caller's
    bool take(char c);            ///< steps over c if it is next
    void expect_separator();      ///< fails where a word goes on

    // Binary.

    /// What follows is binary, of this byte order, until text() is called. Errors then name bytes, not lines.
    void binary(bool big_endian) {
        binary_ = true, swap_ = big_endian != (std::endian::native == std::endian::big);
    }
    void text() { binary_ = false; }
    bool is_binary() const { return binary_; }

    template <class T>
    T get() {
        unsigned char bytes[sizeof(T)]{};
        if (remaining() < sizeof(T)) {
            fail("the file ends too early");
        } else {
            std::memcpy(bytes, data_.data() + pos_, sizeof(T));
            pos_ += sizeof(T);
        }
        if (swap_)
            for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
        return std::bit_cast<T>(bytes);
    }

    /// A binary coordinate, which must be finite.
    template <std::floating_point T>
    double coordinate() {
        const T value = get<T>();
        if (!(value - value == T(0))) fail_at(pos_ - sizeof(T), "a coordinate is not finite", finite_cure);
        return static_cast<double>(value);
    }

private:
    static constexpr std::string_view finite_cure = "replace it by a number, or remove the vertex";

    static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
    static bool is_line_end(char c) { return c == '\n' || c == '\r'; }
    bool continues(std::size_t i) const {
        return continuation_ != 0 && data_[i] == continuation_ &&
               (i + 1 == data_.size() || is_line_end(data_[i + 1]));
    }
    bool ends_word(std::size_t i) const {
        return i >= data_.size() || is_blank(data_[i]) || is_line_end(data_[i]) || continues(i);
    }
    bool ends_number(std::size_t i) const { return ends_word(i) || (comment_ != 0 && data_[i] == comment_); }
    bool skip_blanks();
    void skip_line_end();
    double parse_number();
    std::string quoted_word(std::size_t from) const;
    std::size_t line_of(std::size_t position) const;

    std::string_view data_;
    std::size_t pos_ = 0;
    std::optional<Error> error_;
    char comment_, continuation_;
    bool binary_ = false, swap_ = false;
};

}  // namespace plush
