// SPDX-License-Identifier: Apache-2.0
#include "nopal/c/claim.h"

#include <cerrno>
#include <climits>
#include <memory>
#include <optional>
#include <utility>

#include "c/countdown.hpp"
#include "c/error.hpp"
#include "c/handles.hpp"
#include "c/structs.hpp"
#include "nopal/detail/async/detached_call.hpp"
#include "runtime/root_call.hpp"
#include "scheduler/scheduler.hpp"

using nopal::detail::c_argument;
using nopal::detail::c_call;
using nopal::detail::scheduler;

namespace {

constexpr nopal_claim_options all_that_are_free{
    sizeof(nopal_claim_options), 1, UINT_MAX, -1, -1, nullptr, 0};

std::optional<unsigned> number_or_none(int n) {
  return n == -1 ? std::nullopt : std::optional(static_cast<unsigned>(n));
}

nopal::claim_options options_of(const nopal_claim_options& o) {
  nopal::claim_options all;
  all.at_least = o.at_least;
  all.at_most = o.at_most;
  all.place.package = number_or_none(o.package);
  all.place.numa_node = number_or_none(o.numa_node);
  if (o.cpus != nullptr) all.place.cpus.assign(o.cpus, o.cpus + o.cpu_count);
  return all;
}

/// Returns what is wrong with options that C alone can get wrong, or nullptr.
const char* fault_of(const nopal_claim_options& o) noexcept {
  if (o.package < -1 || o.numa_node < -1)
    return "a package or a NUMA node is below -1; -1 is any, and they are counted from 0";
  if (o.cpus != nullptr && o.cpu_count == 0)
    return "nopal_claim_options::cpu_count is 0; cpus is NULL for workers of any CPU";
  if (o.cpus == nullptr && o.cpu_count != 0)
    return "nopal_claim_options::cpus is NULL, but cpu_count is not 0";
  return nullptr;
}

/// Calls f(s) with the scheduler of `c`, or of where the caller runs if that is NULL.
template <class F>
void with_scheduler_of(const nopal_claim* c, F&& f) {
  if (c != nullptr) return f(nopal::detail::scheduler_of(c->workers));
  scheduler& here = nopal::detail::c_scheduler_here();
  const nopal::detail::counted_call counted(here);
  f(here);
}

/// An i-let with what it signals at its end.
struct started_ilet {
  nopal_function function;
  void* argument;
  nopal_countdown* done;
  void operator()() const {
    function(argument);
    if (done != nullptr) nopal::detail::c_countdown_in(done).signal_and_end();
  }
};

struct numbered_ilet {
  nopal_numbered_function function;
  void* argument;
  unsigned number;
  nopal_countdown* done;
  void operator()() const {
    function(argument, number);
    if (done != nullptr) nopal::detail::c_countdown_in(done).signal_and_end();
  }
};

}  // namespace

int nopal_claim_options_init(nopal_claim_options* o, size_t size) {
  if (o == nullptr) return c_argument("nopal_claim_options_init", "the options are NULL");
  if (!nopal::detail::c_size_fits<nopal_claim_options>(size))
    return c_argument("nopal_claim_options_init", "the size is not sizeof(nopal_claim_options)");
  nopal_claim_options all = all_that_are_free;
  all.size = size;
  nopal::detail::c_copy_out(o, all, size);
  return 0;
}

int nopal_invade(nopal_runtime* r, const nopal_claim_options* o, nopal_claim** made) {
  if (made == nullptr) return c_argument("nopal_invade", "the place of the claim is NULL");
  if (o != nullptr && !nopal::detail::c_size_fits<nopal_claim_options>(o->size))
    return c_argument("nopal_invade",
                      "nopal_claim_options::size is wrong; call nopal_claim_options_init() first");
  const nopal_claim_options all =
      o != nullptr ? nopal::detail::c_copy_in(o, all_that_are_free) : all_that_are_free;
  if (const char* fault = fault_of(all)) return c_argument("nopal_invade", fault);
  const auto invade = [&](scheduler& s) {
    auto claim = std::make_unique<nopal_claim>(
        nopal_claim{nopal::detail::claim_workers_of(s, options_of(all))});
    nopal::detail::scheduler_of(claim->workers).known_as = claim.get();
    *made = claim.release();
  };
  return c_call([&] {
    if (r != nullptr)
      invade(nopal::detail::scheduler_of(r->workers));
    else
      with_scheduler_of(nullptr, invade);
  });
}

