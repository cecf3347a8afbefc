// What the leak checker finds in libraries that are not ours: LibTorch and what it brings along keep memory
// until the process ends.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libtorch\nleak:libc10\nleak:libgomp\nleak:libopenblas\nleak:libdnnl\nleak:"
         "libprotobuf\n";
}
