# tomograph_add_plugin(NAME source... [LIBRARIES library...])
#   Builds the plugin NAME: a shared library that exports the entry symbol and nothing else. Inside the
#   Tomograph tree it is put where the host finds it, and installed with it.
#   CUDA sources are compiled as C++17 and linked with the static runtime, so that the plugin loads where there is
#   neither a GPU nor a driver; the project must have enabled the language CUDA.
function(tomograph_add_plugin name)
  set(exports "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin-exports.map")
  cmake_parse_arguments(PARSE_ARGV 1 plugin "" "" "LIBRARIES")
  add_library(${name} MODULE ${plugin_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES PREFIX "" LINK_DEPENDS "${exports}"
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_link_libraries(${name} PRIVATE Tomograph::sdk ${plugin_LIBRARIES})
  target_link_options(${name} PRIVATE "LINKER:--version-script=${exports}")
  if(NOT TOMOGRAPH_SANITIZE)
    target_link_options(${name} PRIVATE "LINKER:-z,defs")
  endif()
  if("${plugin_UNPARSED_ARGUMENTS}" MATCHES "\\.cu(;|$)")
    find_package(CUDAToolkit REQUIRED)
    set_target_properties(${name} PROPERTIES CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_RUNTIME_LIBRARY Static)
    target_link_libraries(${name} PRIVATE CUDA::cudart_static)
  endif()
  if(TOMOGRAPH_PLUGIN_DIR)
    target_link_libraries(${name} PRIVATE tomograph_warnings)
    target_precompile_headers(${name} REUSE_FROM tomograph_experiment)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/${TOMOGRAPH_PLUGIN_DIR}")
    install(TARGETS ${name} LIBRARY DESTINATION "${TOMOGRAPH_PLUGIN_DIR}")
  endif()
endfunction()

# tomograph_add_plugin_test(NAME [DEVICE device])
#   Two tests of the plugin NAME: `tomograph validate` has nothing against it, and all its probes run on the device,
#   sim:small unless given, to the end. What the device does not support is skipped, which is right.
function(tomograph_add_plugin_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "DEVICE" "")
  if(NOT test_DEVICE)
    set(test_DEVICE sim:small)
  endif()
  add_test(NAME "${name} is valid" COMMAND Tomograph::tomograph validate "$<TARGET_FILE:${name}>")
  add_test(NAME "${name} runs on ${test_DEVICE}"
    COMMAND Tomograph::tomograph run --plugin-dir "$<TARGET_FILE_DIR:${name}>" --device "${test_DEVICE}"
            --only "${name}/*" --output "${CMAKE_CURRENT_BINARY_DIR}/${name}.toml")
endfunction()
