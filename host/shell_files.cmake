# The manual pages and the shells' completions, which the program writes itself, where an installation has them.
set(man_folder "${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_MANDIR}/man1")
set(bash_folder "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
set(zsh_folder "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
set(fish_folder "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
foreach(folder IN ITEMS ${bash_folder} ${zsh_folder} ${fish_folder})
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/${folder}")
endforeach()
file(MAKE_DIRECTORY "${man_folder}")

string(TIMESTAMP today "%Y-%m-%d" UTC)
set(stamp "${CMAKE_CURRENT_BINARY_DIR}/shell_files.stamp")
add_custom_command(OUTPUT "${stamp}"
  COMMAND tomograph manual "${man_folder}" --date "${today}"
  COMMAND tomograph completion bash > "${CMAKE_BINARY_DIR}/${bash_folder}/tomograph"
  COMMAND tomograph completion zsh > "${CMAKE_BINARY_DIR}/${zsh_folder}/_tomograph"
  COMMAND tomograph completion fish > "${CMAKE_BINARY_DIR}/${fish_folder}/tomograph.fish"
  COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
  DEPENDS tomograph VERBATIM)
add_custom_target(shell_files ALL DEPENDS "${stamp}")

# Compressed, as distributions have them.
find_program(GZIP gzip REQUIRED)
install(DIRECTORY "${man_folder}" DESTINATION "${CMAKE_INSTALL_MANDIR}" FILES_MATCHING PATTERN "*.1")
install(CODE "set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\")
file(GLOB pages \"\${folder}/tomograph*.1\")
execute_process(COMMAND \"${GZIP}\" -9 -n -f \${pages} COMMAND_ERROR_IS_FATAL ANY)")
install(FILES "${CMAKE_BINARY_DIR}/${bash_folder}/tomograph" DESTINATION "${bash_folder}")
install(FILES "${CMAKE_BINARY_DIR}/${zsh_folder}/_tomograph" DESTINATION "${zsh_folder}")
install(FILES "${CMAKE_BINARY_DIR}/${fish_folder}/tomograph.fish" DESTINATION "${fish_folder}")
