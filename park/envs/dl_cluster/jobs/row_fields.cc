#include "park/envs/dl_cluster/jobs/row_fields.h"

#include "park/core/text.h"
#include "park/files/lines.h"
#include "park/files/recording.h"
#include "park/files/shown.h"

namespace park::dl_cluster::jobs {

void RowFields::refuse(Column c, const std::string& allowed) {
  if (wrong_.empty())
    wrong_ = std::string(c.name) + " = '" + files::shown(text(c)) + "' must be " + allowed;
}

double RowFields::number(Column c, double most) {
  const auto value = files::number_in(text(c), 0, most);
  if (!value) refuse(c, "a number from 0 to " + number_text(most));
  return value.value_or(0);
}

std::optional<double> RowFields::number_or_none(Column c, double most) {
  if (text(c).empty()) return {};
  return number(c, most);
}

double RowFields::date(Column c) {
  const auto time_s = files::time_of_date(text(c));
  if (!time_s) refuse(c, "as 2020-06-09 18:41:01");
  return time_s.value_or(0);
}

}  // namespace park::dl_cluster::jobs
