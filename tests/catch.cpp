#include "catch.hpp"

#include <cstdlib>
#include <iostream>

void skip_here(std::string_view reason) {
  constexpr int ctest_skip_code = 77;
  std::cout << "skipped: " << reason << std::endl;
  std::exit(ctest_skip_code);
}
