// SPDX-License-Identifier: Apache-2.0
#include <cilk/cilk.h>
#include <cilk/cilk_api.h>
#include <cilk/opadd_reducer.h>

#include <iostream>
#include <memory>
#include <vector>

struct tree {
  std::unique_ptr<tree> left, right;
  explicit tree(int depth) {
    if (depth == 0) return;
    cilk_spawn grow(left, depth - 1);
    grow(right, depth - 1);
  }
  static void grow(std::unique_ptr<tree>& to, int depth) { to = std::make_unique<tree>(depth); }
  [[nodiscard]] long nodes() const {
    if (left == nullptr) return 1;
    long l = cilk_spawn left->nodes();
    long r = right->nodes();
    cilk_sync;
    return l + r + 1;
  }
};

int main() {
  std::vector<long> v(10000, 1);
  cilk::opadd_reducer<long> sum = 0;
  cilk_for (std::size_t i = 0; i < v.size(); ++i) sum += v[i];
  const long nodes = tree(10).nodes();
  std::cout << nodes << ' ' << sum << ' ' << __cilkrts_get_nworkers() << '\n';
  return nodes == 2047 && sum == 10000 && __cilkrts_running_on_workers() == 0 ? 0 : 1;
}
