# A build that runs on any Linux for x86-64 whose glibc is at least the one scripts/static_libraries.sh names: the
# compilers of the folder PARK_STATIC_LIBRARIES (an environment variable), and only the libraries there.
# Those are static, as is the C++ library, so that the result needs glibc alone.
set(PARK_STATIC_LIBRARIES "$ENV{PARK_STATIC_LIBRARIES}")
if(NOT EXISTS "${PARK_STATIC_LIBRARIES}/bin/clang++")
  message(FATAL_ERROR "PARK_STATIC_LIBRARIES = '${PARK_STATIC_LIBRARIES}' is no folder made by "
                      "scripts/static_libraries.sh")
endif()
set(CMAKE_C_COMPILER "${PARK_STATIC_LIBRARIES}/bin/clang")
set(CMAKE_CXX_COMPILER "${PARK_STATIC_LIBRARIES}/bin/clang++")
set(CMAKE_AR "${PARK_STATIC_LIBRARIES}/bin/ar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${PARK_STATIC_LIBRARIES}/bin/ranlib" CACHE FILEPATH "")
# Programs come from PATH; libraries and headers never from /usr.
list(PREPEND CMAKE_PREFIX_PATH "${PARK_STATIC_LIBRARIES}")
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH FALSE)
link_directories("${PARK_STATIC_LIBRARIES}/lib")  # for libraries that are linked by name
set(PARK_MOLD "" CACHE FILEPATH "the compiler has its own linker")
# The C++ library checks its containers, as _GLIBCXX_ASSERTIONS makes GCC's do. zig says that it should not.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-U_LIBCPP_HARDENING_MODE>
                    $<$<COMPILE_LANGUAGE:CXX>:-D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_FAST>)
