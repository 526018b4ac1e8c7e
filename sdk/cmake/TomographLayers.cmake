# Layers. Each layer is a static library with its own include path, which holds only the headers of that layer. It
# sees the headers of another layer only if it names that layer under USES, directly or indirectly. So an upward
# #include does not compile, as tests/layers proves.

# tomograph_add_layer(TARGET FOLDER folder [PREFIX prefix] [SOURCES source...] [USES target...] [PRIVATE library...])
#   The layer's headers are in FOLDER and are included as "PREFIX/<name of FOLDER>/header.hpp".
function(tomograph_add_layer target)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "FOLDER;PREFIX" "SOURCES;USES;PRIVATE")
  get_filename_component(name "${layer_FOLDER}" NAME)
  set(root "${CMAKE_BINARY_DIR}/layers/${target}")
  file(MAKE_DIRECTORY "${root}/${layer_PREFIX}")
  file(CREATE_LINK "${layer_FOLDER}" "${root}/${layer_PREFIX}/${name}" SYMBOLIC)
  if(layer_SOURCES)
    add_library(${target} STATIC ${layer_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE ${layer_PRIVATE})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${root}>)
  target_link_libraries(${target} ${scope} ${layer_USES})
endfunction()
