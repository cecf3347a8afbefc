#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/error.h"
#include "park/core/registry.h"

namespace park::cli {

/// What a new project is made of.
struct ProjectKind {
  std::string_view templates;  ///< a folder of cli/new/templates
  std::string_view token;      ///< the name in its files, which the project's name replaces
  std::vector<std::string_view>
      policies;  ///< it has a policy of its name with each of these behind
};

/// A file of a project: where it lies below the project's folder, and what it contains.
struct ProjectFile {
  std::filesystem::path path;
  std::string text;
};

/// The longest name of a project: file names and messages contain it.
constexpr std::size_t kLongestProjectName = 40;

/// Adds one line that says what is wrong with a name. It must begin with a lower-case letter and
/// contain only lower-case letters, digits and "_". It must not be a word of C++ or Python, a
/// target of CMake, nor lead to the name of a registered environment or policy.
void check_project_name(const Registry&, const ProjectKind&, const std::string& name, Violations&);

/// Adds one line where `folder` cannot become a project: where it is not empty, is the current
/// folder, or lacks the folder above it.
void check_project_folder(const std::filesystem::path& folder, Violations&);

/// The files of a project of that name, sorted by path.
[[nodiscard]] std::vector<ProjectFile> project_files(const ProjectKind&, std::string_view name);

/// Writes all files, or none: they are written into a new folder beside `folder`, which then gets
/// its name. Throws command::Failure with the path and the reason.
void write_project(const std::filesystem::path& folder, const std::vector<ProjectFile>&);

}  // namespace park::cli
