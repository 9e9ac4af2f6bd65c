// SPDX-License-Identifier: Apache-2.0
#include "algorithm/enroll.hpp"

namespace nopal_bench {

void enroll_case(const algorithm_family& family, std::string_view algorithm, std::string_view type,
                 std::initializer_list<distribution> distributions, maker make) {
  for (const distribution d : distributions) {
    std::string workload(algorithm);
    workload += '-';
    workload += type;
    workload += '-';
    workload += name_of(d);
    registry().push_back({.workload = std::move(workload),
                          .name = family.name,
                          .parallel = family.parallel,
                          .sizes = {{"smoke", 1'000}, {"quick", 10'000'000}},
                          .peer = family.peer,
                          .compiler = this_compiler,
                          .flags = family.flags,
                          .stack_bytes = [](std::uint64_t) { return std::size_t{0}; },
                          .environment_for = [](const settings&) { return environment(); },
                          .make = [d, make](const settings& s) { return make(d, s); }});
  }
}

}  // namespace nopal_bench
