// SPDX-License-Identifier: Apache-2.0
// Random operations of a world, one after the other, on ranks that are late at times. All ranks
// draw the same numbers, so each knows what an operation is to give: its result, or a failure that
// was planted. If the seed is odd, the work is saved: every 2 ms, so that all ranks pause all the
// time, or never.
//   mpiexec -n 6 mpi_random SEED OPERATIONS
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "nopal/mpi.hpp"
#include "nopal/nopal.hpp"
#include "support/seed.hpp"

namespace {

using nopal_test::random_numbers;
using namespace std::chrono_literals;

constexpr unsigned seconds_of_operation = 10;

/// How many nodes this rank has run, of operations that do not fail.
std::atomic<std::uint64_t> runs{0};
std::uint64_t runs_here() { return runs; }

/// What an operation has to do: a tree whose nodes depend on its seed, one of which may throw.
struct planned {
  std::uint64_t seed;
  int generations;
  std::uint64_t thrower;  ///< The number of the node that throws; 0: none.
  bool throws = false;    ///< Whether it has such a node.
};

struct numbered {
  std::uint64_t number = 1;
  int generation = 0;
};

random_numbers numbers_of(const planned& p, std::uint64_t node) {
  return random_numbers(p.seed ^ (node * 0x9E3779B97F4A7C15U));
}

template <class Emit>
void emit_children(const planned& p, const numbered& n, const Emit& emit) {
  if (n.generation == p.generations) return;
  const unsigned children = numbers_of(p, n.number).below(5);
  for (unsigned i = 0; i < children; ++i) emit(numbered{5 * n.number + i, n.generation + 1});
}

std::string text_of(std::uint64_t number) { return std::to_string(number) + ' '; }

/// Takes some time, and throws if that was planned.
std::string run_node(const planned& p, std::uint64_t number) {
  random_numbers draw(p.seed + number);
  if (draw.one_in(4)) std::this_thread::sleep_for(std::chrono::microseconds(draw.below(300)));
  if (number == p.thrower) throw std::range_error("planted");
  if (!p.throws) runs.fetch_add(1, std::memory_order_relaxed);
  return text_of(number);
}

/// What fold_tree returns, by a loop.
std::string expected_tree(const planned& p, const numbered& n) {
  std::string all = text_of(n.number);
  emit_children(p, n, [&](const numbered& c) { all += expected_tree(p, c); });
  return all;
}

[[noreturn]] void fail(int operation, std::string_view what) {
  std::printf("wrong: operation %d %.*s\n", operation, static_cast<int>(what.size()), what.data());
  std::fflush(stdout);
  std::_Exit(1);
}

/// Makes an operation, which gives `expected`, or throws what was planted.
/// \returns how many nodes all ranks run, if it does not fail.
template <class F>
std::uint64_t check(int operation, planned p, const std::string& expected, const F& make) {
  p.throws = p.thrower != 0 && (' ' + expected).find(' ' + text_of(p.thrower)) != std::string::npos;
  alarm(seconds_of_operation);
  try {
    if (make(p) != expected) fail(operation, "has another result");
    if (p.throws) fail(operation, "has thrown nothing");
  } catch (const std::runtime_error& e) {
    if (!p.throws || std::string_view(e.what()).find("planted") == std::string_view::npos)
      fail(operation, e.what());
  }
  return p.throws ? 0 : static_cast<std::uint64_t>(std::ranges::count(expected, ' '));
}

std::uint64_t make_tree(nopal::mpi::world& world, int operation, const planned& plan) {
  return check(operation, plan, expected_tree(plan, {}), [&world](const planned& p) {
    return world.fold_tree(
        numbered{},
        [&p](const numbered& n, const auto& emit) {
          emit_children(p, n, emit);
          return run_node(p, n.number);
        },
        std::plus<>());
  });
}

std::uint64_t make_range(nopal::mpi::world& world, int operation, const planned& plan) {
  const std::uint64_t n = plan.seed % 400;
  std::string all;
  for (std::uint64_t i = 1; i <= n; ++i) all += text_of(i);
  return check(operation, plan, all, [&world, n](const planned& p) {
    return world.fold_range(std::uint64_t{1}, n + 1, std::string(), std::plus<>(),
                            [&p](std::uint64_t i) { return run_node(p, i); });
  });
}

std::uint64_t make_map(nopal::mpi::world& world, int operation, const planned& plan) {
  std::vector<std::string> inputs;
  std::string all;
  for (std::uint64_t i = 1; i <= plan.seed % 400; ++i) {
    inputs.push_back(std::to_string(i));
    all += text_of(i);
  }
  return check(operation, plan, all, [&](const planned& p) {
    std::string got;
    for (const std::string& s :
         world.map(inputs, [&p](const std::string& i) { return run_node(p, std::stoull(i)); }))
      got += s;
    return world.rank() == 0 ? got : all;
  });
}

/// Ends the run if more nodes, or fewer, have been run than there are.
void count_runs(nopal::mpi::world& world, std::uint64_t nodes) {
  world.barrier();
  if (world.rank() == 0) {
    std::uint64_t all = 0;
    for (int r = 0; r < world.size(); ++r)
      all += world.run_on(r, nopal::mpi::function<&runs_here>).get();
    if (all != nodes) fail(0, "has nodes that were run twice, or never");
  }
  world.barrier();
}

void make_all(nopal::mpi::world& world, std::uint64_t seed, int operations) {
  random_numbers draw(seed);
  std::uint64_t nodes = 0;
  for (int i = 1; i <= operations; ++i) {
    planned p{draw.next(), 2 + static_cast<int>(draw.below(4)), 0};
    if (draw.one_in(4)) p.thrower = 1 + draw.below(200);
    if (draw.one_in(3))
      std::this_thread::sleep_for(std::chrono::microseconds(
          numbers_of(p, static_cast<std::uint64_t>(world.rank())).below(2000)));
    const unsigned which = draw.below(4);
    nodes += which == 0   ? make_range(world, i, p)
             : which == 1 ? make_map(world, i, p)
                          : make_tree(world, i, p);
  }
  count_runs(world, nodes);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("arguments: SEED OPERATIONS\n", stderr), 2;
  signal(SIGALRM, [](int) {
    static constexpr std::string_view text = "wrong: no end\n";
    std::_Exit(static_cast<int>(write(STDOUT_FILENO, text.data(), text.size()) > 0));
  });
  const std::uint64_t seed = std::strtoull(argv[1], nullptr, 0);
  const auto file =
      std::filesystem::temp_directory_path() / ("nopal_mpi_random_" + std::to_string(getpid()));
  try {
    nopal::mpi::world world(argc, argv);
    if (seed % 2 != 0)
      world.save_every(seed % 4 == 1 ? 2ms : std::chrono::milliseconds::max(), file);
    make_all(world, seed, std::atoi(argv[2]));
  } catch (const std::exception& e) {
    fail(0, e.what());
  }
  std::filesystem::remove(file);  // it is left where an operation has failed
  return 0;
}
