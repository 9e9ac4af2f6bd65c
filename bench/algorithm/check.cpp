// SPDX-License-Identifier: Apache-2.0
// Runs every variant once, with a few sizes and numbers of workers: that results are right, and the
// same of all families. Exit status 1: one is not.
#include <cstddef>
#include <iostream>
#include <map>
#include <string>

#include "harness/program.hpp"

namespace nopal_bench {
namespace {

/// The result; or nothing, after saying what is wrong.
bool run(const variant& v, const settings& how, result_value& result) {
  const auto p = v.make(how);
  p->prepare();
  p->start();
  p->run();
  result = p->result();
  if (const std::string error = p->error(); !error.empty()) {
    std::cerr << error << ": ";
    return false;
  }
  return true;
}

bool check(unsigned workers, std::uint64_t n) {
  bool is_right = true;
  std::map<std::string, result_value> results;  // of each workload, by its first variant
  for (const variant& v : registry()) {
    if (workers > 1 && !v.parallel) continue;
    result_value result;
    const bool passed = run(v, {workers, n}, result);
    const auto [first, is_first] = results.try_emplace(v.workload, result);
    if (passed && first->second == result) continue;
    is_right = false;
    std::cerr << v.workload << ' ' << v.name << " n=" << n << " workers=" << workers
              << (passed ? ": not the result of the others\n" : ": wrong\n");
  }
  return is_right;
}

}  // namespace
}  // namespace nopal_bench

int main() {
  bool is_right = true;
  for (const std::uint64_t n : {1, 65'537})
    for (const unsigned workers : {1, 2}) is_right &= nopal_bench::check(workers, n);
  return is_right ? 0 : 1;
}
