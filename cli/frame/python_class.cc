#include "cli/frame/plugins.h"

namespace park::cli {

Plugin load_python_class(const std::string& text) {
  throw Error(Errc::unavailable, "this park serves no classes of Python; " + text +
                                     " can be a file with a folder in front, such as ./" + text);
}

}  // namespace park::cli
