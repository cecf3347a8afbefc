# Writes OUTPUT with the commit of SOURCE_DIR and its day; run at every build, touches the file only
# when the text changes. Without git or outside a checkout the commit is "unknown" and there is no day.
set(commit "")
set(day "")
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE_DIR}/.git)
  execute_process(
    COMMAND ${GIT} --no-optional-locks describe --always --abbrev=12 --dirty --exclude=*
    WORKING_DIRECTORY ${SOURCE_DIR}
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(
    COMMAND ${GIT} --no-optional-locks log -1 --format=%cs
    WORKING_DIRECTORY ${SOURCE_DIR}
    OUTPUT_VARIABLE day OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
  set(commit unknown)
endif()
set(text "#pragma once\n\n#define PARK_COMMIT \"${commit}\"\n#define PARK_COMMIT_DAY \"${day}\"\n")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${OUTPUT} "${text}")
endif()
