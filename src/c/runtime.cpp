// SPDX-License-Identifier: Apache-2.0
#include "nopal/c/runtime.h"

#include <array>
#include <bit>
#include <cerrno>
#include <memory>

#include "c/error.hpp"
#include "c/handles.hpp"
#include "c/structs.hpp"
#include "nopal/async/current_worker.hpp"
#include "nopal/stop.hpp"
#include "runtime/root_call.hpp"
#include "scheduler/claims/claims.hpp"
#include "scheduler/scheduler.hpp"

using nopal::detail::c_argument;
using nopal::detail::c_call;

namespace {

using all_counts = std::array<std::uint64_t, sizeof(nopal_counts) / sizeof(std::uint64_t)>;
static_assert(sizeof(nopal_counts) == sizeof(nopal::counts),
              "a count of nopal/statistics.hpp is missing in nopal/c/runtime.h, or has another "
              "place there");

nopal_counts c_counts(const nopal::counts& c) noexcept {
  return std::bit_cast<nopal_counts>(std::bit_cast<all_counts>(c));
}

static_assert(static_cast<int>(nopal::idle_policy::busy) == NOPAL_IDLE_BUSY &&
              static_cast<int>(nopal::reclaim_policy::free) == NOPAL_RECLAIM_FREE &&
              static_cast<int>(nopal::reclaim_policy::dontneed) == NOPAL_RECLAIM_DONTNEED &&
              static_cast<int>(nopal::reclaim_policy::adaptive) == NOPAL_RECLAIM_ADAPTIVE);

/// Returns what C makes of `from`.
nopal_options c_options(const nopal::options& from) noexcept {
  nopal_options all{};
  all.size = sizeof all;
  all.stack_bytes = from.stack_bytes;
  all.seed = from.seed;
  all.workers = from.workers;
  all.idle = static_cast<int>(from.idle);
  all.reclaim = static_cast<int>(from.reclaim);
  all.pin = from.pin;
  all.caller_works = from.caller_works;
  return all;
}

nopal::options options_of(const nopal_options& o) {
  nopal::options all;
  all.workers = o.workers;
  all.pin = o.pin;
  all.idle = static_cast<nopal::idle_policy>(o.idle);
  all.stack_bytes = o.stack_bytes;
  all.reclaim = static_cast<nopal::reclaim_policy>(o.reclaim);
  all.seed = o.seed;
  all.caller_works = o.caller_works;
  return all;
}

/// Returns what is wrong with options that C alone can get wrong, or nullptr.
const char* fault_of(const nopal_options& o) noexcept {
  if (o.idle != NOPAL_IDLE_LAZY && o.idle != NOPAL_IDLE_BUSY)
    return "nopal_options::idle is neither NOPAL_IDLE_LAZY nor NOPAL_IDLE_BUSY";
  if (o.reclaim < NOPAL_RECLAIM_NONE || o.reclaim > NOPAL_RECLAIM_ADAPTIVE)
    return "nopal_options::reclaim is none of NOPAL_RECLAIM_NONE to NOPAL_RECLAIM_ADAPTIVE";
  if (o.unused[0] != 0 || o.unused[1] != 0)
    return "nopal_options::unused is not 0; call nopal_options_init(&o, sizeof o) first";
  return nullptr;
}

}  // namespace

namespace nopal::detail {

int c_statistics(const statistics& from, nopal_statistics* to, std::size_t size) noexcept {
  nopal_statistics all{};
  all.total = c_counts(from.total);
  all.stacks_in_use = from.stacks_in_use;
  all.peak_stacks_in_use = from.peak_stacks_in_use;
  all.unpinned = from.unpinned;
  all.asymmetric_fences = from.asymmetric_fences;
  c_copy_out(to, all, size);
  return 0;
}

scheduler& c_scheduler_here() { return entered_scheduler(nullptr); }

}  // namespace nopal::detail

int nopal_options_init(nopal_options* o, size_t size) {
  if (o == nullptr) return c_argument("nopal_options_init", "the options are NULL");
  if (!nopal::detail::c_size_fits<nopal_options>(size))
    return c_argument("nopal_options_init", "the size is not sizeof(nopal_options)");
  return c_call([&] {
    nopal_options all = c_options(nopal::options::from_environment());
    all.size = size;
    nopal::detail::c_copy_out(o, all, size);
  });
}

