// SPDX-License-Identifier: Apache-2.0
// Operations that are saved: given a file, and a rank that is to be killed after so many
// milliseconds (-1: none), this makes three of them and says how many units of work were run in
// this run. They are right if each unit has counted once, over all runs.
//   mpiexec -n 3 mpi_saving FILE RANK MILLISECONDS

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nopal/mpi.hpp"
#include "nopal/nopal.hpp"

using namespace std::chrono_literals;

namespace {

constexpr int numbers = 1 << 11;
std::atomic<int> units{0};

void run_unit() {
  std::this_thread::sleep_for(200us);
  units.fetch_add(1, std::memory_order_relaxed);
}

int units_run() { return units.load(std::memory_order_relaxed); }

/// The numbers from `from` to `to`, divided unevenly.
struct span {
  int from;
  int to;
};

std::string text_of(int i) { return std::to_string(i) + ' '; }

/// All numbers in order, so that one that is lost or comes twice shows.
std::string in_order(nopal::mpi::world& world) {
  return world.fold_tree(
      span{0, numbers},
      [](const span& s, const auto& emit) -> std::string {
        if (s.to - s.from == 1) {
          run_unit();
          return text_of(s.from);
        }
        for (int at = s.from; at < s.to;) {
          const int next = at + (s.to - at + 2) / 3;
          emit(span{at, next});
          at = next;
        }
        return {};
      },
      std::plus<>());
}

/// The sum of numbers whose order matters.
double sum(nopal::mpi::world& world) {
  return world.fold_range(0, numbers, 0.0, std::plus<>(),
                          [](int i) { return run_unit(), 1.0 / (i + 1); });
}

std::vector<std::string> mapped(nopal::mpi::world& world) {
  std::vector<int> inputs;
  for (int i = 0; i < numbers; ++i) inputs.push_back(i);
  return world.map(inputs, [](int i) { return run_unit(), text_of(i); });
}

bool is_right(nopal::mpi::world& world) {
  std::string texts;
  for (int i = 0; i < numbers; ++i) texts += text_of(i);
  bool right = in_order(world) == texts;
  right &= sum(world) ==
           nopal::fold(0, numbers, 0.0, std::plus<>(), [](int i) { return 1.0 / (i + 1); });
  std::string joined;
  for (const std::string& s : mapped(world)) joined += s;
  return right && (world.rank() != 0 || joined == texts);
}

int run(int argc, char** argv) {
  nopal::mpi::world world(argc, argv);
  if (argc != 4) return std::fputs("arguments: FILE RANK MILLISECONDS\n", stderr), 2;
  world.save_every(10ms, argv[1]);
  if (world.rank() == std::atoi(argv[2]))
    std::thread([after = std::atoi(argv[3])] {
      std::this_thread::sleep_for(std::chrono::milliseconds(after));
      std::raise(SIGKILL);
    }).detach();
  const bool right = is_right(world);
  if (world.rank() == 0) {
    int all = 0;
    for (int r = 0; r < world.size(); ++r)
      all += world.run_on(r, nopal::mpi::function<&units_run>).get();
    std::printf("%s, %d units\n", right ? "right" : "wrong", all);
  }
  world.barrier();
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
