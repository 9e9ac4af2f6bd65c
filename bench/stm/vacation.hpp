// SPDX-License-Identifier: Apache-2.0
// A travel agency: customers reserve cars, rooms and flights, which come and go. Written from the
// description of STAMP's vacation (Cao Minh, Chung, Kozyrakis and Olukotun, IISWC 2008).
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "stm/random.hpp"
#include "stm/tm.hpp"
#include "stm/tree.hpp"

namespace nopal_bench {

struct vacation_load {
  unsigned queries;          ///< Of one transaction.
  unsigned percent_queried;  ///< So many of the relations are ever asked for.
  unsigned percent_user;     ///< So many transactions reserve something.
  std::int64_t relations;    ///< Of each kind, and as many customers.
  std::uint64_t transactions;
};

class vacation {
 public:
  static constexpr unsigned kinds = 3;  // cars, rooms, flights

  explicit vacation(const vacation_load& l) : load_(l) {
    random_numbers random(1);
    for (std::int64_t id = 1; id <= l.relations; ++id) {
      for (auto& table : tables_) {
        const std::int64_t seats = (1 + random.below(5)) * 100;
        const std::int64_t price = 50 + 10 * random.below(5);
        tm::atomically([&](tm::transaction& t) { return add(t, table, id, seats, price); });
      }
      tm::atomically(
          [&](tm::transaction& t) { return customers_.insert(t, id, t.make<customer>()); });
    }
  }
  ~vacation() {
    for (auto& table : tables_) table.for_each_now([](std::int64_t, offer* o) { delete o; });
    customers_.for_each_now([](std::int64_t, customer* c) {
      for (reservation* r = c->first.value(); r != nullptr;) {
        reservation* next = r->next.value();
        delete r;
        r = next;
      }
      delete c;
    });
  }
  vacation(const vacation&) = delete;
  vacation& operator=(const vacation&) = delete;

  /// The share of one of `threads`.
  void run(unsigned thread, unsigned threads) {
    random_numbers random(100 + thread);
    const std::uint64_t mine =
        load_.transactions * (thread + 1) / threads - load_.transactions * thread / threads;
    for (std::uint64_t i = 0; i < mine; ++i) {
      const unsigned kind = random.below(100);
      if (kind < load_.percent_user)
        reserve(random);
      else if (kind % 2 == 0)
        leave(random);
      else
        change_offers(random);
    }
  }

  /// \throws std::runtime_error if seats and reservations do not balance.
  void check() const {
    std::array<std::int64_t, kinds> reserved{}, used{};
    customers_.for_each_now([&](std::int64_t, const customer* c) {
      for (const reservation* r = c->first.value(); r != nullptr; r = r->next.value())
        ++reserved[r->kind];
    });
    for (unsigned k = 0; k < kinds; ++k) {
      tables_[k].for_each_now([&](std::int64_t id, const offer* o) {
        used[k] += o->used.value();
        if (o->used.value() < 0 || o->free.value() < 0 ||
            o->used.value() + o->free.value() != o->total.value())
          throw std::runtime_error("wrong: seats of " + std::to_string(id));
      });
      if (used[k] != reserved[k]) throw std::runtime_error("wrong: reservations do not balance");
    }
  }

 private:
  struct offer : tm::object {
    offer(std::int64_t seats, std::int64_t p) : free(seats), total(seats), price(p) {}
    tm::field<std::int64_t> used{0}, free, total, price;
  };
  struct reservation : tm::object {
    reservation(unsigned k, std::int64_t i, std::int64_t p, reservation* n)
        : kind(k), id(i), price(p), next(n) {}
    const unsigned kind;
    const std::int64_t id, price;
    tm::field<reservation*> next;
  };
  struct customer : tm::object {
    tm::field<reservation*> first{nullptr};
  };
  using table = tree<offer*>;

  std::int64_t any_id(random_numbers& random) const {
    const std::int64_t queried = load_.relations * load_.percent_queried / 100;
    return 1 + static_cast<std::int64_t>(random.below(static_cast<unsigned>(queried)));
  }

