#ifndef TOMOGRAPH_TESTS_CATCH_HPP
#define TOMOGRAPH_TESTS_CATCH_HPP

/// Catch2 under the names of version 3, whichever version is installed.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& part) { return Contains(part); }
}  // namespace Catch::Matchers
#endif

#include <string_view>

/// Ends the test case as visibly skipped. Only for what the machine lacks, such as a GPU.
[[noreturn]] void skip_here(std::string_view reason);

#endif
