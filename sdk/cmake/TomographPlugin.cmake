# tomograph_add_plugin(NAME source... [LIBRARIES library...])
#   Builds the plugin NAME: a shared library that exports the entry symbol and nothing else. Inside the
#   Tomograph tree it is put where the host finds it, and installed with it.
set(_tomograph_plugin_exports "${CMAKE_CURRENT_LIST_DIR}/plugin-exports.map")

function(tomograph_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 plugin "" "" "LIBRARIES")
  add_library(${name} MODULE ${plugin_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS "${_tomograph_plugin_exports}")
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_link_libraries(${name} PRIVATE Tomograph::sdk ${plugin_LIBRARIES})
  target_link_options(${name} PRIVATE "LINKER:--version-script=${_tomograph_plugin_exports}")
  if(NOT TOMOGRAPH_SANITIZE)
    target_link_options(${name} PRIVATE "LINKER:-z,defs")
  endif()
  if(TOMOGRAPH_PLUGIN_DIR)
    target_link_libraries(${name} PRIVATE tomograph_warnings)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/${TOMOGRAPH_PLUGIN_DIR}")
    install(TARGETS ${name} LIBRARY DESTINATION "${TOMOGRAPH_PLUGIN_DIR}")
  endif()
endfunction()
