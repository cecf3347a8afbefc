// What the leak checker finds in libraries that are not ours: LibTorch and what it brings along keep memory
// until the process ends.
#include <link.h>

#include <cstring>
#include <initializer_list>

extern "C" const char* __lsan_default_suppressions() {
  return "leak:libtorch\nleak:libc10\nleak:libgomp\nleak:libopenblas\nleak:libdnnl\nleak:"
         "libprotobuf\n";
}

// The leak checker of g++ 12 now and then ends by signal 11, since it misreads the thread-local memory of
// libraries that were loaded while the program ran. The modules of networks and of served models bring 280 of
// them, so a process that has loaded one looks for no leaks; the checker asks at the process's end.
extern "C" int __lsan_is_turned_off() {
  const auto is_module = [](dl_phdr_info* library, std::size_t, void*) {
    for (const char* name : {"park_agents_module", "park_inference_models"})
      if (std::strstr(library->dlpi_name, name) != nullptr) return 1;
    return 0;
  };
  return dl_iterate_phdr(is_module, nullptr);
}
