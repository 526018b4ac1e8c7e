/// write_ptx KERNEL.toml COMPUTE_CAPABILITY: prints what the cuda device generates for a kernel. The first line says
/// how many warp instructions abi/kernel.h counts in an iteration.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "cuda/kernel/ptx.hpp"
#include "tomograph/kernel/description.hpp"

int main(int count, char** arguments) {
  if (count != 3) return 2;
  try {
    const auto described = tomograph::kernel::read_description(arguments[1]);
    const auto instructions = tomograph::kernel::instructions_per_iteration(described.kernel);
    std::printf("// %lld instructions\n%s", static_cast<long long>(instructions),
                tomograph::cuda::ptx_of(described.kernel, std::atoll(arguments[2])).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
