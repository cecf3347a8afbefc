# How what is delivered resists mistakes in itself: the options of every target in the folder that
# includes this and below. They are for builds of the kinds Release, RelWithDebInfo and MinSizeRel.
# Sanitizers check more, and their checks of memory clash with those of the C library.
#
# -fstack-protector-strong  a function that wrote behind its arrays ends the process at its return
# _FORTIFY_SOURCE=2         the C library's copies know the size of their target where the compiler does
# _GLIBCXX_ASSERTIONS       an index beyond a vector or span, and the value of an empty optional, end
#                           the process
# relro, now                addresses of functions are looked up at the start and read-only then
include_guard(DIRECTORY)
option(PARK_HARDENING "Harden release builds; OFF to measure what it costs" ON)
if(PARK_SANITIZE OR NOT PARK_HARDENING)
  return()
endif()
set(delivered $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
add_compile_options($<${delivered}:-fstack-protector-strong> $<${delivered}:-U_FORTIFY_SOURCE>
                    $<${delivered}:-D_FORTIFY_SOURCE=2> $<${delivered}:-D_GLIBCXX_ASSERTIONS>)
add_link_options($<${delivered}:LINKER:-z,relro,-z,now>)
