# Fails where docs/newenv.md lacks a field, leaf, head or metric of the environment, or has it with
# another meaning; and where it lacks a policy of this project. DESCRIBE is the command that prints the
# environment as JSON.
execute_process(COMMAND ${DESCRIBE} OUTPUT_VARIABLE told COMMAND_ERROR_IS_FATAL ANY)
file(READ ${CMAKE_CURRENT_LIST_DIR}/../docs/newenv.md page)

# check(MEMBER...): every element of the list that is found under these members.
function(check)
  string(JSON count LENGTH "${told}" ${ARGN})
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON name GET "${told}" ${ARGN} ${i} name)
    string(JSON doc GET "${told}" ${ARGN} ${i} doc)
    string(FIND "${page}" "| `${name}` |" row)
    string(FIND "${page}" "| ${doc} |" meaning)
    if(row EQUAL -1 OR meaning EQUAL -1)
      message(SEND_ERROR "docs/newenv.md lacks `${name}`: ${doc}")
    endif()
  endforeach()
endfunction()

check(config)
check(observation leaves)
check(action leaves)
check(metrics)

string(JSON count LENGTH "${told}" policies)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON name GET "${told}" policies ${i})
  string(FIND "${page}" "| `${name}` |" row)
  if(name MATCHES "^newenv_" AND row EQUAL -1)
    message(SEND_ERROR "docs/newenv.md lacks the policy `${name}`")
  endif()
endforeach()
