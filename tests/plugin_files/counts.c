/* A plug-in with an importer: it writes how many lines some files have, times a field. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "park/plugin.h"

PARK_PLUGIN_NOTE("counts", "1.0", "Apache-2.0");

static uint64_t lines_of(const ParkInput* file) {
  char bytes[256];
  uint64_t lines = 0;
  for (int64_t n; (n = file->read(file->self, bytes, sizeof bytes)) > 0;)
    for (int64_t i = 0; i < n; ++i) lines += bytes[i] == '\n';
  return lines;
}

static int32_t run(const char* text, const ParkImport* import_, ParkError* error) {
  (void)error;
  uint64_t lines = 0;
  for (uint64_t i = 0; i < import_->file_count; ++i) lines += lines_of(import_->files[i]);
  /* The text is canonical: "import(times=2)", or "import" for the default. */
  const char* times = strstr(text, "times=");
  char made[32];
  const int size = snprintf(made, sizeof made, "%llu\n",
                            (unsigned long long)lines *
                                (times == NULL ? 1 : strtoull(times + 6, NULL, 10)));
  import_->rows(import_->self, lines);
  import_->figure(import_->self, "lines", (double)lines);
  import_->made(import_->self, "one number");
  return import_->append(import_->self, made, (uint64_t)size);
}

static const ParkField kTimes = {.size = sizeof kTimes,
                                 .name = "times",
                                 .doc = "what the count is multiplied by",
                                 .unit = "1",
                                 .type = "integer",
                                 .default_text = "1",
                                 .min = 1,
                                 .max = 9};
static const ParkField* const kFields[] = {&kTimes};
static const ParkImporterType kCounts = {.size = sizeof kCounts,
                                         .kind = "counts",
                                         .kind_summary = "numbers of lines",
                                         .environment = "load_balance",
                                         .kind_example = "import jobs.csv --out count",
                                         .form = "",
                                         .summary = "counts the lines of files",
                                         .details = "",
                                         .example = "jobs.csv --out count",
                                         .fields = kFields,
                                         .field_count = 1,
                                         .run = run};
static const ParkImporterType* const kImporters[] = {&kCounts};
static const ParkPlugin kPlugin = {.size = sizeof kPlugin,
                                   .abi = PARK_PLUGIN_ABI,
                                   .name = "counts",
                                   .version = "1.0",
                                   .licence = "Apache-2.0",
                                   .importers = kImporters,
                                   .importer_count = 1};

const ParkPlugin* park_plugin(uint32_t host_abi, const ParkHost* host) {
  (void)host_abi;
  (void)host;
  return &kPlugin;
}
