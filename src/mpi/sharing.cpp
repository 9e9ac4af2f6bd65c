// SPDX-License-Identifier: Apache-2.0
#include "mpi/sharing.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "nopal/mpi/function.hpp"
#include "nopal/stop.hpp"

namespace nopal::detail::mpi {

namespace {

/// How long a rank that runs work may let another one wait before it says that it has none.
constexpr auto longest_wait = std::chrono::milliseconds(2);
constexpr auto shortest_pause = std::chrono::microseconds(50);
/// So many small pieces are replied to at once.
constexpr int most_replies = 64;
constexpr std::size_t enough_bytes = std::size_t{1} << 20;
/// To so many ranks each hands on what rank 0 says to all.
constexpr int children_of_rank = 4;
constexpr auto longest_pause = std::chrono::milliseconds(8);

}  // namespace

void sharing::ask() {
  if (op == nullptr || has_ended() || self.is_paused() || mail->size() == 1) return;
  if (clock::now() < not_before) return;
  const auto wanted = static_cast<int>(std::min(seekers.size(), workers));
  for (; requests < wanted; ++requests) {
    output_archive out;
    out(number);
    ++counts.requests;
    mail->send(kind::request, others->draw(), out.take());
  }
}

std::optional<piece> sharing::next_piece() {
  seeker me;
  {
    const std::lock_guard l(mutex);
    if (has_ended()) return {};
    seekers.push_back(&me);
    hand_out();
    ask();
  }
  me.done.wait();
  return std::move(me.got);
}

void sharing::hand_out() {
  while (!seekers.empty() && !stash.empty()) {
    seeker& s = *seekers.front();
    seekers.pop_front();
    ++running;
    // What lies furthest down in a tree is waited for first.
    s.got = std::move(stash.back());
    stash.pop_back();
    s.done.signal();
  }
}

void sharing::deny(const request& r) {
  output_archive out;
  out(r.operation);
  mail->send(kind::denial, r.from, out.take());
}

void sharing::send_pieces(const request& r, const std::vector<piece>& all) {
  output_archive out;
  out(r.operation, std::uint64_t{all.size()});
  for (const piece& p : all) out(p.home, p.id, p.node);
  counts.pieces_given += all.size();
  mail->send(kind::pieces, r.from, out.take());
}

void sharing::send_replies() {
  for (auto& [home, waiting] : std::exchange(replies, {}))
    mail->send(kind::reply, home, waiting.letter.take());
}

void sharing::reply(const piece& p, const outcome& o) {
  const std::lock_guard l(mutex);
  --running;
  replies_to_one& r = replies[p.home];
  r.letter(p.id, o.failed, o.data);
  if (++r.number == most_replies || r.letter.size() > enough_bytes || stash.empty()) send_replies();
}

void sharing::end(std::uint64_t of, outcome o) {
  const std::lock_guard l(mutex);
  const bool is_now = op != nullptr && of == number;
  if (is_now && o.failed) op->fail(o.text());
  ends.emplace(of, std::move(o));
  if (!is_now) return;
  for (seeker* s : std::exchange(seekers, {})) s->done.signal();
  // Nobody waits for an answer to what was asked, or given, in an operation that has ended: a piece
  // is left over only if it has failed, and then all ranks stop.
  askers.clear();
  self.calls_for_.store(0, std::memory_order_relaxed);
  stash.clear();
}

void sharing::add_feeder() {
  feeders->spawn([this] { without_stop([this] { feed(); }); });
}

void sharing::feed() {
  while (const std::optional<piece> p = next_piece()) {
    const outcome o = outcome_of(mail->rank(), op, [&] {
      return with_stop(op->token(), [&] { return op->run_piece(p->node); });
    });
    reply(*p, o);
  }
}

void sharing::deliver(kind what, int from, bytes content) {
  input_archive in(content);
  switch (what) {
    case kind::request:
      return requested({from, in.next<std::uint64_t>()});
    case kind::denial:
      return denied(in.next<std::uint64_t>());
    case kind::pieces:
      return got_pieces(in);
    case kind::reply:
      return got_replies(in);
    case kind::end: {
      hand_on(what, content);
      const auto of = in.next<std::uint64_t>();
      const auto failed = in.next<bool>();
      return end(of, {failed, in.next<bytes>()});
    }
    case kind::pause:
      hand_on(what, content);
      return pause(in.next<std::uint64_t>());
    case kind::arrived:
      return arrived(in.next<std::uint64_t>());
    case kind::call:
      return called(from, in);
    case kind::answer:
      return answered(in);
    case kind::element:
    case kind::credit:
    case kind::closed:
      return all_channels->deliver(what, from, std::move(content));
    default:
      return;
  }
}

void sharing::requested(const request& r) {
  std::unique_lock l(mutex);
  if (op == nullptr || r.operation != number || has_ended() || self.is_paused()) return deny(r);
  if (!stash.empty()) {
    std::vector<piece> half;
    std::size_t bytes_in_all = 0;
    for (std::size_t n = (stash.size() + 1) / 2; n > 0 && bytes_in_all < enough_for_one; --n) {
      bytes_in_all += stash.front().node.size();
      half.push_back(std::move(stash.front()));
      stash.pop_front();
    }
    return send_pieces(r, half);
  }
  if (running == 0) return deny(r);
  {
    const std::shared_ptr<long_nodes> nodes = op->nodes();
    l.unlock();
    // What is given is of this operation: another one of the same nodes comes only after a pause,
    // of which this thread, or the begin of an operation, is told first.
    if (nodes->give(r)) return;
    l.lock();
    if (op == nullptr || r.operation != number || has_ended() || self.is_paused()) return deny(r);
  }
  askers.push_back({r, clock::now()});
  self.calls_for_.fetch_add(1, std::memory_order_relaxed);
}

void sharing::denied(std::uint64_t of) {
  const std::lock_guard l(mutex);
  ++counts.denials;
  if (of != number) return;
  --requests;
  if (++denials >= mail->size() - 1) {
    const int rounds = std::min(denials / (mail->size() - 1) - 1, 6);
    not_before =
        clock::now() + std::min<clock::duration>(shortest_pause * (1 << rounds), longest_pause);
  }
  ask();
}

void sharing::got_pieces(input_archive& in) {
  const auto of = in.next<std::uint64_t>();
  const auto n = in.next<std::uint64_t>();
  const std::lock_guard l(mutex);
  // They are late only if the operation has failed: then nobody waits for them any more.
  if (op == nullptr || of != number || has_ended()) return;
  for (std::uint64_t i = 0; i < n; ++i) {
    piece p{};
    in(p.home, p.id, p.node);
    stash.push_back(std::move(p));
  }
  hand_out();
  counts.pieces_got += n;
  --requests;
  denials = 0;
  ask();
}

void sharing::got_replies(input_archive& in) {
  while (!in.at_end()) got_reply(in);
}

void sharing::got_reply(input_archive& in) {
  const auto id = in.next<std::uint64_t>();
  outcome o;
  in(o.failed, o.data);
  expected_child c;
  {
    const std::lock_guard l(mutex);
    const auto at = expected.find(id);
    if (at == expected.end()) return;
    c = std::move(at->second);
    expected.erase(at);
    // It may be late, and of an operation that has failed before.
    if (o.failed && op != nullptr && c.operation == number) op->fail(o.text());
  }
  c.of->arrive(c.child, std::move(o));
}

void sharing::arrived(std::uint64_t at) {
  std::shared_ptr<countdown> last;
  {
    const std::lock_guard l(mutex);
    last = barrier_of(at);
  }
  last->signal();
}

std::shared_ptr<countdown> sharing::barrier_of(std::uint64_t at) {
  std::shared_ptr<countdown>& b = barriers[at];
  if (b == nullptr) b = std::make_shared<countdown>(mail->size() - 1);
  return b;
}

void sharing::called(int from, input_archive& in) {
  const auto id = in.next<std::uint64_t>();
  const auto number_of_function = in.next<std::uint64_t>();
  calls.spawn([this, from, id, number_of_function, arguments = in.next<bytes>()] {
    const outcome o = outcome_of(mail->rank(), nullptr,
                                 [&] { return call_function(number_of_function, arguments); });
    output_archive out;
    out(id, o.failed, o.data);
    mail->send(kind::answer, from, out.take());
  });
}

void sharing::answered(input_archive& in) {
  const auto id = in.next<std::uint64_t>();
  std::shared_ptr<caller> c;
  {
    const std::lock_guard l(mutex);
    c = std::move(callers.extract(id).mapped());
  }
  in(c->result.failed, c->result.data);
  c->done.signal();
}

void sharing::hand_on(kind what, const bytes& content) {
  const int first = children_of_rank * mail->rank() + 1;
  for (int r = first; r < std::min(first + children_of_rank, mail->size()); ++r)
    mail->send(what, r, content);
}

void sharing::pause(std::uint64_t of) {
  const std::lock_guard l(mutex);
  paused = of;
  // It may come before the operation has begun here, or after what was left was no more.
  if (op != nullptr && of == number && !has_ended())
    self.calls_for_.fetch_or(hub::pause, std::memory_order_relaxed);
}

void sharing::pause_if_due() {
  if (!saved || op == nullptr || !op->can_pause() || has_ended() || self.is_paused()) return;
  is_save_due = is_save_due || clock::now() >= save_at;
  if (!is_save_due) return;
  self.calls_for_.fetch_or(hub::pause, std::memory_order_relaxed);
  output_archive out;
  out(number);
  hand_on(kind::pause, out.take());
}

bool sharing::tick() {
  const std::lock_guard l(mutex);
  pause_if_due();
  send_replies();
  ask();
  while (!askers.empty() && clock::now() - askers.front().since > longest_wait) {
    deny(askers.front().from);
    askers.pop_front();
    self.calls_for_.fetch_sub(1, std::memory_order_relaxed);
  }
  return saved != nullptr;
}

}  // namespace nopal::detail::mpi
