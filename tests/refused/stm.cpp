// SPDX-License-Identifier: Apache-2.0
// Wrong calls of transactions; see check_calls.py.
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "nopal/nopal.hpp"

namespace stm = nopal::stm;

nopal::task<int> some_task() { co_return 1; }
int overloaded(stm::transaction& t);
int overloaded(int n);

struct fixed {
  fixed() = default;
  fixed(fixed&&) = delete;
};
struct no_default {
  explicit no_default(int n) : number(n) {}
  int number;
};
struct no_order {
  int number;
};
struct no_hash {
  int number;
  bool operator==(const no_hash&) const = default;
};
struct throws_at_end {
  ~throws_at_end() noexcept(false) {}
};
struct plain {
  stm::field<int> key;
};
struct node : stm::object<stm::inline_lock> {
  stm::field<int, stm::inline_lock> key;
  int unshared = 0;
  stm::field<int, stm::word_lock> of_another_policy;
#if NOPAL_REFUSED == 1
  // says: nopal: T must be trivially copyable
  stm::field<std::string, stm::inline_lock> name;
#endif
};

void body(stm::transaction& t) {
  stm::var<int> v{1};
  stm::var<int*> pointer{nullptr};
  stm::boxed<std::string> text{"text"};
  stm::list<int> list;
  stm::map<int, int> map;
  stm::hash_map<std::string, int> hash_map;
  stm::hash_map<int, std::string> strings;
  stm::queue<int> queue;
  stm::counter<> counter;
  stm::array<int> array(3);
  const stm::var<int> fixed_var{1};
  int n = 1;
  node o;
  plain p;
#if NOPAL_REFUSED == 0
  t.set(v, t.get(v) + 1);
  t.set(v, 'a');
  t.set(pointer, nullptr);
  t.set(text, "other");
  t.set(text, t.get(text) + "x");
  text.set(t, 3, 'x');
  t.set(o, &node::key, 1);
  t.set(o, o.key, t.get(o, &node::key));
  n = t.or_else([](stm::transaction&) { return 1; }, [](auto&) { return 2; });
  n = t.nested([](stm::transaction&) { return 1; });
  t.on_commit([] {});
  list.for_each(t, [](int) {});
  map.for_each(t, [](int, int) {});
  map.set(t, 1, 2);
  static_cast<void>(hash_map.find(t, "a"));
  hash_map.set(t, std::string_view("a"), 1);
  strings.set(t, 1, "a");
  t.set(array[1], 2);
  queue.push(t, 1);
  counter.add(t, 1);
  t.destroy(t.make<no_default>(n));
#elif NOPAL_REFUSED == 2
  // says: t.get(v) reads a stm::var or a stm::boxed
  static_cast<void>(t.get(n));
#elif NOPAL_REFUSED == 3
  // says: t.get(v) reads a stm::var or a stm::boxed
  static_cast<void>(t.get(o));
#elif NOPAL_REFUSED == 4
  // says: t.get(v) reads a stm::var or a stm::boxed
  static_cast<void>(t.get(o, &node::unshared));
#elif NOPAL_REFUSED == 5
  // says: the field is not one of this stm::object
  static_cast<void>(t.get(o, &node::of_another_policy));
#elif NOPAL_REFUSED == 6
  // says: t.get(v) reads a stm::var or a stm::boxed
  static_cast<void>(t.get(o.key));
#elif NOPAL_REFUSED == 7
  // says: the field is not one of this stm::object
  static_cast<void>(t.get(p, &plain::key));
#elif NOPAL_REFUSED == 8
  // says: t.get(v) reads a stm::var or a stm::boxed
  static_cast<void>(t.get(&v));
#elif NOPAL_REFUSED == 9
  // says: an element of a stm::array is a stm::var
  static_cast<void>(t.get(array, 1));
#elif NOPAL_REFUSED == 10
  // says: containers have functions of their own
  static_cast<void>(t.get(queue));
#elif NOPAL_REFUSED == 11
  // says: t.set(v, x) writes a stm::var or a stm::boxed
  t.set(n, 2);
#elif NOPAL_REFUSED == 12
  // says: t.set() cannot convert the value
  t.set(v, "text");
#elif NOPAL_REFUSED == 13
  // says: t.set() writes no const variable
  t.set(fixed_var, 1);
#elif NOPAL_REFUSED == 14
  // says: t.set(v, x) writes a stm::var or a stm::boxed
  t.set(v);
#elif NOPAL_REFUSED == 15
  // says: t.set() cannot convert the value
  t.set(text, 7);
#elif NOPAL_REFUSED == 16
  // says: b.set(t, a, b) makes the value of a stm::boxed
  t.set(text, 3, 'x');
#elif NOPAL_REFUSED == 17
  // says: t.set() cannot convert the value
  t.set(o, &node::key, "text");
#elif NOPAL_REFUSED == 18
  // says: the field is not one of this stm::object
  t.set(o, &node::of_another_policy, 1);
#elif NOPAL_REFUSED == 19
  // says: t.set() writes no const variable
  const node& unchanged = o;
  t.set(unchanged, &node::key, 1);
#elif NOPAL_REFUSED == 20
  // says: t.set(v, x) writes a stm::var or a stm::boxed
  t.set(&v, 1);
#elif NOPAL_REFUSED == 21
  // says: t.set(v, x) writes a stm::var or a stm::boxed
  t.set(1, v);
#elif NOPAL_REFUSED == 22
  // says: the two functions of or_else() return different types
  n = t.or_else([](stm::transaction&) { return 1; }, [](stm::transaction&) { return 1.5; });
#elif NOPAL_REFUSED == 23
  // says: or_else() calls both functions with the transaction
  t.or_else([] {}, [] {});
#elif NOPAL_REFUSED == 24
  // says: or_else_takes_two_functions
  t.or_else([](stm::transaction&) {});
#elif NOPAL_REFUSED == 25
  // says: or_else() calls both functions with the transaction
  t.or_else([](stm::transaction&) {}, [](int) {});
#elif NOPAL_REFUSED == 26
  // says: a part of a transaction returns a task
  static_cast<void>(
      t.or_else([](auto&) { return some_task(); }, [](auto&) { return some_task(); }));
#elif NOPAL_REFUSED == 27
  // says: a part of a transaction cannot be called
  t.nested([] {});
#elif NOPAL_REFUSED == 28
  // says: overloaded function with no contextual type information || a_transaction_is_one_function
  n = t.nested(overloaded);
#elif NOPAL_REFUSED == 29
  // says: a part of a transaction returns a task
  static_cast<void>(t.nested([](auto&) { return some_task(); }));
#elif NOPAL_REFUSED == 30
  // says: a part of a transaction cannot be called
  t.on_commit([](stm::transaction&) {});
#elif NOPAL_REFUSED == 31
  // says: keep a copy of the function, which cannot be copied
  t.on_commit([owner = std::make_unique<int>(1)] { static_cast<void>(*owner); });
#elif NOPAL_REFUSED == 32
  // says: a part of a transaction returns a task
  t.on_commit([] { return some_task(); });
#elif NOPAL_REFUSED == 33
  // says: a part of a transaction cannot be called
  t.on_abort([](int) {});
#elif NOPAL_REFUSED == 34
  // says: can be constructed from these arguments
  static_cast<void>(t.make<no_default>());
#elif NOPAL_REFUSED == 35
  // says: takes a pointer to what `new` or t.make() has made
  t.destroy(o);
#elif NOPAL_REFUSED == 36
  // says: a void* does not say which
  void* anything = nullptr;
  t.destroy(anything);
#elif NOPAL_REFUSED == 37
  // says: 'retry' is not a member of || ‘retry’ is not a member of || no member named 'retry'
  stm::retry();
#elif NOPAL_REFUSED == 38
  // says: expects 0 arguments || expected 0, have 1
  t.retry(1);
#elif NOPAL_REFUSED == 39
  // says: deleted
  auto copy = t;
#elif NOPAL_REFUSED == 40
  // says: no matching
  stm::transaction other;
#elif NOPAL_REFUSED == 41
  // says: a transaction t reads it: t.get()
  n = v;
#elif NOPAL_REFUSED == 42
  // says: a transaction t sets it: t.set()
  v = 2;
#elif NOPAL_REFUSED == 43
  // says: deleted
  auto copy = v;
#elif NOPAL_REFUSED == 44
  // says: nopal: T must be trivially copyable
  stm::var<std::string> w;
#elif NOPAL_REFUSED == 45
  // says: nopal: T must be trivially copyable
  stm::array<std::string> a(3);
#elif NOPAL_REFUSED == 46
  // says: nopal::stm::map<K, V>: V must be trivially copyable
  stm::map<int, std::string> m;
  m.set(t, 1, "a");
#elif NOPAL_REFUSED == 47
  // says: nopal::stm::hash_map<K, V>: V must be copyable, and its destructor must not throw
  stm::hash_map<int, std::unique_ptr<int>> m;
  m.set(t, 1, std::make_unique<int>(1));
#elif NOPAL_REFUSED == 48
  // says: nopal::stm::heap<T>: T must be trivially copyable
  stm::heap<std::string> h;
  h.push(t, "a");
#elif NOPAL_REFUSED == 49
  // says: nopal::stm::queue<T>: T must be copyable
  stm::queue<std::unique_ptr<int>> q;
  q.push(t, std::make_unique<int>(1));
#elif NOPAL_REFUSED == 50
  // says: nopal::stm::list<T, Less>: Less cannot compare two T
  stm::list<no_order> l;
  l.insert(t, no_order{1});
#elif NOPAL_REFUSED == 51
  // says: nopal::stm::map<K, V, Less>: Less, as const, cannot compare two K
  stm::map<no_order, int> m;
  m.set(t, no_order{1}, 1);
#elif NOPAL_REFUSED == 52
  // says: there is no std::hash<K>; name a Hash
  stm::hash_map<no_hash, int> m;
  m.set(t, no_hash{1}, 1);
#elif NOPAL_REFUSED == 53
  // says: nopal::stm::heap<T, Less>: Less cannot compare two T
  stm::heap<no_order> h;
  h.push(t, no_order{1});
#elif NOPAL_REFUSED == 54
  // says: no matching
  list.insert(1);
#elif NOPAL_REFUSED == 55
  // says: a part of a transaction cannot be called
  list.for_each(t, [](std::string&) {});
#elif NOPAL_REFUSED == 56
  // says: a part of a transaction cannot be called
  map.for_each(t, [](int) {});
#elif NOPAL_REFUSED == 57
  // says: no matching
  queue.push(1);
#elif NOPAL_REFUSED == 58
  // says: no matching
  counter.add(1);
#elif NOPAL_REFUSED == 59
  // says: T has no default constructor
  stm::var<no_default> w;
#elif NOPAL_REFUSED == 60
  // says: no value of a stm::boxed can be constructed
  stm::boxed<std::string> b{1.5, 2.5, 3.5};
#elif NOPAL_REFUSED == 61
  // says: can be constructed from these arguments
  text.set(t, 1.5, 2.5, 3.5);
#elif NOPAL_REFUSED == 62
  // says: deleted
  stm::boxed<fixed> b;
  auto b2 = t.get(b);
#elif NOPAL_REFUSED == 63
  // says: pointer to reference || pointer to a reference
  stm::boxed<int&> b{n};
#elif NOPAL_REFUSED == 64
  // says: nopal: T must be trivially copyable
  stm::var<int&> r{n};
#elif NOPAL_REFUSED == 65
  // says: no matching
  stm::queue<std::string> q;
  q.push(t, 5);
#elif NOPAL_REFUSED == 66
  // says: no matching
  map.set(t, "a", 1);
#elif NOPAL_REFUSED == 67
  // says: no matching
  map.set(t, 1);
#elif NOPAL_REFUSED == 68
  // says: operator[] || subscript operator
  map[1] = 2;
#elif NOPAL_REFUSED == 69
  // says: a part of a transaction cannot be called
  hash_map.for_each(t, [](const std::string&) {});
#elif NOPAL_REFUSED == 70
  // says: t.set(v, x) writes a stm::var or a stm::boxed
  t.set(array, 1, 2);
#endif
  static_cast<void>(n);
}

