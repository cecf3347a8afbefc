#include <regex>

#include "cli/cite/citation.h"
#include "cli/frame/commands.h"
#include "cli/frame/inputs.h"
#include "cli/frame/version.h"
#include "park/core/json_writer.h"
#include "park/core/registry.h"

namespace park::cli {
namespace {

/// What is cited: this build, and the papers whose model an environment is.
struct Cited {
  std::string title, author, licence, version, commit, year;
  std::string env;  ///< empty: Park alone
  int env_version = 0;
  std::vector<std::string> references;  ///< of the environment, as it names them
};

std::vector<std::string> split_references(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    const std::size_t end = text.find("; ");
    all.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
  }
  return all;
}

Cited cited(const Spec* spec) {
  const std::string_view file = citation::file();
  const Build& build = build_info();
  Cited all{.title = citation_field(file, "title"),
            .author = citation_field(file, "name"),
            .licence = citation_field(file, "license"),
            .version = build.version,
            .commit = build.commit,
            .year = build.day.substr(0, 4),
            .env = spec == nullptr ? "" : spec->name,
            .env_version = spec == nullptr ? 0 : spec->version,
            .references = {}};
  if (spec != nullptr) all.references = split_references(spec->reference);
  return all;
}

std::string as_text(const Cited& c) {
  std::string text = c.author + ". " + c.title + ", version " + c.version + ", commit " + c.commit +
                     (c.year.empty() ? "" : ", " + c.year) + ".\n";
  if (c.env.empty()) return text;
  text +=
      "\nThe environment " + c.env + ", version " + std::to_string(c.env_version) + ", follows:\n";
  for (const std::string& reference : c.references) text += "  " + reference + "\n";
  return text;
}

/// The last number of four digits that can be a year; "": there is none.
std::string year_of(const std::string& reference) {
  static const std::regex year(R"(\b(19|20)\d\d\b)");
  std::string last;
  for (std::sregex_iterator at(reference.begin(), reference.end(), year), end; at != end; ++at)
    last = at->str();
  return last;
}

/// A reference as an entry; its text is the title, since it may be a paper, a standard or a program.
std::string bibtex_entry(const std::string& key, const std::string& reference) {
  const std::string year = year_of(reference);
  return "\n@misc{" + key + ",\n  title = {" + reference + "}" +
         (year.empty() ? "" : ",\n  year = {" + year + "}") + "\n}\n";
}

std::string as_bibtex(const Cited& c) {
  std::string text = "@software{park,\n  title = {" + c.title + "},\n  author = {{" + c.author +
                     "}},\n  version = {" + c.version + "},\n";
  if (!c.year.empty()) text += "  year = {" + c.year + "},\n";
  text += "  license = {" + c.licence + "},\n  note = {commit " + c.commit + "}\n}\n";
  for (std::size_t i = 0; i < c.references.size(); ++i)
    text += bibtex_entry(c.env + "-" + std::to_string(i + 1), c.references[i]);
  return text;
}

std::string as_json(const Cited& c) {
  JsonWriter json;
  json.begin_object()
      .member("title", c.title)
      .member("author", c.author)
      .member("version", c.version)
      .member("commit", c.commit)
      .member("year", c.year)
      .member("license", c.licence);
  if (!c.env.empty()) {
    json.key("environment").begin_object();
    json.member("name", c.env).member("version", c.env_version);
    json.key("references").begin_array();
    for (const std::string& reference : c.references) json.value(reference);
    json.end_array().end_object();
  }
  return json.end_object().take();
}

class CiteCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "cite",
            .summary = "how to cite Park, and the papers behind an environment",
            .details =
                "The version and the commit are those of this program, so that figures can "
                "be repeated.",
            .example = "park cite load_balance --format bibtex"};
  }

  void declare(Options& options) override {
    options.text("ENV", "", env_text_, "environment whose papers are listed too");
    options.choice("--format", format_, {"text", "bibtex", "cff"},
                   "text, an entry for BibTeX, or the file CITATION.cff");
  }

  void prepare(Session& session, Violations& wrong) override {
    if (session.json() && format_ != "text") wrong.add("--format: not together with --json");
    if (format_ == "cff" && !env_text_.empty())
      wrong.add("--format: cff is of Park alone, without ENV");
    if (!env_text_.empty()) static_cast<void>(read_env(session.registry(), env_text_, env_, wrong));
  }

  int run(Session& session) override {
    if (format_ == "cff") {
      session.print(citation::file());
      return kDone;
    }
    const Cited all = cited(env_text_.empty() ? nullptr : &env_.spec);
    session.print(session.json() ? as_json(all)
                                 : (format_ == "bibtex" ? as_bibtex(all) : as_text(all)));
    return kDone;
  }

 private:
  std::string env_text_, format_ = "text";
  EnvInput env_;
};

}  // namespace

void add_cite_command(Commands& all) { all.add(115, std::make_unique<CiteCommand>()); }

}  // namespace park::cli
