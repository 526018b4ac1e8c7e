#include "commands/repeatable.hpp"

#include <CLI/CLI.hpp>

namespace tomograph::host {

void make_repeatable(CLI::Option* option) {
  option->expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace tomograph::host
