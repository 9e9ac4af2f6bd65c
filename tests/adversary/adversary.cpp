// SPDX-License-Identifier: Apache-2.0
#include "adversary.hpp"

#include <unistd.h>

#include <array>
#include <cfenv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "nopal/detail/strand/strand_words.hpp"
#include "platform/subscription.hpp"
#include "poison.hpp"
#include "runtime/owned_scheduler.hpp"
#include "scheduler/scheduler_worker.hpp"
#include "support/all_events.hpp"

#if NOPAL_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace nopal_test {
namespace {

using namespace nopal::detail;

class random_bits {
 public:
  explicit random_bits(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  unsigned below(unsigned n) { return static_cast<unsigned>((*this)() >> 32) % n; }
  bool with(double probability) {
    return static_cast<double>((*this)() >> 11) * 0x1p-53 < probability;
  }

 private:
  std::uint64_t state_;
};

constexpr std::size_t scheduler_stack_bytes = std::size_t{256} << 10;
constexpr std::size_t task_stack_bytes = std::size_t{NOPAL_ASAN || NOPAL_TSAN ? 8 : 1} << 20;

/// Memory for the scheduler stacks, the same in every run: mapping them anew would take longer than
/// most runs.
std::byte* scheduler_stack(unsigned i) {
  static std::vector<std::unique_ptr<std::byte[]>> all;
  while (all.size() <= i) all.push_back(std::make_unique<std::byte[]>(scheduler_stack_bytes));
#if NOPAL_ASAN
  // An earlier run may have left poison there.
  __asan_unpoison_memory_region(all[i].get(), scheduler_stack_bytes);
#endif
  return all[i].get();
}

/// A place where the thread can be: one for each worker, and one for whoever called
/// run_disturbed().
struct place {
  scheduler_worker* worker = nullptr;  ///< nullptr for the caller.
  context here;                        ///< Where it stands while the thread is elsewhere.
  /// The state of the thread that it would have, as are the words.
  strand_state state = strand_state::of_caller();
  nopal_strand_words words_of_strand = nopal_words_of_strand;
  std::string_view at;  ///< The last event there.
  bool started = false;
  bool ended = false;
  fiber own;  ///< The caller's stack, for the sanitizers. A worker's is its scheduler's or its
              ///< current stack.
#if NOPAL_ASAN
  void* fake_stack = nullptr;
#endif

  fiber& stack_under_it() {
    if (worker == nullptr) return own;
    return worker->current != nullptr ? worker->current->sanitizer_fiber : worker->scheduler_fiber;
  }
};

class run_under_way {
 public:
  run_under_way(const disturbance& d, const char* what, void (*call)(void*), void* argument);
  ~run_under_way();
  run_under_way(const run_under_way&) = delete;
  run_under_way& operator=(const run_under_way&) = delete;

  outcome play();
  template <class E>
  typename E::answer happens();
  template <class E>
  void disturb();
  void print_state() const;

  bool is_undisturbed = false;

 private:
  struct root : continuation {
    root(run_under_way* r, void (*c)(void*), void* a)
        : continuation(run_root), run(r), call(c), argument(a) {}

    run_under_way* run;
    void (*call)(void*);
    void* argument;
    strand_views* views = nullptr;  ///< The caller's, as those of a call from outside.
  };

  static void run_root(continuation& c, worker& w) noexcept;
  static void root_strand(void* self);
  static suspension* announce_root(void* self) noexcept;
  static void worker_main(void* place);

  void nothing_found();
  void go_to(place& next);
  place& another();
  void fail_of_hang();

