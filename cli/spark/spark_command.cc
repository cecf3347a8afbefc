#include "cli/frame/commands.h"
#include "cli/frame/group.h"
#include "cli/spark/spark_commands.h"

namespace park::cli {

void add_spark_command(Commands& all) {
  all.add(90,
          group({.name = "spark",
                 .summary = "take the scheduling decisions of a stock Apache Spark",
                 .details = "",
                 .example = "park spark attach --policy fair"},
                {make_spark_run_command, make_spark_attach_command, make_spark_doctor_command}));
}

}  // namespace park::cli