  /// More seats, at another price.
  static int add(tm::transaction& t, table& in, std::int64_t id, std::int64_t seats,
                 std::int64_t price) {
    offer* o = in.find(t, id);
    if (o == nullptr) {
      in.insert(t, id, t.make<offer>(seats, price));
      return 0;
    }
    t.set(*o, o->free, t.get(*o, o->free) + seats);
    t.set(*o, o->total, t.get(*o, o->total) + seats);
    t.set(*o, o->price, price);
    return 0;
  }
  /// Fewer seats, if so many are free; no offer if none is left.
  static int remove(tm::transaction& t, table& from, std::int64_t id, std::int64_t seats) {
    offer* o = from.find(t, id);
    if (o == nullptr || t.get(*o, o->free) < seats) return 0;
    const std::int64_t total = t.get(*o, o->total) - seats;
    if (total == 0) {
      from.erase(t, id);
      t.destroy(o);
      return 0;
    }
    t.set(*o, o->free, t.get(*o, o->free) - seats);
    t.set(*o, o->total, total);
    return 0;
  }

  static constexpr unsigned most_queries = 8;
  struct query {
    unsigned kind;
    std::int64_t id;
    std::int64_t amount;
    bool adds;
  };
  using queries = std::array<query, most_queries>;

  queries ask(random_numbers& random) const {
    queries q;
    for (unsigned i = 0; i < load_.queries; ++i)
      q[i] = {random.below(kinds), any_id(random), 50 + 10 * random.below(5), random.one_in(2)};
    return q;
  }

  /// Reserves the dearest of each kind that is asked for and has a free seat.
  void reserve(random_numbers& random) {
    const queries q = ask(random);
    const std::int64_t who = any_id(random);
    tm::atomically([&](tm::transaction& t) {
      std::int64_t best_price[kinds] = {-1, -1, -1};
      offer* best[kinds] = {nullptr, nullptr, nullptr};
      std::int64_t best_id[kinds] = {0, 0, 0};
      for (unsigned i = 0; i < load_.queries; ++i) {
        const unsigned k = q[i].kind;
        offer* o = tables_[k].find(t, q[i].id);
        if (o == nullptr || t.get(*o, o->free) == 0) continue;
        const std::int64_t price = t.get(*o, o->price);
        if (price <= best_price[k]) continue;
        best_price[k] = price;
        best[k] = o;
        best_id[k] = q[i].id;
      }
      customer* c = nullptr;
      for (unsigned k = 0; k < kinds; ++k) {
        offer* o = best[k];
        if (o == nullptr) continue;
        if (c == nullptr) {
          c = customers_.find(t, who);
          if (c == nullptr) {
            c = t.make<customer>();
            customers_.insert(t, who, c);
          }
        }
        t.set(*o, o->free, t.get(*o, o->free) - 1);
        t.set(*o, o->used, t.get(*o, o->used) + 1);
        reservation* first = t.get(*c, c->first);
        t.set(*c, c->first, t.make<reservation>(k, best_id[k], best_price[k], first));
      }
      return 0;
    });
  }

  /// A customer pays for everything that it has reserved, and is deleted.
  void leave(random_numbers& random) {
    const std::int64_t who = any_id(random);
    tm::atomically([&](tm::transaction& t) {
      customer* c = customers_.find(t, who);
      std::int64_t bill = 0;
      if (c == nullptr) return bill;
      for (reservation* r = t.get(*c, c->first); r != nullptr;) {
        offer* o = tables_[r->kind].find(t, r->id);
        t.set(*o, o->free, t.get(*o, o->free) + 1);
        t.set(*o, o->used, t.get(*o, o->used) - 1);
        bill += r->price;
        reservation* next = t.get(*r, r->next);
        t.destroy(r);
        r = next;
      }
      customers_.erase(t, who);
      t.destroy(c);
      return bill;
    });
  }

  void change_offers(random_numbers& random) {
    const queries q = ask(random);
    tm::atomically([&](tm::transaction& t) {
      for (unsigned i = 0; i < load_.queries; ++i) {
        if (q[i].adds)
          add(t, tables_[q[i].kind], q[i].id, 100, q[i].amount);
        else
          remove(t, tables_[q[i].kind], q[i].id, 100);
      }
      return 0;
    });
  }

  vacation_load load_;
  std::array<table, kinds> tables_;
  tree<customer*> customers_;
};

}  // namespace nopal_bench
