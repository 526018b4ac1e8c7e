# tomograph_add_plugin(NAME source... [CUDA_SOURCES source...] [LIBRARIES library...])
#   Builds the plugin NAME: a shared library that exports only the entry symbol. In the Tomograph tree, it is built in
#   the folder where the host finds it, and installed.
#   CUDA sources are compiled as C++17 and linked with the static runtime, so that the plugin loads without a GPU or a
#   driver. The project must have enabled the language CUDA.
#   CUDA_SOURCES are kernels and what starts them. With a CUDA compiler, TOMOGRAPH_HAS_KERNELS is defined; without, they
#   are left out, also of the other sources, and the probes still answer from recordings.
function(tomograph_add_plugin name)
  set(exports "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin-exports.map")
  cmake_parse_arguments(PARSE_ARGV 1 plugin "" "" "CUDA_SOURCES;LIBRARIES")
  set(sources ${plugin_UNPARSED_ARGUMENTS})
  foreach(source IN LISTS plugin_CUDA_SOURCES)
    list(REMOVE_ITEM sources "${source}" "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
  endforeach()
  set(definitions)
  if(plugin_CUDA_SOURCES AND CMAKE_CUDA_COMPILER)
    list(APPEND sources ${plugin_CUDA_SOURCES})
    set(definitions TOMOGRAPH_HAS_KERNELS)
  endif()
  add_library(${name} MODULE ${sources})
  target_compile_definitions(${name} PRIVATE ${definitions})
  set_target_properties(${name} PROPERTIES PREFIX "" LINK_DEPENDS "${exports}"
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_link_libraries(${name} PRIVATE Tomograph::sdk ${plugin_LIBRARIES})
  target_link_options(${name} PRIVATE "LINKER:--version-script=${exports}")
  if(NOT TOMOGRAPH_SANITIZE)
    target_link_options(${name} PRIVATE "LINKER:-z,defs")
  endif()
  set(kernels ${sources})
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  if(kernels)
    find_package(CUDAToolkit REQUIRED)
    set_source_files_properties(${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    set_target_properties(${name} PROPERTIES CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_RUNTIME_LIBRARY Static)
    target_link_libraries(${name} PRIVATE CUDA::cudart_static)
  endif()
  if(TOMOGRAPH_PLUGIN_DIR)
    target_link_libraries(${name} PRIVATE tomograph_warnings)
    target_compile_options(${name} PRIVATE ${TOMOGRAPH_LITTLE_OPTIMIZATION})
    target_precompile_headers(${name} REUSE_FROM tomograph_plugin_headers)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/${TOMOGRAPH_PLUGIN_DIR}")
    install(TARGETS ${name} LIBRARY DESTINATION "${TOMOGRAPH_PLUGIN_DIR}")
  endif()
endfunction()

# tomograph_add_plugin_test(NAME [DEVICE device] [ONLY pattern])
#   Adds two tests of the plugin NAME: `tomograph validate` accepts it, and the probes of the pattern, by default all of
#   its own, run on the device, by default sim:small. Probes that the device does not support are skipped, which passes.
function(tomograph_add_plugin_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "DEVICE;ONLY" "")
  if(NOT test_DEVICE)
    set(test_DEVICE sim:small)
  endif()
  if(NOT test_ONLY)
    set(test_ONLY "${name}/*")
  endif()
  add_test(NAME "${name} is valid" COMMAND Tomograph::tomograph validate "$<TARGET_FILE:${name}>")
  add_test(NAME "${name} runs on ${test_DEVICE}"
    COMMAND Tomograph::tomograph run --plugin-dir "$<TARGET_FILE_DIR:${name}>" --device "${test_DEVICE}"
            --only "${test_ONLY}" --output "${CMAKE_CURRENT_BINARY_DIR}/${name}.toml")
endfunction()
