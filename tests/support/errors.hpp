#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "plush/core/error.hpp"

// What is said where something is wrong.

namespace plush::test {

/// The Error that `act` throws; fails where there is none.
template <class Act>
Error error_of(Act&& act) {
    try {
        act();
    } catch (const Error& error) {
        return error;
    }
    ADD_FAILURE() << "no Error was thrown";
    return Error({.problem = "none"});
}

/// Whether the text has these words in it; a failed check shows both.
[[nodiscard]] inline testing::AssertionResult says(std::string_view text, std::string_view words) {
    return testing::AssertionResult(text.find(words) != std::string_view::npos)
           << '"' << words << "\" in the text: " << text;
}

/// Of the whole message: place, problem and fix.
[[nodiscard]] inline testing::AssertionResult says(const Error& error, std::string_view words) {
    return says(error.what(), words);
}

}  // namespace plush::test
