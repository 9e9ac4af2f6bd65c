// SPDX-License-Identifier: Apache-2.0
// Judges what transactions have read and written: whether it is what transactions one after the
// other could have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/ordered_clock.hpp"

namespace nopal_test {

/// One attempt of a transaction, as its body has seen it. No value is written twice, but the 0 that
/// each location begins with.
struct stm_attempt {
  struct access {
    unsigned location;
    std::uint64_t value;
  };
  struct replacement {
    unsigned location;
    std::uint64_t before;  ///< The value that the attempt has read there.
    std::uint64_t value;
  };

  moment begin = 0;  ///< It has not begun before.
  moment end = 0;    ///< It has ended by then.
  bool committed = false;
  std::vector<access> reads;         ///< Of locations that it has not written yet.
  std::vector<replacement> written;  ///< One for each location.
};

/// Whether a history is opaque (Guerraoui and Kapalka, PPoPP 2008): there is one order of all
/// attempts in which each reads what the committed ones before it have written, and that keeps to
/// the order of those that do not overlap.
///
/// Since whoever writes a location has read what was there, the history says in which order the
/// values of a location came. So there are edges between attempts: from the one that has written a
/// value to those that have read it; from these to the one that has replaced it; and from one that
/// has ended to those that begin later. The history is opaque if the graph has no cycle.
class stm_history {
 public:
  explicit stm_history(std::vector<stm_attempt> attempts) : attempts_(std::move(attempts)) {}

  /// What is wrong; empty if nothing is.
  [[nodiscard]] std::string check() {
    graph_.assign(attempts_.size(), {});
    const std::string fault = join_by_values();
    if (!fault.empty()) return fault;
    join_by_time();
    return has_cycle() ? "no order of the attempts explains what they have read" : "";
  }

 private:
  using value_of_location = std::pair<unsigned, std::uint64_t>;
  using node = std::size_t;

  [[nodiscard]] std::string join_by_values() {
    std::map<value_of_location, node> writer, replaced_by;
    for (node n = 0; n < attempts_.size(); ++n) {
      if (!attempts_[n].committed) continue;
      for (const auto& w : attempts_[n].written) {
        writer[{w.location, w.value}] = n;
        if (!replaced_by.try_emplace({w.location, w.before}, n).second)
          return "two commits have replaced value " + std::to_string(w.before) + " of location " +
                 std::to_string(w.location);
      }
    }
    for (node n = 0; n < attempts_.size(); ++n)
      for (const auto& r : attempts_[n].reads) {
        const value_of_location what{r.location, r.value};
        const auto from = writer.find(what);
        if (from != writer.end())
          join(from->second, n);
        else if (r.value != 0)
          return "location " + std::to_string(r.location) + " had value " +
                 std::to_string(r.value) + ", which no commit has written";
        const auto to = replaced_by.find(what);
        if (to != replaced_by.end()) join(n, to->second);
      }
    return "";
  }

  /// A chain of nodes stands for the times at which attempts end.
  void join_by_time() {
    std::vector<node> by_begin(attempts_.size()), by_end(attempts_.size());
    for (node n = 0; n < attempts_.size(); ++n) by_begin[n] = by_end[n] = n;
    std::ranges::sort(by_begin, {}, [&](node n) { return attempts_[n].begin; });
    std::ranges::sort(by_end, {}, [&](node n) { return attempts_[n].end; });
    std::size_t ended = 0;
    for (const node n : by_begin) {
      for (; ended < by_end.size() && attempts_[by_end[ended]].end < attempts_[n].begin; ++ended) {
        const node time = graph_.size();
        graph_.emplace_back();
        if (ended != 0) join(time - 1, time);
        join(by_end[ended], time);
      }
      if (ended != 0) join(graph_.size() - 1, n);
    }
  }

  void join(node from, node to) {
    if (from != to) graph_[from].push_back(to);
  }

  /// Takes out nodes to which no edge leads until none is left (Kahn).
  [[nodiscard]] bool has_cycle() const {
    std::vector<std::size_t> edges_to(graph_.size(), 0);
    for (const auto& edges : graph_)
      for (const node to : edges) ++edges_to[to];
    std::vector<node> free;
    for (node n = 0; n < graph_.size(); ++n)
      if (edges_to[n] == 0) free.push_back(n);
    std::size_t taken = 0;
    while (!free.empty()) {
      const node n = free.back();
      free.pop_back();
      ++taken;
      for (const node to : graph_[n])
        if (--edges_to[to] == 0) free.push_back(to);
    }
    return taken != graph_.size();
  }

  std::vector<stm_attempt> attempts_;
  std::vector<std::vector<node>> graph_;  ///< The edges from each node.
};

}  // namespace nopal_test
