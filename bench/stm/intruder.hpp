// SPDX-License-Identifier: Apache-2.0
// A detector of attacks in a network: fragments of flows come in any order from a queue, are put
// together, and each complete flow goes through another queue, and is searched for signatures.
// Written from the description of STAMP's intruder (Cao Minh, Chung, Kozyrakis and Olukotun, IISWC
// 2008).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stm/array_queue.hpp"
#include "stm/random.hpp"
#include "stm/tm.hpp"
#include "stm/tree.hpp"

namespace nopal_bench {

struct intruder_load {
  unsigned percent_attacks;
  unsigned longest;  ///< Fragments of a flow, at most.
  std::int64_t flows;
  std::uint64_t seed;
};

class intruder {
 public:
  explicit intruder(const intruder_load& l)
      : load_(l), complete_(static_cast<std::size_t>(l.flows)) {
    make_flows();
    arriving_ = std::make_unique<array_queue<packet*>>(packets_.size());
    for (packet& p : packets_) arriving_->push_now(&p);
  }

  void run(unsigned, unsigned) {
    std::uint64_t found = 0, done = 0;
    while (packet* p = capture()) {
      assemble(p);
      const packet* first = take_complete();
      if (first == nullptr) continue;
      ++done;
      if (is_attack(first)) ++found;
    }
    found_ += found;
    done_ += done;
  }

  /// \throws std::runtime_error if an attack was not found, or something else was.
  void check() const {
    if (done_ != static_cast<std::uint64_t>(load_.flows))
      throw std::runtime_error("wrong: flows that were not put together");
    if (found_ != planted_) throw std::runtime_error("wrong: attacks");
    flows_.for_each_now(
        [](std::int64_t, flow*) { throw std::runtime_error("wrong: a flow is left"); });
  }

 private:
  static constexpr std::array<std::string_view, 5> signatures{
      "about the weather in hell", "drop every table at once", "return to libc and beyond",
      "nothing to see in here now", "the quick brown intruder"};

  /// A fragment: in the queue of packets, and then in the list of its flow.
  struct packet : tm::object {
    tm::field<packet*> next_of_flow{nullptr};
    std::int64_t flow_id = 0;
    unsigned number = 0, of = 0;
    std::string data;
  };
  /// Its fragments so far, in the order of their numbers.
  struct flow : tm::object {
    tm::field<packet*> first{nullptr};
    tm::field<unsigned> arrived{0};
  };

  void make_flows() {
    random_numbers random(load_.seed);
    std::vector<std::pair<std::int64_t, std::vector<std::string>>> all;
    std::size_t fragments = 0;
    for (std::int64_t id = 0; id < load_.flows; ++id) {
      std::string text;
      if (random.below(100) < load_.percent_attacks) {
        text = signatures[random.below(signatures.size())];
        ++planted_;
      } else {
        const unsigned length = 1 + random.below(8 * load_.longest);
        for (unsigned i = 0; i < length; ++i)
          text += static_cast<char>('A' + random.below(26));  // no signature has one
      }
      const unsigned parts =
          1 + random.below(std::min(load_.longest, static_cast<unsigned>(text.size())));
      all.emplace_back(id, std::vector<std::string>(parts));
      for (unsigned k = 0; k < parts; ++k)
        all.back().second[k] = text.substr(text.size() * k / parts,
                                           text.size() * (k + 1) / parts - text.size() * k / parts);
      fragments += parts;
    }
    packets_ = std::vector<packet>(fragments);
    std::vector<std::size_t> order(fragments);
    for (std::size_t i = 0; i < fragments; ++i) order[i] = i;
    for (std::size_t i = fragments; i > 1; --i)
      std::swap(order[i - 1], order[random.below(static_cast<unsigned>(i))]);
    std::size_t at = 0;
    for (auto& [id, parts] : all)
      for (unsigned k = 0; k < parts.size(); ++k) {
        packet& p = packets_[order[at++]];
        p.flow_id = id;
        p.number = k;
        p.of = static_cast<unsigned>(parts.size());
        p.data = std::move(parts[k]);
      }
  }

  packet* capture() {
    return tm::atomically([&](tm::transaction& t) { return arriving_->pop(t); });
  }
  /// The first fragment of a flow that is complete, and of which no transaction uses a fragment any
  /// more; or nullptr. Each thread asks after each packet, so that none is left in the end.
  const packet* take_complete() {
    return tm::atomically([&](tm::transaction& t) { return complete_.pop(t); });
  }

  /// Puts a fragment into its flow. Returns whether that is complete.
  bool assemble(packet* p) {
    return tm::atomically([&](tm::transaction& t) {
      flow* f = flows_.find(t, p->flow_id);
      if (f == nullptr) {
        f = t.make<flow>();
        flows_.insert(t, p->flow_id, f);
      }
      packet* before = nullptr;
      packet* after = t.get(*f, f->first);
      while (after != nullptr && after->number < p->number) {
        before = after;
        after = t.get(*after, after->next_of_flow);
      }
      t.set(*p, p->next_of_flow, after);
      if (before == nullptr)
        t.set(*f, f->first, p);
      else
        t.set(*before, before->next_of_flow, p);
      const unsigned arrived = t.get(*f, f->arrived) + 1;
      t.set(*f, f->arrived, arrived);
      if (arrived != p->of) return false;
      complete_.push(t, t.get(*f, f->first));
      flows_.erase(t, p->flow_id);
      t.destroy(f);
      return true;
    });
  }

  static bool is_attack(const packet* first) {
    std::string text;
    for (const packet* p = first; p != nullptr; p = p->next_of_flow.value()) text += p->data;
    return std::ranges::any_of(
        signatures, [&](std::string_view s) { return text.find(s) != std::string::npos; });
  }

  intruder_load load_;
  std::uint64_t planted_ = 0;
  std::vector<packet> packets_;
  std::unique_ptr<array_queue<packet*>> arriving_;
  tree<flow*> flows_;
  array_queue<packet*> complete_;
  std::atomic<std::uint64_t> found_{0}, done_{0};
};

}  // namespace nopal_bench
