#include <park/agents/algorithm/algorithms.h>
#include <park/envs/envs.h>

#include <iostream>

int main() {
  park::Registry registry;
  park::envs::register_all(registry);
  const auto algorithm = park::agents::make_algorithm(
      registry,
      {.env = "dag_scheduling(executors=4,jobs=2)", .algorithm = "reinforce(sequences=1)"}, 1);
  std::cout << algorithm->iterate(0, 0).decisions << " decisions\n";
}
