# Layers. Each layer is a static library with its own include path, which holds only the headers of that layer. It
# sees the headers of another layer only if it names that layer under USES, directly or indirectly. So an upward
# #include does not compile, as tests/layers proves.

# tomograph_add_layer(TARGET HEADERS path... [PREFIX prefix] [SOURCES source...] [USES target...] [PRIVATE library...])
#   HEADERS are the layer's headers, or folders of them. They are included as "PREFIX/<last part of the path>".
function(tomograph_add_layer target)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "PREFIX" "HEADERS;SOURCES;USES;PRIVATE")
  set(root "${CMAKE_BINARY_DIR}/layers/${target}")
  file(REMOVE_RECURSE "${root}")
  file(MAKE_DIRECTORY "${root}/${layer_PREFIX}")
  foreach(header IN LISTS layer_HEADERS)
    get_filename_component(name "${header}" NAME)
    file(CREATE_LINK "${header}" "${root}/${layer_PREFIX}/${name}" SYMBOLIC)
  endforeach()
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
