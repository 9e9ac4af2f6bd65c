// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include "empty_for.hpp"

namespace nopal_bench {
namespace {

// libfork's own loop, whose grain is 1 unless said otherwise.
constexpr auto kernel = [](auto& session, empty_for_problem& p) {
  session.run(lf::for_each, p.marks.begin(), p.marks.end(),
              [](std::uint8_t& mark) { empty_body(mark); });
  p.result = true;
};

[[maybe_unused]] const bool enrolled = enroll<empty_for_problem, libfork_lazy>("lazy", kernel) &&
                                       enroll<empty_for_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
