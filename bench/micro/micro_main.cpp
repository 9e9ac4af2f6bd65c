// SPDX-License-Identifier: Apache-2.0
#include "micro_main.hpp"

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "harness/machine.hpp"
#include "harness/measure.hpp"
#include "harness/sessions/nopal.hpp"

namespace nopal_bench {

int micro_main(int argc, char** argv, const micro& m) {
  CLI::App app(m.what + " Prints one line of JSON.");
  unsigned workers = m.workers;
  std::string idle = m.idle == nopal::idle_policy::lazy ? "lazy" : "busy";
  double parameter = m.parameter_default;
  app.add_option("--workers", workers, "number of workers")
      ->check(CLI::Range(1U, 1024U))
      ->capture_default_str();
  app.add_option("--idle", idle, "what idle workers do")
      ->check(CLI::IsMember({"lazy", "busy"}))
      ->capture_default_str();
  app.add_option("--" + m.parameter, parameter, m.parameter_meaning)
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    auto options = nopal_options(workers);
    options.idle = idle == "lazy" ? nopal::idle_policy::lazy : nopal::idle_policy::busy;
    nlohmann::json record = m.measure(options, parameter);
    record["measurement"] = m.name;
    record["workers"] = workers;
    record["peer"] = to_json(nopal_peer());
    record["build"] = {{"compiler", this_compiler}, {"flags", NOPAL_BENCH_FLAGS}};
    record["machine"] = describe_machine();
    std::cout << record << std::endl;
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "FAILED: " << m.name << ": " << e.what() << '\n';
    return 1;
  }
}

}  // namespace nopal_bench
