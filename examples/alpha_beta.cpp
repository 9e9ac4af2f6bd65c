// SPDX-License-Identifier: Apache-2.0
// A game tree by alpha-beta: the first move of a position is searched alone, the others at the same
// time. A move that refutes the position stops the search of the others, wherever they are.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <nopal/nopal.hpp>
#include <stop_token>

namespace {

constexpr int moves = 6;
constexpr int infinity = 1000;

std::uint64_t after(std::uint64_t position, int move) {
  std::uint64_t x = position + 0x9e3779b97f4a7c15 * static_cast<std::uint64_t>(move + 1);
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  return x ^ x >> 27;
}
int value_of(std::uint64_t position) { return static_cast<int>(position % 199) - 99; }

int serial_search(std::uint64_t position, int depth, int alpha, int beta) {
  if (depth == 0) return value_of(position);
  for (int m = 0; m < moves && alpha < beta; ++m)
    alpha = std::max(alpha, -serial_search(after(position, m), depth - 1, -beta, -alpha));
  return alpha;
}

int search(std::uint64_t position, int depth, int alpha, int beta) {
  nopal::check_stop();
  if (depth <= 3) return serial_search(position, depth, alpha, beta);
  alpha = std::max(alpha, -search(after(position, 0), depth - 1, -beta, -alpha));
  if (alpha >= beta) return alpha;
  std::atomic<int> best = alpha;
  std::stop_source refuted;
  try {
    nopal::with_stop(refuted.get_token(), [&] {
      nopal::for_each(nopal::grain{1}, 1, moves, [&](int m) {
        const int v = -search(after(position, m), depth - 1, -beta, -best);
        int seen = best;
        while (seen < v && !best.compare_exchange_weak(seen, v)) {
        }
        if (v >= beta) refuted.request_stop();
      });
    });
  } catch (const nopal::stopped&) {
    nopal::check_stop();  // the stop was for more than this position
  }
  return best;
}

}  // namespace

int main() {
  const int expected = serial_search(1, 8, -infinity, infinity);
  const int found = search(1, 8, -infinity, infinity);
  std::printf("the best move is worth %d\n", found);
  return found == expected ? 0 : 1;
}
