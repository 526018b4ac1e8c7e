#include "tomograph/plugin.hpp"

#include "cuda/device.hpp"

TOMOGRAPH_PLUGIN("cuda", "0.1.0", "Executes experiments on NVIDIA GPUs", tomograph::Probes<>,
                 tomograph::Devices<tomograph::cuda::Device>)
