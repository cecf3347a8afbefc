#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace park::spark {

/// The settings of an application, by name.
using DriverSettings = std::map<std::string, std::string, std::less<>>;

[[nodiscard]] std::string_view trimmed(std::string_view);
/// Without blanks around them.
void for_each_line(std::string_view text, const std::function<void(std::string_view)>& use);

/// A file of Java's properties, as spark-defaults.conf is: a name, blanks, '=' or ':', and a value
/// on each line. What follows # or ! at its beginning is for people.
[[nodiscard]] DriverSettings read_driver_settings(std::string_view conf);
/// Empty: it is not set.
[[nodiscard]] std::string_view value_of(const DriverSettings&, std::string_view name);

/// Adds what the plugin refuses: unknown names, and values and endpoints that are not allowed.
void check_driver_settings(const DriverSettings&, std::vector<std::string>& reasons);
/// Why the setting of the executors has no effect in the application; empty: it has.
[[nodiscard]] std::string executors_obstacle(const DriverSettings&);

}  // namespace park::spark