  disturbance how_;
  const char* what_;
  random_bits random_;
  owned_scheduler scheduler_;
  root root_;
  place caller_;
  std::vector<place> places_;
  place* now_ = &caller_;
  bool root_ended_ = false;
  bool closing_ = false;
  unsigned eager_ = 0;  ///< Rounds of search that the thief just chosen still has.
  std::uint64_t rounds_without_work_ = 0;
};

run_under_way* under_way = nullptr;

struct meddler {
  template <class E>
  typename E::answer operator()(const E& /*event*/) const {
    return under_way != nullptr ? under_way->happens<E>() : typename E::answer();
  }
};

// --- what a failure prints -------------------------------------------------------------------

void on_signal(int signal) {
  std::fprintf(stderr, "\n%s\n",
               signal == SIGALRM ? "The watchdog has run out." : strsignal(signal));
  if (under_way != nullptr) under_way->print_state();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  _exit(1);
}

void install_handlers() {
  static const bool installed = [] {
    static std::array<std::byte, std::size_t{64} << 10> memory;
    stack_t own{};
    own.ss_sp = memory.data();
    own.ss_size = memory.size();
    sigaltstack(&own, nullptr);
    struct sigaction action{};
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (const int s : {SIGALRM, SIGABRT}) sigaction(s, &action, nullptr);
#if NOPAL_ASAN || NOPAL_TSAN
    __sanitizer_set_death_callback([] {
      if (under_way != nullptr) under_way->print_state();
    });
#else
    for (const int s : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP}) sigaction(s, &action, nullptr);
#endif
    return true;
  }();
  static_cast<void>(installed);
}

void run_under_way::print_state() const {
  std::fprintf(stderr, "In '%s', %s.\n", what_, how_.text().c_str());
  for (const place& p : places_)
    std::fprintf(
        stderr, "  worker %u%s: %s%.*s, %s, deque %s\n", p.worker->index,
        &p == now_ ? " (running)" : "",
        !p.started ? "not started"
        : p.ended  ? "ended"
                   : "at ",
        p.ended ? 0 : static_cast<int>(p.at.size()), p.at.data(),
        p.worker->current != nullptr ? "on the stack of a strand" : "on its scheduler stack",
        p.worker->deque.looks_empty() ? "empty" : "not empty");
  std::fprintf(stderr, "  the root call has %s\n", root_ended_ ? "ended" : "not ended");
}

void run_under_way::fail_of_hang() {
  std::fprintf(stderr,
               "All workers search, and there is nothing to be found: an arrival was lost.\n");
  std::abort();
}

// --- the run ---------------------------------------------------------------------------------

nopal::options options_of(const disturbance& d) {
  nopal::options o;
  o.workers = d.workers;
  o.pin = false;
  o.stack_bytes = task_stack_bytes;
  o.reclaim = d.reclaim;
  o.seed = d.seed | 1;
  return o;
}

machine machine_of(const disturbance& d) {
  machine m;
  m.synthetic_topology = "pu:" + std::to_string(d.workers);
  m.membarrier = false;
  m.stack_limit = d.stacks;
  m.threads = false;
  return m;
}

run_under_way::run_under_way(const disturbance& d, const char* what, void (*call)(void*),
                             void* argument)
    : how_(d),
      what_(what),
      random_(d.seed * 2 + 1),
      scheduler_(options_of(d), machine_of(d)),
      root_(this, call, argument),
      places_(d.workers) {
  caller_.started = true;
  adopt_fiber(caller_.own);
  for (unsigned i = 0; i < d.workers; ++i) {
    places_[i].worker = &scheduler_.worker_at(i);
    fiber& f = places_[i].worker->scheduler_fiber;
    f.low = scheduler_stack(i);
    f.bytes = scheduler_stack_bytes;
    create_fiber(f);
  }
}

run_under_way::~run_under_way() {
  for (place& p : places_) destroy_fiber(p.worker->scheduler_fiber);
  resign_worker();
}

void run_under_way::run_root(continuation& c, worker& w) noexcept {
  strand_state begin{};
  begin.views = static_cast<root&>(c).views;
  begin.fp = current_fp_control();
  start_strand(w, {root_strand, &static_cast<root&>(c), begin});
}

void run_under_way::root_strand(void* self) {
  auto& r = *static_cast<root*>(self);
  r.call(r.argument);
  r.views = take_views_of_strand();
  end_strand({announce_root, &r, nullptr});
}

suspension* run_under_way::announce_root(void* self) noexcept {
  static_cast<root*>(self)->run->root_ended_ = true;
  return nullptr;
}

void run_under_way::worker_main(void* argument) {
  auto& self = *static_cast<place*>(argument);
  run_under_way& run = *under_way;
  after_switch(self.worker->scheduler_fiber, true);
  std::fesetenv(FE_DFL_ENV);
  run.scheduler_.run_worker(*self.worker);
  self.ended = true;
  run.go_to(run.caller_);
  std::abort();
}

/// The thread leaves what it does and goes on elsewhere, with all that belongs to a thread. Returns
/// when it comes back.
void run_under_way::go_to(place& next) {
  place& from = *now_;
  from.state.note_stop(exception_state::of_this_thread());
  from.words_of_strand = nopal_words_of_strand;
  now_ = &next;
  nopal_words_of_strand = next.words_of_strand;
  next.state.go_on_here();
  if (next.worker != nullptr)
    become_worker(*next.worker);
  else
    resign_worker();
#if NOPAL_ASAN
  const fiber& to = next.stack_under_it();
  __sanitizer_start_switch_fiber(from.ended ? nullptr : &from.fake_stack, to.low, to.bytes);
#else
  before_switch(nullptr, next.stack_under_it());
#endif
  if (next.started) {
    nopal_context_switch(&from.here, &next.here);
  } else {
    next.started = true;
    const fiber& f = next.worker->scheduler_fiber;
    nopal_context_call(&from.here, static_cast<std::byte*>(f.low) + f.bytes, worker_main, &next);
  }
#if NOPAL_ASAN
  const void* low = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(from.fake_stack, &low, &bytes);
#endif
}

place& run_under_way::another() {
  for (;;) {
    place& p = places_[random_.below(static_cast<unsigned>(places_.size()))];
    if (&p != now_ || places_.size() == 1) return p;
  }
}

/// One round of search found nothing, or the worker is about to sleep: another goes on.
void run_under_way::nothing_found() {
  if (closing_) return;
  if (root_ended_) {
    go_to(caller_);
    return;
  }
  if (++rounds_without_work_ > 100'000) fail_of_hang();
  if (eager_ != 0) {
    --eager_;
    return;
  }
  if (places_.size() > 1 && random_.with(0.7)) go_to(another());
}

template <class E>
typename E::answer run_under_way::happens() {
  if constexpr (is_one_of<E, scheduler_events::backing_off>) {
    return true;  // time must not matter: a seed stands for one run
  } else if constexpr (is_one_of<E, scheduler_events::searching, scheduler_events::parking>) {
    now_->at = event_name<E>();
    nothing_found();
    return true;
  } else {
    now_->at = event_name<E>();
    rounds_without_work_ = 0;
    // Whoever decides may have a lock that others would spin for, on this thread.
    const bool stays = std::is_same_v<E, wait_events::decided> || is_undisturbed;
    if (!stays && !closing_ && now_ != &caller_ && places_.size() != 1) disturb<E>();
    return typename E::answer();  // nothing is refused
  }
}

template <class E>
void run_under_way::disturb() {
  constexpr bool forks = is_one_of<E, deque_events::pushed>;
  constexpr bool steals = is_one_of<E, scheduler_events::stolen>;
  if (steals) eager_ = 0;
  if (random_.with(forks ? how_.steal : how_.elsewhere)) {
    if (forks) eager_ = 4 * how_.workers;
    go_to(another());
  }
  if (steals || is_one_of<E, strand_events::resuming>) poison_vectors();
}

outcome run_under_way::play() {
  root_.views = take_views_of_strand();
  scheduler_.submit(root_);
  while (!root_ended_) go_to(another());
  set_views_of_strand(root_.views);
  // Whoever is still on the way to its next search gets there, and then ends.
  closing_ = true;
  scheduler_.stop();
  for (place& p : places_)
    while (!p.ended) go_to(p);
  outcome o;
  const nopal::statistics s = scheduler_.stats();
  o.steals = s.total.steals;
  o.suspensions = s.total.suspensions;
  if (s.stacks_in_use != 0) o.fault += std::to_string(s.stacks_in_use) + " stacks still in use; ";
  for (const place& p : places_)
    if (!p.worker->deque.looks_empty())
      o.fault += "the deque of worker " + std::to_string(p.worker->index) + " not empty; ";
  if (exception_state::of_this_thread()->uncaught != 0)
    o.fault += "exceptions still on their way; ";
  return o;
}

}  // namespace

disturbance disturbance::of(std::uint64_t seed) {
  random_bits random(seed);
  disturbance d;
  d.seed = seed;
  d.workers = 2 + random.below(4);
  constexpr std::array steal{0.05, 0.3, 0.6, 0.9, 1.0};
  constexpr std::array elsewhere{0.0, 0.02, 0.1, 0.5};
  d.steal = steal[random.below(steal.size())];
  d.elsewhere = elsewhere[random.below(elsewhere.size())];
  // One stack is enough to run serially; with few of them thieves often have to leave what they
  // see.
  if (random.with(0.15)) d.stacks = 1 + random.below(2 * d.workers);
  constexpr std::array reclaim{nopal::reclaim_policy::none, nopal::reclaim_policy::none,
                               nopal::reclaim_policy::dontneed, nopal::reclaim_policy::adaptive};
  d.reclaim = reclaim[random.below(reclaim.size())];
  return d;
}

std::string disturbance::text() const {
  std::array<char, 200> buffer;
  constexpr std::array policies{"none", "free", "dontneed", "adaptive"};
  std::snprintf(buffer.data(), buffer.size(),
                "seed %llu: %u workers, steal %.2f, elsewhere %.2f, stacks %zd, reclaim %s",
                static_cast<unsigned long long>(seed), workers, steal, elsewhere,
                static_cast<std::ptrdiff_t>(stacks), policies[static_cast<std::size_t>(reclaim)]);
  return buffer.data();
}

outcome run_disturbed(const disturbance& d, const char* what, void (*call)(void*), void* argument) {
  install_handlers();
  run_under_way run(d, what, call, argument);
  under_way = &run;
  const subscription<all_events> meddles(meddler{});
  alarm(NOPAL_ASAN || NOPAL_TSAN ? 120 : 20);
  outcome o = run.play();
  alarm(0);
  under_way = nullptr;
  return o;
}

// Another event than pushed: as if the system had taken the CPU away.
void preempt() { emit<strand_events::reclaiming>(); }

undisturbed::undisturbed() noexcept { under_way->is_undisturbed = true; }
undisturbed::~undisturbed() { under_way->is_undisturbed = false; }

}  // namespace nopal_test
