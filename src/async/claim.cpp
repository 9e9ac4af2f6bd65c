// SPDX-License-Identifier: Apache-2.0
#include "nopal/async/claim.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "platform/topology.hpp"
#include "runtime/owned_scheduler.hpp"
#include "runtime/root_call.hpp"
#include "scheduler/claims/claims.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal {

// Every function that takes the lock of claims is refused in a child of fork(2): a thread of the
// parent may have the lock there for ever.

namespace detail {
namespace {

std::string listed(const std::vector<unsigned>& numbers) {
  std::string text;
  for (const unsigned n : numbers) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return text;
}

/// Looks whether a worker is at the place that an option asks for. Otherwise throws what says where
/// workers are.
void require_known(const char* option, unsigned asked, std::vector<unsigned> known) {
  if (std::ranges::find(known, asked) != known.end()) return;
  std::ranges::sort(known);
  const auto [first, last] = std::ranges::unique(known);
  known.erase(first, last);
  throw std::invalid_argument(std::string("nopal: claim_place::") + option + " has " +
                              std::to_string(asked) + ", where no worker of the runtime is; " +
                              "they are at " + listed(known));
}

/// Keeps those workers whose number in `of_worker` is the one that is asked for.
void keep(std::vector<bool>& may, const char* option, unsigned asked,
          const std::vector<unsigned>& of_worker) {
  require_known(option, asked, of_worker);
  for (std::size_t i = 0; i < may.size(); ++i) may[i] = may[i] && of_worker[i] == asked;
}

/// Returns which workers of the runtime may be in a claim of this place; nothing if all may.
/// \throws std::invalid_argument if a package, a node or a CPU is named where no worker is.
std::vector<bool> workers_at(const scheduler& runtime, const claim_place& place) {
  if (place.is_anywhere()) return {};
  std::vector<bool> may(runtime.workers(), true);
  std::vector<unsigned> cpus(runtime.workers());
  for (unsigned i = 0; i < runtime.workers(); ++i) cpus[i] = runtime.cpu_of(i);
  for (const unsigned cpu : place.cpus) require_known("cpus", cpu, cpus);
  if (!place.cpus.empty())
    for (std::size_t i = 0; i < may.size(); ++i)
      may[i] = std::ranges::find(place.cpus, cpus[i]) != place.cpus.end();
  if (!place.package.has_value() && !place.numa_node.has_value()) return may;
  // The runtime may have been made without asking hwloc.
  const topology machine(runtime.synthetic_topology(), 0);
  std::vector<unsigned> packages(may.size());
  std::vector<unsigned> nodes(may.size());
  for (std::size_t i = 0; i < may.size(); ++i)
    for (const topology::place& p : machine.places())
      if (p.cpu == cpus[i]) {
        packages[i] = p.package;
        nodes[i] = p.numa_node;
      }
  if (place.package.has_value()) keep(may, "package", *place.package, packages);
  if (place.numa_node.has_value()) keep(may, "numa_node", *place.numa_node, nodes);
  return may;
}

}  // namespace

nopal::claim claim_workers_of(scheduler& s, const claim_options& o) {
  scheduler& mine = s.lent()->runtime();
  refuse_in_child_of_fork(mine);
  if (o.at_least == 0 || o.at_most < o.at_least)
    throw std::invalid_argument("nopal: claim_options::at_least is " + std::to_string(o.at_least) +
                                " and at_most " + std::to_string(o.at_most) +
                                "; at_least must be 1 or more, and at_most not below it");
  if (this_worker() != nullptr) {
    const scheduler& here = *this_scheduler_worker().belongs_to;
    if (&here != &mine && here.lent() == mine.lent())
      throw std::logic_error(
          "nopal: a strand in a claim claims workers of the same runtime; claims are not nested. "
          "Let this claim grow, or claim outside of it");
  }
  std::vector<bool> place = workers_at(mine, o.place);
  auto workers = std::make_unique<owned_scheduler>(mine.lent());
  mine.lent()->open(*workers, o.at_least, o.at_most, std::move(place));
  return nopal::claim(std::move(workers));
}

}  // namespace detail

nopal::claim runtime::claim(const claim_options& o) {
  return detail::claim_workers_of(detail::scheduler_of(*this), o);
}

claim::claim(std::unique_ptr<detail::owned_scheduler> s) noexcept : scheduler_(std::move(s)) {}
claim::claim(claim&&) noexcept = default;
claim& claim::operator=(claim&&) noexcept = default;
claim::~claim() = default;

detail::scheduler& detail::scheduler_of(const claim& c) {
  if (c.scheduler_ == nullptr)
    throw std::logic_error(
        "nopal: a nopal::claim that has been moved from is used; it has no workers. Use the claim "
        "that it was moved to, or assign another one to it first");
  return *c.scheduler_;
}

unsigned claim::workers() const {
  const detail::scheduler& s = detail::scheduler_of(*this);
  detail::refuse_in_child_of_fork(s);
  return s.lent()->wanted(s);
}
statistics claim::stats() const { return detail::scheduler_of(*this).stats(); }

void claim::grow(unsigned n) {
  detail::scheduler& s = detail::scheduler_of(*this);
  detail::refuse_in_child_of_fork(s);
  s.lent()->grow(s, n);
}

void claim::shrink(unsigned n) {
  detail::scheduler& s = detail::scheduler_of(*this);
  detail::refuse_in_child_of_fork(s);
  s.lent()->shrink(s, n);
}

void claim::run_erased(void (*call)(void*), void* argument) {
  detail::run_on_or_here(detail::scheduler_of(*this), call, argument);
}

}  // namespace nopal
