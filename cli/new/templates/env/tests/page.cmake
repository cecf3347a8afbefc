# Fails where docs/newenv.md is not what the command PAGE prints.
execute_process(COMMAND ${PAGE} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${CMAKE_CURRENT_LIST_DIR}/../docs/newenv.md committed)
if(NOT printed STREQUAL committed)
  message(FATAL_ERROR "docs/newenv.md is out of date: cmake --build build --target newenv_page")
endif()
