// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/mpi/hub.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "mpi/sharing.hpp"
#include "nopal/runtime.hpp"
#include "nopal/stop.hpp"

namespace nopal::detail::mpi {

namespace {

constexpr auto never = clock::time_point::max();
/// A clock has no end then.
constexpr auto longest_period = std::chrono::years(100);

}  // namespace

outcome outcome::of_failure(const std::string& what) {
  outcome o{true, bytes(what.size())};
  std::memcpy(o.data.data(), what.data(), what.size());
  return o;
}

std::string outcome::text() const {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

void given_children::arrive(std::size_t child, outcome o) {
  {
    const std::lock_guard l(mutex_);
    outcomes_[child] = std::move(o);
  }
  arrivals_.signal();
}

long_nodes::entry::entry(long_nodes& all, std::function<bool(const request&)> give)
    : all_(all), give_(std::move(give)) {
  const std::lock_guard l(all_.mutex_);
  all_.entries_.push_back(this);
}

long_nodes::entry::~entry() {
  const std::lock_guard l(all_.mutex_);
  std::erase(all_.entries_, this);
}

bool long_nodes::give(const request& r) {
  const std::lock_guard l(mutex_);
  return std::ranges::any_of(entries_, [&r](entry* e) { return e->give_(r); });
}

void operation::fail(const std::string& cause) {
  {
    const std::lock_guard l(mutex_);
    if (cause_.empty()) cause_ = cause;
  }
  stop_.request_stop();
}

std::string operation::cause() const {
  const std::lock_guard l(mutex_);
  return cause_;
}

std::vector<std::optional<outcome>>& given_children::wait() {
  arrivals_.wait();
  return outcomes_;
}

hub::hub(int* argc, char*** argv, std::chrono::milliseconds patience)
    : state_(std::make_unique<sharing>(*this)) {
  sharing& s = *state_;
  s.mail = std::make_unique<post>(
      argc, argv, patience,
      [&s](kind what, int from, bytes content) { s.deliver(what, from, std::move(content)); },
      [&s] { return s.tick(); });
  s.all_channels = std::make_shared<channels>(*s.mail);
  s.others.emplace(rank(), size(), s.mail->near());
  s.mail->start();
}

hub::~hub() {
  without_stop([this] {
    // Others, and calls that run here, may wait for this rank at a channel.
    state_->all_channels->end();
    // Nobody ends before its calls have been answered.
    state_->calls.join();
    state_->mail->finish();
    state_->calls.join();  // those of others
  });
  if (state_->saved) state_->saved->end();
}

void hub::abort() noexcept { state_->mail->abort(); }

int hub::rank() const noexcept { return state_->mail->rank(); }
int hub::size() const noexcept { return state_->mail->size(); }
task_scope& hub::calls() noexcept { return state_->calls; }

nopal::mpi::statistics hub::counts() const {
  const std::lock_guard l(state_->mutex);
  nopal::mpi::statistics c = state_->counts;
  c.messages = state_->mail->sent();
  c.bytes = state_->mail->sent_bytes();
  return c;
}

outcome hub::run(operation& op, const std::function<bytes()>& root) {
  sharing& s = *state_;
  const std::size_t strands = workers();  // those of the runtime that the caller is in
  std::uint64_t number = 0;
  {
    const std::lock_guard l(s.mutex);
    number = ++s.number;
    s.op = &op;
    s.workers = strands;
    s.requests = s.denials = 0;
    s.not_before = {};
    calls_for_.store(s.paused == number ? pause : 0, std::memory_order_relaxed);
    // A round that goes on has all the time until the next save, or it might get nowhere.
    if (s.save_at == never) s.save_at = clock::now() + s.save_period;
    if (rank() == 0) ++s.running;
    s.pause_if_due();
  }
  {
    task_scope feeders;
    {
      const std::lock_guard l(s.mutex);
      s.feeders = &feeders;
      for (std::size_t w = 0; w < strands; ++w) s.add_feeder();
    }
    if (rank() == 0) {
      outcome o = outcome_of(0, &op, [&] { return with_stop(op.token(), root); });
      {
        const std::lock_guard l(s.mutex);
        --s.running;
      }
      output_archive out;
      out(number, o.failed, o.data);
      const bytes all = out.take();
      // It has ended here first, so that no pause of it is said after its end.
      s.end(number, std::move(o));
      s.hand_on(kind::end, all);
    }
    without_stop([&] { feeders.join(); });
    const std::lock_guard l(s.mutex);
    s.feeders = nullptr;
  }
  const std::lock_guard l(s.mutex);
  s.op = nullptr;
  std::erase_if(s.expected, [number](const auto& e) { return e.second.operation == number; });
  return std::move(s.ends.extract(number).mapped());
}

void hub::barrier() {
  struct nothing final : operation {
    [[nodiscard]] bool can_pause() const noexcept override { return false; }
    bytes run_piece(const bytes& /*node*/) override { return {}; }
  } op;
  sharing& s = *state_;
  std::uint64_t number = 0;
  {
    const std::lock_guard l(s.mutex);
    number = s.number + 1;
  }
  if (rank() != 0) {
    output_archive out;
    out(number);
    s.mail->send(kind::arrived, 0, out.take());
  }
  run(op, [&]() -> bytes {
    std::shared_ptr<countdown> others;
    {
      const std::lock_guard l(s.mutex);
      others = s.barrier_of(number);
    }
    others->wait();
    const std::lock_guard l(s.mutex);
    s.barriers.erase(number);
    return {};
  });
}

void hub::save_every(std::chrono::milliseconds period, const std::filesystem::path& file) {
  if (period <= std::chrono::milliseconds(0))
    throw std::invalid_argument("nopal::mpi::world::save_every: each " +
                                std::to_string(period.count()) +
                                " ms; the time between two saves must be longer than nothing");
  if (rank() != 0) return;
  auto saved = std::make_unique<saving>(file);
  {
    const std::lock_guard l(state_->mutex);
    if (state_->saved)
      throw nopal::mpi::error("nopal::mpi::world::save_every: it has been called before");
    state_->saved = std::move(saved);
    state_->save_period = std::min<std::chrono::milliseconds>(period, longest_period);
    state_->save_at = never;
  }
  state_->mail->send(kind::beat, 0, {});  // so that its thread sees it
}

saving* hub::saved() noexcept { return state_->saved.get(); }

void hub::save_if_due() {
  {
    const std::lock_guard l(state_->mutex);
    if (!state_->is_save_due) return;
  }
  state_->saved->write();
  const std::lock_guard l(state_->mutex);
  state_->is_save_due = false;
  state_->save_at = never;  // before work goes on
}

void hub::before_wait() {
  const std::lock_guard l(state_->mutex);
  if (state_->seekers.empty() && !state_->has_ended()) state_->add_feeder();
}

std::optional<request> hub::take_request() {
  const std::lock_guard l(state_->mutex);
  if (state_->askers.empty()) return {};
  const request r = state_->askers.front().from;
  state_->askers.pop_front();
  calls_for_.fetch_sub(1, std::memory_order_relaxed);
  return r;
}

void hub::answer(const request& r, std::vector<piece> pieces) {
  const std::lock_guard l(state_->mutex);
  if (pieces.empty())
    state_->deny(r);
  else
    state_->send_pieces(r, pieces);
}

std::uint64_t hub::expect(std::shared_ptr<given_children> of, std::size_t child) {
  of->expect();
  const std::lock_guard l(state_->mutex);
  const std::uint64_t id = ++state_->next_number;
  state_->expected.emplace(id, sharing::expected_child{std::move(of), child, state_->number});
  return id;
}

void hub::check_rank(int rank, const char* call) const {
  if (rank < 0 || rank >= size())
    throw std::out_of_range(std::string("nopal::mpi::world::") + call + ": there is no rank " +
                            std::to_string(rank) + "; they are numbered from 0 to " +
                            std::to_string(size() - 1));
}

std::shared_ptr<channel_end> hub::open_channel(int receiver, std::size_t capacity) {
  check_rank(receiver, "channel");
  if (capacity == 0)
    throw std::invalid_argument(
        "nopal::mpi::world::channel: a capacity of 0; at least 1 is needed, since an element is "
        "on its way between ranks");
  return state_->all_channels->open(receiver, capacity);
}

outcome hub::call(int rank, std::uint64_t function, bytes arguments) {
  const auto me = std::make_shared<caller>();  // a stop may end the wait
  output_archive out;
  {
    const std::lock_guard l(state_->mutex);
    const std::uint64_t id = ++state_->next_number;
    state_->callers.emplace(id, me);
    out(id, function, arguments);
  }
  state_->mail->send(kind::call, rank, out.take());
  me->done.wait();
  return std::move(me->result);
}

}  // namespace nopal::detail::mpi
