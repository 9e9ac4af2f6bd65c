// SPDX-License-Identifier: Apache-2.0
// What becomes of a run in which something goes wrong with a rank: the program is given which.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "nopal/mpi.hpp"

using namespace std::chrono_literals;

namespace {

void run(std::string_view what, int& argc, char**& argv) {
  nopal::mpi::world world(argc, argv, {.patience = 4s});
  if (world.rank() == 0) std::puts("all ranks have begun"), std::fflush(stdout);
  world.barrier();
  if (world.rank() == 1) {
    if (what == "killed") std::raise(SIGKILL);
    if (what == "stopped") std::raise(SIGSTOP);
    if (what == "thrown") throw std::runtime_error("thrown in main");
    if (what == "ended") std::_Exit(3);
  }
  const auto waits = [](int) { return std::this_thread::sleep_for(100ms), 1; };
  std::printf("%d: the end\n", world.fold_range(0, 300, 0, std::plus<>(), waits));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? argv[1] : "", argc, argv);
    return 0;
  } catch (const std::exception& e) {
    std::puts(e.what());
    return 1;
  }
}