int nopal_invade_more(nopal_claim* c, unsigned n) {
  if (c == nullptr) return c_argument("nopal_invade_more", "the claim is NULL");
  return c_call([&] { c->workers.grow(n); });
}

int nopal_retreat_from(nopal_claim* c, unsigned n) {
  if (c == nullptr) return c_argument("nopal_retreat_from", "the claim is NULL");
  return c_call([&] { c->workers.shrink(n); });
}

int nopal_retreat(nopal_claim* c) {
  if (c == nullptr) return c_argument("nopal_retreat", "the claim is NULL");
  if (nopal::detail::this_worker() != nullptr &&
      nopal::detail::this_scheduler_worker().belongs_to == &nopal::detail::scheduler_of(c->workers))
    return nopal::detail::c_error(EDEADLK,
                                  "nopal: nopal_retreat: a worker of the claim calls it, and would "
                                  "wait for itself; call it outside of the claim");
  delete c;
  return 0;
}

nopal_claim* nopal_current_claim(void) {
  if (nopal::detail::this_worker() == nullptr) return nullptr;
  return static_cast<nopal_claim*>(nopal::detail::this_scheduler_worker().belongs_to->known_as);
}

int nopal_claim_workers(const nopal_claim* c, unsigned* n) {
  if (c == nullptr || n == nullptr)
    return c_argument("nopal_claim_workers", "the claim or the place of the number is NULL");
  return c_call([&] { *n = c->workers.workers(); });
}

int nopal_claim_run(nopal_claim* c, nopal_function f, void* argument) {
  if (c == nullptr || f == nullptr)
    return c_argument("nopal_claim_run", "the claim or the function is NULL");
  return nopal::detail::c_call_through([&](auto&& call) { c->workers.run(call); },
                                       [&] { f(argument); });
}

int nopal_start(nopal_claim* c, nopal_function f, void* argument, nopal_countdown* done) {
  if (f == nullptr) return c_argument("nopal_start", "the function is NULL");
  return c_call([&] {
    with_scheduler_of(c, [&](scheduler& s) {
      nopal::detail::spawn_detached(s, started_ilet{f, argument, done});
    });
  });
}

int nopal_infect(nopal_claim* c, const nopal_ilet* team, unsigned n, nopal_countdown* done) {
  if (n != 0 && team == nullptr) return c_argument("nopal_infect", "the team is NULL");
  for (unsigned i = 0; i < n; ++i)
    if (team[i].function == nullptr) return c_argument("nopal_infect", "a function is NULL");
  return c_call([&] {
    with_scheduler_of(c, [&](scheduler& s) {
      nopal::detail::spawn_team(s, n, [&](unsigned i) {
        return nopal::detail::keep_call(started_ilet{team[i].function, team[i].argument, done});
      });
    });
  });
}

int nopal_infect_with(nopal_claim* c, unsigned n, nopal_numbered_function f, void* argument,
                      nopal_countdown* done) {
  if (f == nullptr) return c_argument("nopal_infect_with", "the function is NULL");
  return c_call([&] {
    with_scheduler_of(c, [&](scheduler& s) {
      nopal::detail::spawn_team(s, n, [&](unsigned i) {
        return nopal::detail::keep_call(numbered_ilet{f, argument, i, done});
      });
    });
  });
}

int nopal_claim_statistics(const nopal_claim* c, nopal_statistics* s, size_t size) {
  if (c == nullptr || s == nullptr)
    return c_argument("nopal_claim_statistics", "the claim or the place of the counts is NULL");
  if (!nopal::detail::c_size_fits<nopal_statistics>(size))
    return c_argument("nopal_claim_statistics", "the size is not sizeof(nopal_statistics)");
  return c_call([&] { nopal::detail::c_statistics(c->workers.stats(), s, size); });
}
