# Writes OUTPUT with the commit of SOURCE_DIR; run at every build, touches the file only when the
# text changes. Without git or outside a checkout the commit is "unknown".
set(commit "")
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE_DIR}/.git)
  execute_process(
    COMMAND ${GIT} --no-optional-locks describe --always --abbrev=12 --dirty --exclude=*
    WORKING_DIRECTORY ${SOURCE_DIR}
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
  set(commit unknown)
endif()
set(text "#pragma once\n\n#define PARK_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${OUTPUT} "${text}")
endif()
