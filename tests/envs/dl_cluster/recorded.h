#pragma once

#include <string>
#include <utility>
#include <vector>

#include "park/envs/dl_cluster/jobs/import_jobs.h"

namespace park::test {

// Small files in the forms of public traces. Nothing in them was recorded.

/// A job of Philly; `attempts` are JSON objects.
inline std::string philly_job(const std::string& submitted, const std::string& attempts,
                              const std::string& status = "Pass") {
  return "{\"status\": \"" + status +
         "\", \"vc\": \"a1\", \"jobid\": \"application_1_2\", \"attempts\": [" + attempts +
         "], \"submitted_time\": \"" + submitted + "\", \"user\": \"u1\"}";
}

/// An attempt on `gpus` GPUs of one server; times may be "null".
inline std::string philly_attempt(const std::string& start, const std::string& end, int gpus) {
  const auto time = [](const std::string& text) {
    return text == "null" ? text : "\"2017-10-" + text + "\"";
  };
  std::string listed;
  for (int i = 0; i < gpus; ++i) listed += (i ? ",\"gpu" : "\"gpu") + std::to_string(i) + '"';
  return "{\"start_time\": " + time(start) + ", \"end_time\": " + time(end) +
         ", \"detail\": [{\"ip\": \"m1\", \"gpus\": [" + listed + "]}]}";
}

inline const std::string kHeliosHeader =
    "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"
    "queue\n";

inline std::string helios_row(const std::string& gpus, const std::string& submitted,
                              const std::string& duration, const std::string& state = "COMPLETED") {
  return "7,u1,vc1," + gpus + ",4,1," + state + "," + submitted + ",2020-06-09 18:41:01," +
         "2020-06-10 04:55:09," + duration + ",0\n";
}

inline std::string pai_task(const std::string& job, const std::string& instances,
                            const std::string& start, const std::string& end,
                            const std::string& percent, const std::string& task = "worker") {
  return job + "," + task + "," + instances + ",Terminated," + start + "," + end +
         ",600.0,29.296875," + percent + ",MISC\n";
}

inline std::string pai_job(const std::string& job, const std::string& start,
                           const std::string& status = "Terminated") {
  return job + ",inst1,user1," + status + "," + start + ",9000.0\n";
}

inline const std::string kPodHeader =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n";

inline std::string pod_row(const std::string& gpus, const std::string& created,
                           const std::string& deleted, const std::string& scheduled,
                           const std::string& phase = "Succeeded") {
  return "pod-1,12000,16384," + gpus + ",1000,,LS," + phase + "," + created + "," + deleted + "," +
         scheduled + "\n";
}

/// A trace that was made of texts, which are the files F0, F1 ...
struct ImportedJobs {
  dl_cluster::jobs::ImportReport report;
  std::string text;
};

inline ImportedJobs import_texts(dl_cluster::jobs::Form form, const std::vector<std::string>& texts,
                                 const dl_cluster::jobs::ImportOptions& options = {}) {
  std::vector<files::RecordedFile> recorded;
  for (std::size_t i = 0; i < texts.size(); ++i)
    recorded.push_back({"F" + std::to_string(i), files::memory_source(texts[i])});
  ImportedJobs made;
  made.report = dl_cluster::jobs::import_jobs(form, std::move(recorded), options,
                                              [&](std::string_view bytes) { made.text += bytes; });
  return made;
}

}  // namespace park::test