int main() {
  stm::var<int> v{1};
#if NOPAL_REFUSED == 0
  stm::atomically(body);
  stm::irrevocably([&](stm::transaction& t) { t.set(v, 1); });
  int n = nopal::wait(stm::async_atomically([&](stm::transaction& t) { return t.get(v); }));
  n = stm::atomically<stm::hash_reads>([&](auto& t) { return t.get(v); });
  static_cast<void>(n);
#elif NOPAL_REFUSED == 71
  // says: the body of a transaction returns a task
  static_cast<void>(stm::atomically([](stm::transaction&) { return some_task(); }));
#elif NOPAL_REFUSED == 72
  // says: the body of a transaction returns a task
  static_cast<void>(stm::irrevocably([](stm::transaction&) { return some_task(); }));
#elif NOPAL_REFUSED == 73
  // says: cannot be called with the transaction alone
  stm::atomically([] {});
#elif NOPAL_REFUSED == 74
  // says: cannot be called with the transaction alone
  stm::atomically([](stm::transaction) {});
#elif NOPAL_REFUSED == 75
  // says: overloaded function with no contextual type information || a_transaction_is_one_function
  stm::atomically(overloaded);
#elif NOPAL_REFUSED == 76
  // says: a_transaction_is_one_function
  stm::atomically();
#elif NOPAL_REFUSED == 77
  // says: a_transaction_is_one_function
  stm::atomically(body, 1);
#elif NOPAL_REFUSED == 78
  // says: cannot be called with the transaction alone
  stm::irrevocably([] {});
#elif NOPAL_REFUSED == 79
  // says: cannot be called with the transaction alone
  static_cast<void>(stm::async_atomically([] {}));
#elif NOPAL_REFUSED == 80
  // says: cannot be called with the transaction alone
  stm::atomically<stm::hash_reads>([](stm::transaction&) {});
#elif NOPAL_REFUSED == 81
  // says: can neither be copied nor moved
  stm::atomically([](stm::transaction&) { return fixed(); });
#elif NOPAL_REFUSED == 82
  // says: cannot be called with the transaction alone
  stm::atomically([](stm::transaction&&) {});
#elif NOPAL_REFUSED == 83
  // says: cannot be called with the transaction alone
  stm::atomically(7);
#elif NOPAL_REFUSED == 84
  // says: the body of a transaction returns a task
  static_cast<void>(stm::async_atomically([](stm::transaction&) { return some_task(); }));
#elif NOPAL_REFUSED == 85
  // says: a copy of the body lies in the task
  const auto body_that_is_kept = [p = std::make_unique<int>(1)](stm::transaction&) { return *p; };
  static_cast<void>(stm::async_atomically(body_that_is_kept));
#elif NOPAL_REFUSED == 86
  // says: a transaction t sets it: t.set()
  stm::atomically([&](stm::transaction& t) { v = t.get(v); });
#elif NOPAL_REFUSED == 87
  // says: unused-result
  stm::async_atomically([&](stm::transaction& t) { t.set(v, 1); });
#elif NOPAL_REFUSED == 88
  // says: stm::array_reads or stm::hash_reads
  stm::atomically<int>([&](stm::transaction& t) { t.set(v, 1); });
#elif NOPAL_REFUSED == 89
  // says: the body of a transaction returns a task
  stm::atomically(some_task());
#elif NOPAL_REFUSED == 90
  // says: Locks must be a policy of nopal/stm/policies.hpp
  nopal::stm::var<int, int> w;
#elif NOPAL_REFUSED == 91
  // says: Locks must be a policy of nopal/stm/policies.hpp
  nopal::stm::array<int, nopal::stm::transaction> a(3);
#elif NOPAL_REFUSED == 92
  // says: Locks must be a policy of nopal/stm/policies.hpp
  struct point : nopal::stm::object<std::mutex> {
    nopal::stm::field<int, std::mutex> x;
  } p;
#elif NOPAL_REFUSED == 93
  // says: nopal::stm::hash_map<K, V>: V must be copyable, and its destructor must not throw
  stm::hash_map<int, throws_at_end> m;
  stm::atomically([&](stm::transaction& t) { m.set(t, 1, throws_at_end()); });
#elif NOPAL_REFUSED == 94
  // says: nopal::stm::hash_map<K, V>: K must be copyable, and its destructor must not throw
  stm::hash_map<std::unique_ptr<int>, int> m;
  stm::atomically([&](stm::transaction& t) { m.for_each(t, [](auto&, int) {}); });
#elif NOPAL_REFUSED == 95
  // says: the key cannot be converted to K
  stm::hash_map<std::string, std::string> m;
  stm::atomically([&](stm::transaction& t) { m.set(t, 1, "one"); });
#elif NOPAL_REFUSED == 96
  // says: a part of a transaction cannot be called
  stm::hash_map<int, std::string> m;
  stm::atomically([&](stm::transaction& t) { m.for_each(t, [](int, std::string&) {}); });
#elif NOPAL_REFUSED == 97
  // says: nopal::stm::hash_map<K, V>: V must be copyable, and its destructor must not throw
  stm::hash_map<int, std::unique_ptr<int>> m;
  stm::atomically([&](stm::transaction& t) { static_cast<void>(m.find(t, 1)); });
#elif NOPAL_REFUSED == 98
  // says: nopal::stm::hash_map<K, V>: K must be copyable, and its destructor must not throw
  stm::hash_map<std::unique_ptr<int>, int> m;
  stm::atomically([&](stm::transaction& t) { m.set(t, std::make_unique<int>(1), 1); });
#elif NOPAL_REFUSED == 99
  // says: Hash and Equal must both take it and have a type is_transparent
  stm::hash_map<std::string, int, std::hash<std::string>> m;
  stm::atomically([&](stm::transaction& t) { m.erase(t, std::string_view("a")); });
#endif
}
