#include "cli/publish/place.h"

#include "park/exchange/git_store.h"

namespace park::cli {

void Place::declare(Options& options, const std::string& option, const std::string& doc) {
  options.text(option, "FOLDER|GIT", text_, doc);
  options.integer("--most-mib", "M", most_mib_, {1, 1 << 20}, "the most that an object may have");
  options.integer("--timeout", "S", timeout_s_, {1, 86400}, "seconds that git may take");
}

void Place::check(const std::string& option, Violations& wrong) const {
  if (text_.empty())
    wrong.add(option + ": is required: a folder, or a git repository");
  else if (text_.starts_with('-'))
    wrong.add(option + ": '" + text_ + "' is neither a folder nor a git repository");
}

std::string Place::put(const exchange::Object& object, bool overwrite) const {
  if (!exchange::names_git(text_)) return exchange::FolderStore(text_).put(object, overwrite);
  exchange::GitStore git(text_, std::chrono::seconds(timeout_s_), most_bytes());
  return git.put(object, overwrite);
}

exchange::Object Place::get(const std::string& hash_or_name) const {
  if (!exchange::names_git(text_))
    return exchange::FolderStore(text_).get(hash_or_name, most_bytes());
  exchange::GitStore git(text_, std::chrono::seconds(timeout_s_), most_bytes());
  return git.get(hash_or_name, most_bytes());
}

}  // namespace park::cli
