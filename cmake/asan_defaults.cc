// How the address sanitizer runs our programs where ASAN_OPTIONS does not say otherwise. Of what was freed it keeps
// 256 MB by default, so that nearly all allocations get fresh pages: the faults took a fifth of the time of all tests.
// A tenth of it went into the stacks of allocations. A report shows their last two calls; all of them with
// ASAN_OPTIONS=malloc_context_size=30.
extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=8:malloc_context_size=2";
}