int nopal_runtime_create(const nopal_options* o, nopal_runtime** made) {
  if (made == nullptr)
    return c_argument("nopal_runtime_create", "the place of the runtime is NULL");
  if (o == nullptr) return c_call([&] { *made = new nopal_runtime{nopal::runtime()}; });
  if (!nopal::detail::c_size_fits<nopal_options>(o->size))
    return c_argument("nopal_runtime_create",
                      "nopal_options::size is wrong; call nopal_options_init(&o, sizeof o) first");
  const nopal_options all = nopal::detail::c_copy_in(o, c_options({}));
  if (const char* fault = fault_of(all)) return c_argument("nopal_runtime_create", fault);
  return c_call([&] { *made = new nopal_runtime{nopal::runtime(options_of(all))}; });
}

int nopal_runtime_destroy(nopal_runtime* r) {
  if (r == nullptr) return c_argument("nopal_runtime_destroy", "the runtime is NULL");
  if (r->workers.is_current())
    return nopal::detail::c_error(EDEADLK,
                                  "nopal: nopal_runtime_destroy: one of the runtime's own workers "
                                  "calls it, and would wait for itself; call it outside");
  const nopal::detail::scheduler& s = nopal::detail::scheduler_of(r->workers);
  // In a child of fork(2) a thread of the parent may have the lock for ever, and nothing waits.
  if (s.belongs_to_this_process() && s.lent()->any())
    return nopal::detail::c_error(EBUSY,
                                  "nopal: nopal_runtime_destroy: a claim of the runtime lives; "
                                  "call nopal_retreat() for it first");
  delete r;
  return 0;
}

int nopal_run(nopal_runtime* r, nopal_function f, void* argument) {
  if (f == nullptr) return c_argument("nopal_run", "the function is NULL");
  const auto run = [&](auto&& call) {
    if (r != nullptr)
      r->workers.run(call);
    else
      nopal::run(call);
  };
  return nopal::detail::c_call_through(run, [&] { f(argument); });
}

int nopal_workers(const nopal_runtime* r, unsigned* n) {
  if (n == nullptr) return c_argument("nopal_workers", "the place of the number is NULL");
  return c_call([&] { *n = r != nullptr ? r->workers.workers() : nopal::workers(); });
}

int nopal_current_worker(unsigned* index) {
  if (index == nullptr) return c_argument("nopal_current_worker", "the place of the index is NULL");
  const std::optional<unsigned> here = nopal::current_worker();
  if (!here.has_value())
    return nopal::detail::c_error(ESRCH, "nopal: nopal_current_worker: the caller is no worker");
  *index = *here;
  return 0;
}

int nopal_runtime_statistics(const nopal_runtime* r, nopal_statistics* s, size_t size) {
  if (r == nullptr || s == nullptr)
    return c_argument("nopal_runtime_statistics", "the runtime or the place of the counts is NULL");
  if (!nopal::detail::c_size_fits<nopal_statistics>(size))
    return c_argument("nopal_runtime_statistics", "the size is not sizeof(nopal_statistics)");
  return c_call([&] { nopal::detail::c_statistics(r->workers.stats(), s, size); });
}

int nopal_worker_counts(const nopal_runtime* r, unsigned index, nopal_counts* c, size_t size) {
  if (r == nullptr || c == nullptr)
    return c_argument("nopal_worker_counts", "the runtime or the place of the counts is NULL");
  if (!nopal::detail::c_size_fits<nopal_counts>(size))
    return c_argument("nopal_worker_counts", "the size is not sizeof(nopal_counts)");
  if (index >= r->workers.workers())
    return c_argument("nopal_worker_counts",
                      "there is no worker of this index; nopal_workers() says how many there are");
  return c_call(
      [&] { nopal::detail::c_copy_out(c, c_counts(r->workers.stats().per_worker[index]), size); });
}

bool nopal_stop_requested(void) { return nopal::stop_requested(); }
