// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "nopal/detail/runtime/completion.hpp"
#include "nopal/detail/stm/block_cache.hpp"
#include "nopal/detail/stm/checked_transaction.hpp"
#include "nopal/detail/stm/transaction_core.hpp"
#include "nopal/stm/object.hpp"
#include "nopal/stm/policies.hpp"
#include "nopal/stm/var.hpp"

namespace nopal {
namespace detail {

template <class Reads>
struct transaction_runner;

/// Whether the work of a function that returns an R ends with its call. A part of a transaction
/// must not return a task, which would run when the transaction is over.
template <class R>
inline constexpr bool ends_with_call = !has_completion<std::remove_cvref_t<R>>;

}  // namespace detail

namespace stm {

/// A function that a transaction t can call as f(t), and that returns no task.
template <class F, class Reads = default_reads>
concept transaction_body =
    std::invocable<F&, basic_transaction<Reads>&> &&
    detail::ends_with_call<std::invoke_result_t<F&, basic_transaction<Reads>&>>;

/// The body of a transaction reads and writes through this. atomically() makes it.
/// \code
/// nopal::stm::var<int> from{10}, to{0};
/// nopal::stm::atomically([&](nopal::stm::transaction& t) {
///   if (t.get(from) < 5) t.retry();  // sleeps until `from` has changed
///   t.set(from, t.get(from) - 5);
///   t.set(to, t.get(to) + 5);
/// });
/// \endcode
///
/// All that a body reads, even one that is going to be repeated, belongs to one moment. If another
/// transaction has made that impossible, an access throws an exception of an internal type, which
/// ends the attempt. A body that catches it by `catch (...)` should throw it on; otherwise the next
/// access throws it again, or the end of the body repeats the transaction.
///
/// If an object is freed only by destroy(), it stays there until all transactions have ended that
/// have read a pointer to it.
///
/// Thread-safety: one strand at a time uses it. A body may fork: its strands may go on, and the
/// transaction may commit, on other workers.
/// \tparam Reads  the policy that says how it keeps what it has read: one of policies.hpp.
/// Complexity: a read costs no atomic read-modify-write. It is constant, unless somebody else has
/// committed to the location meanwhile: then all that was read is looked at again.
/// Source: TL2, Dice, Shalev and Shavit, DISC 2006; Gidron 2012, chapter 2.
template <class Reads = default_reads>
class basic_transaction : private detail::transaction_core {
 public:
  basic_transaction(const basic_transaction&) = delete;
  basic_transaction& operator=(const basic_transaction&) = delete;

  /// Returns the value, as of the moment of this transaction or as set by it.
  template <class T, class L>
  [[nodiscard]] T get(const var<T, L>& v) {
    return read<Reads>(v.lock(), v.cell_);
  }
  template <class... A>
    requires(!detail::accessible<A...>)
  void get(const A&... /*what*/) {
    detail::refuse_get<A...>();
  }

  /// Sets the value when the transaction commits, for all others at once.
  /// \throws std::bad_alloc
  template <class T, class L>
  void set(var<T, L>& v, const std::type_identity_t<T>& value) {
    write(v.lock(), v.cell_, value);
  }

  /// Does the same for a value of any type. The reference is valid until the transaction ends, or
  /// sets another value. Needs nopal/stm/boxed.hpp.
  template <class T, class L>
  [[nodiscard]] const T& get(const boxed<T, L>& b) {
    return b.get(*this);
  }
  /// \throws std::bad_alloc, and what the constructor of T throws.
  template <class T, class L, class V>
    requires std::constructible_from<T, V>
  void set(boxed<T, L>& b, V&& value) {
    b.set(*this, std::forward<V>(value));
  }

