# Run at installation: writes what the built command `park` says of itself, manual pages and completions
# of shells, into the folder `made`.
file(REMOVE_RECURSE ${made})
file(MAKE_DIRECTORY ${made}/completion)
execute_process(COMMAND ${park} help --man --out ${made}/man1 COMMAND_ERROR_IS_FATAL ANY)
foreach(place bash=park zsh=_park fish=park.fish)
  string(REGEX MATCH "^([a-z]+)=(.+)$" place ${place})
  execute_process(COMMAND ${park} completion ${CMAKE_MATCH_1}
                  OUTPUT_FILE ${made}/completion/${CMAKE_MATCH_2} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
