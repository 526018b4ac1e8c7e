# Copyright Tomograph authors. See the top-level LICENSE file for details.
#
# SPDX-License-Identifier: Apache-2.0

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Tomograph(CMakePackage, CudaPackage):
    """Tomograph measures the memory hierarchy of a GPU: caches, TLBs, memories
    and networks, with the confidence and the curve behind each fact."""

    maintainers("tomograph")

    license("Apache-2.0")

    # Built from a clone: spack repo add packaging/spack/spack_repo/tomograph, then spack dev-build tomograph@main
    version("main", branch="main", git="file:///usr/src/tomograph")

    variant("cuda", default=True, description="Measure NVIDIA GPUs")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.9:", type="build")

    depends_on("boost@1.74:")
    depends_on("cli11@2.1:")
    depends_on("elfutils")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("openssl")
    depends_on("spdlog@1.10:")
    depends_on("tomlplusplus@3.3:")
    depends_on("valijson@1.0:")
    depends_on("xxhash")
    depends_on("zlib-api")
    depends_on("zstd")

    conflicts("%gcc@:11", msg="C++20 as GCC 12 knows it")
    conflicts("+cuda", when="cuda_arch=none", msg="cuda_arch says for which GPUs to build")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("TOMOGRAPH_CUDA", "cuda"),
            self.define("BUILD_TESTING", False),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args