  /// Returns a field of an object.
  /// \param f  &C::field, where O is C or derived from it.
  template <class O, class T, class L, class C>
    requires std::derived_from<O, C> && std::derived_from<O, object<L>>
  [[nodiscard]] T get(const O& o, field<T, L> C::* f) {
    return get(o, static_cast<const C&>(o).*f);
  }
  template <class O, class T, class L, class C>
    requires(!std::is_const_v<O>) && std::derived_from<O, C> && std::derived_from<O, object<L>>
  void set(O& o, field<T, L> C::* f, const std::type_identity_t<T>& value) {
    set(o, static_cast<C&>(o).*f, value);
  }
  /// Does the same for a field that the caller has at hand, such as o.children[1].
  /// \param f  lies in `o`.
  template <class O, class T, class L>
    requires std::derived_from<O, object<L>>
  [[nodiscard]] NOPAL_ALWAYS_INLINE T get(const O& o, const field<T, L>& f) {
    return read<Reads>(f.lock(static_cast<const object<L>&>(o).lock_part()), f.cell_);
  }
  template <class O, class T, class L>
    requires(!std::is_const_v<O>) && std::derived_from<O, object<L>>
  void set(O& o, field<T, L>& f, const std::type_identity_t<T>& value) {
    write(f.lock(static_cast<const object<L>&>(o).lock_part()), f.cell_, value);
  }
  template <class First, class... More>
    requires(!detail::writable<First, More...>)
  void set(First&& /*what*/, More&&... /*more*/) {
    detail::refuse_set<First, More...>();
  }

  /// Returns new T(args...), which is deleted again if the transaction does not commit. If
  /// or_else(), nested() or retry() undoes it, it is deleted then. But if the transaction may have
  /// read memory that the constructor has allocated, it is deleted when the attempt has ended or
  /// has slept. Reads of its own fields are not in the read-set.
  /// \throws what `new` and the constructor throw.
  template <class T, class... A>
  [[nodiscard]] T* make(A&&... args) {
    if constexpr (detail::check_make<T, A...>()) {
      T* made = detail::new_object<T>(freed(), std::forward<A>(args)...);
      try {
        add_made(
            {{made, detail::delete_object<T>}, sizeof(T), std::is_trivially_destructible_v<T>});
      } catch (...) {
        detail::delete_object<T>(made, freed());
        throw;
      }
      return made;
    } else {
      return nullptr;
    }
  }

  /// If the transaction commits, deletes *p when no other transaction can read it any more.
  /// \param p  came from `new` or make(), or is nullptr. This transaction, or one before it, makes
  /// *p unreachable. Its destructor runs on some thread that runs transactions, or in
  /// synchronize(); it must not throw.
  /// \throws std::bad_alloc. Also std::logic_error if *p was destroyed before: by this transaction,
  /// by any other if *p is an object with a lock of its own, or by one that this thread has run.
  /// That is found as long as *p is not freed; later it is the same mistake as a second `delete`.
  template <class T>
  void destroy(T* p) {
    if constexpr (detail::check_destroy<T*>()) {
      if (p == nullptr) return;
      using object_type = std::remove_const_t<T>;
      add_destroyed({const_cast<object_type*>(p), detail::delete_object<object_type>},
                    lock_of_all(*p));
    }
  }

  template <class P>
  void destroy(const P& /*p*/) {
    detail::check_destroy<P>();
  }

  /// Ends the attempt. The transaction is repeated when something that it has read has changed. A
  /// strand is suspended until then, and its worker does something else; a thread that is no worker
  /// sleeps. Within the first function of or_else() the second one is tried instead. If nothing has
  /// been read but what the transaction has made itself, so that nothing would ever wake it,
  /// atomically() throws std::logic_error. irrevocably() does so in every case.
  [[noreturn]] void retry() { unwind_to_retry(); }

