# Compiler options, and the layout of the build tree. The layout is that of an installation, so that programs find
# plugins, schemas and simulated GPUs relative to themselves in both.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(TOMOGRAPH_PLUGIN_DIR "${CMAKE_INSTALL_LIBDIR}/tomograph/plugins")
set(TOMOGRAPH_DATA_DIR "${CMAKE_INSTALL_DATADIR}/tomograph")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_BINDIR}")

# Off by default, since an unknown compiler may have new warnings. The tests turn it on.
option(TOMOGRAPH_WERROR "Treat warnings as errors" OFF)
# One sanitizer set for the whole tree, since host and plugins share a process.
set(TOMOGRAPH_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined")
if(TOMOGRAPH_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${TOMOGRAPH_SANITIZE}>
                      $<$<COMPILE_LANGUAGE:C,CXX>:-fno-sanitize-recover=all> $<$<COMPILE_LANGUAGE:C,CXX>:-fno-omit-frame-pointer>)
  if(TOMOGRAPH_SANITIZE MATCHES "address")
    add_compile_definitions(TOMOGRAPH_SANITIZES_ADDRESSES) # Clang 14 has no macro for it
  endif()
  if(TOMOGRAPH_SANITIZE MATCHES "undefined")
    # A misaligned pointer is an illegal instruction, without a message: a tenth less to compile.
    add_compile_options($<$<COMPILE_LANG_AND_ID:C,Clang>:-fsanitize-trap=alignment>
                        $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fsanitize-trap=alignment>)
    if(TOMOGRAPH_SANITIZE MATCHES "address")
      # AddressSanitizer sees accesses through a null pointer and beyond an object. Most sources compile in a tenth less
      # time without these checks, some in a third less.
      add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fno-sanitize=null,object-size,pointer-overflow>)
    endif()
  endif()
  # GCC 12 loses track of initialization in instrumented code of the standard library (GCC bug 105562).
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
  add_link_options(-fsanitize=${TOMOGRAPH_SANITIZE})
endif()

option(TOMOGRAPH_FUZZ "Build the fuzzers, which needs Clang" OFF)
# tomograph_guide_fuzzers(TARGET)
#   Code that reads what strangers wrote tells fuzzers which of its branches were taken. Others would only be slower. The
#   target must not reuse the precompiled headers of one that tells nothing.
function(tomograph_guide_fuzzers target)
  if(TOMOGRAPH_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# Boost computes in long double otherwise, which takes several times as long, for digits that no fact has.
add_compile_definitions(BOOST_MATH_PROMOTE_DOUBLE_POLICY=false)

add_library(tomograph_warnings INTERFACE)
target_compile_options(tomograph_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wpedantic -Wconversion>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
  # GCC 12 and 13 report false accesses beyond std::string after they inline "a" + std::string (GCC bug 105651).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow>
  # It also warns of members that have a default value.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-missing-field-initializers>
  $<$<AND:$<BOOL:${TOMOGRAPH_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>
  $<$<AND:$<BOOL:${TOMOGRAPH_WERROR}>,$<COMPILE_LANGUAGE:CUDA>>:-Werror=all-warnings>)

# A few sources of a target are compiled as one, which halves the time to build. -DCMAKE_UNITY_BUILD=OFF compiles each by
# itself, for tools that want a command for each source.
if(NOT DEFINED CMAKE_UNITY_BUILD)
  set(CMAKE_UNITY_BUILD ON)
endif()

# How code is optimized that waits for devices and files: more would take a third longer to build and gain nothing. Tests
# wait for the SDK's analysis and the simulator alone, so a build for them optimizes nothing else.
option(TOMOGRAPH_QUICK_BUILD "Build in half the time; the host and most plugins are not optimized" OFF)
set(TOMOGRAPH_LITTLE_OPTIMIZATION -O1)
# Documents are optimized where the host is not: else parsing takes three times as long, and lintian half a minute for
# the archive. Not under sanitizers, where that adds a minute to the build and saves the tests a fifth of it.
set(TOMOGRAPH_DOCUMENTS_OPTIMIZATION -O1)
# Options of what is never optimized, such as the code of a test.
set(TOMOGRAPH_NO_OPTIMIZATION -O0)
if(TOMOGRAPH_SANITIZE)
  # Headers of libraries define most of its functions. Sanitizers leave these out, so it compiles in four fifths of the
  # time and is half as large. Such functions check the indices that they are given instead. Optimized code keeps
  # sanitizers in them, since a function without sanitizers is not inlined into one with them.
  list(APPEND TOMOGRAPH_NO_OPTIMIZATION -D_GLIBCXX_ASSERTIONS
    "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/headers_of_libraries.txt>")
  set(TOMOGRAPH_DOCUMENTS_OPTIMIZATION ${TOMOGRAPH_NO_OPTIMIZATION})
endif()
if(TOMOGRAPH_QUICK_BUILD OR TOMOGRAPH_SANITIZE)
  set(TOMOGRAPH_LITTLE_OPTIMIZATION ${TOMOGRAPH_NO_OPTIMIZATION})
endif()

# Headers that nearly every source includes are precompiled, which saves a third of the compile time. Sources still
# include what they use, and build with -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON.
set(TOMOGRAPH_PRECOMPILED_HEADERS <algorithm> <array> <cmath> <filesystem> <functional> <map> <numeric> <optional> <set>
  <span> <stdexcept> <string> <vector>)
list(TRANSFORM TOMOGRAPH_PRECOMPILED_HEADERS REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>")