  /// Returns f(t), or, if that calls retry(), g(t) as if f had not been called. If both call
  /// retry(), the transaction waits for a change to what either has read.
  /// \code
  /// nopal::stm::var<int> a{0}, b{1};
  /// auto take = [](nopal::stm::var<int>& v) {
  ///   return [&v](nopal::stm::transaction& t) {
  ///     const int x = t.get(v);
  ///     if (x == 0) t.retry();
  ///     t.set(v, 0);
  ///     return x;
  ///   };
  /// };
  /// int taken = nopal::stm::atomically(
  ///     [&](nopal::stm::transaction& t) { return t.or_else(take(a), take(b)); });
  /// \endcode
  /// Source: Harris, Marlow, Peyton Jones and Herlihy, PPoPP 2005.
  template <class F, class G>
  auto or_else(F&& f, G&& g) -> detail::result_of_part<F&, basic_transaction&> {
    if constexpr (detail::check_or_else<F&, G&, basic_transaction&>()) {
      const savepoint s = save();
      try {
        return call_and_keep(f, s);
      } catch (const detail::transaction_unwinding&) {
        if (!undo_if_it_retries(s)) throw;
      }
      return g(*this);
    } else {
      return detail::refused_result<detail::result_of_part<F&, basic_transaction&>>();
    }
  }
  template <
      class No = detail::or_else_takes_two_functions__a_lambda_chooses_among_several_of_one_name>
  No or_else(...);

  /// Returns f(t). If f throws, what it has written, made, destroyed and registered is undone, and
  /// the transaction can go on. What it has read counts as read.
  /// \throws what f throws.
  template <class F>
  auto nested(F&& f) -> detail::result_of_part<F&, basic_transaction&> {
    if constexpr (detail::check_part<F&, basic_transaction&>()) {
      const savepoint s = save();
      try {
        return call_and_keep(f, s);
      } catch (const detail::transaction_unwinding&) {
        throw;
      } catch (...) {
        // If the attempt has failed, f may have thrown because of that. Then this throws instead.
        check_alive();
        undo(s);
        throw;
      }
    }
  }
  template <
      class No = detail::a_transaction_is_one_function__a_lambda_chooses_among_several_of_one_name>
  No nested(...);

  /// f() is called when the transaction has committed, in the order of these calls, on the thread
  /// that has committed it. f may run transactions. It must not throw.
  template <class F>
  void on_commit(F&& f) {
    if constexpr (detail::check_part<F&>()) add_on_commit(std::forward<F>(f));
  }
  /// f() is called, the last one first, whenever an attempt ends without commit: because of an
  /// exception, of a conflict or of retry(). It must neither throw nor run transactions, nor free
  /// what the transaction has read: make() does that when it is time.
  template <class F>
  void on_abort(F&& f) {
    if constexpr (detail::check_part<F&>()) add_on_abort(std::forward<F>(f));
  }

  /// Returns the size of the read-set so far.
  [[nodiscard]] std::size_t locations_read() const noexcept {
    return transaction_core::locations_read();
  }

 private:
  template <class R>
  friend struct detail::transaction_runner;

  explicit basic_transaction(bool irrevocable) : transaction_core(irrevocable) {}

  template <class L>
  static L locks_of(const object<L>&);  // not defined

  /// Returns the lock for all of `o`, or nullptr if there is none. Its new version wakes whoever
  /// sleeps and has read `o`, before `o` is freed.
  template <class T>
  static detail::versioned_lock* lock_of_all([[maybe_unused]] const T& o) noexcept {
    if constexpr (requires { locks_of(o); }) {
      using locks = decltype(locks_of(o));
      const object<locks>& base = o;
      return locks::lock_of_all(base.lock_part());
    } else {
      return nullptr;
    }
  }

  template <class F>
  auto call_and_keep(F& f, const savepoint& s) -> std::invoke_result_t<F&, basic_transaction&> {
    using result = std::invoke_result_t<F&, basic_transaction&>;
    if constexpr (std::is_void_v<result>) {
      f(*this);
      keep(s);
    } else if constexpr (std::is_reference_v<result>) {
      result r = f(*this);
      keep(s);
      return static_cast<result>(r);
    } else {
      result r = f(*this);
      keep(s);
      return r;
    }
  }
};

using transaction = basic_transaction<>;

}  // namespace stm
}  // namespace nopal
