// SPDX-License-Identifier: Apache-2.0
// The serial elision of a task is made of this: a coroutine that its parent runs to its end.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

#include "nopal/detail/platform/jump.hpp"

namespace nopal {
inline namespace serial {
namespace serial_detail {

/// The promise of a task except for its result.
class task_promise {
 public:
  struct final_awaiter {
    bool await_ready() const noexcept { return false; }
    void await_resume() const noexcept {}
    template <class P>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<P> h) const noexcept {
      return h.promise().parent_;
    }
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  final_awaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { note(std::current_exception()); }

  /// Notes `e`. The first of all exceptions until the next join counts.
  void note(std::exception_ptr e) noexcept {
    if (thrown_ == nullptr) thrown_ = std::move(e);
  }
  [[nodiscard]] std::exception_ptr take_exception() noexcept {
    return std::exchange(thrown_, nullptr);
  }
  void join() {
    if (thrown_ != nullptr) std::rethrow_exception(take_exception());
  }

  /// Says which coroutine goes on when this one has ended. If there is none, whoever has resumed
  /// this one goes on.
  void goes_on_with(std::coroutine_handle<> parent) noexcept { parent_ = parent; }

 private:
  std::coroutine_handle<> parent_ = std::noop_coroutine();
  std::exception_ptr thrown_;
};

/// A coroutine that ends with this.
template <class P>
class owned {
 public:
  explicit owned(std::coroutine_handle<P> h) noexcept : handle_(h) {}
  owned(owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  owned& operator=(owned&& other) noexcept {
    owned(std::move(other)).swap(*this);
    return *this;
  }
  ~owned() {
    if (handle_ != nullptr) handle_.destroy();
  }
  void swap(owned& other) noexcept { std::swap(handle_, other.handle_); }
  [[nodiscard]] std::coroutine_handle<P> handle() const noexcept { return handle_; }

 private:
  std::coroutine_handle<P> handle_;
};

/// Runs a child, and destroys it when it has ended. If coroutines do not hand over by a jump, a
/// call resumes the child: so a loop of forks needs no more stack than one fork.
template <class P>
class child_awaiter {
 public:
  child_awaiter(task_promise& parent, owned<P> child) noexcept
      : parent_(&parent), child_(std::move(child)) {}
  child_awaiter(const child_awaiter&) = delete;
  child_awaiter& operator=(const child_awaiter&) = delete;

  bool await_ready() const {
    if (detail::hands_over_by_jump()) return false;
    child_.handle().resume();
    return true;
  }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> h) const noexcept {
    child_.handle().promise().goes_on_with(h);
    return child_.handle();
  }

 protected:
  [[nodiscard]] P& child() const noexcept { return child_.handle().promise(); }
  /// Ends the child. Returns whether it has thrown; its exception is the parent's then.
  bool end_child() noexcept {
    std::exception_ptr e = child_.handle().promise().take_exception();
    owned<P>(std::move(child_));
    if (e == nullptr) return false;
    parent_->note(std::move(e));
    return true;
  }
  void join_parent() { parent_->join(); }

 private:
  task_promise* parent_;
  owned<P> child_;
};

template <class P>
struct fork_awaiter : child_awaiter<P> {
  using child_awaiter<P>::child_awaiter;
  void await_resume() noexcept { this->end_child(); }
};

template <class P>
struct call_awaiter : child_awaiter<P> {
  using child_awaiter<P>::child_awaiter;
  void await_resume() {
    if (this->end_child()) this->join_parent();
  }
};

struct join_awaiter : std::suspend_never {
  task_promise* task;
  void await_resume() const { task->join(); }
};

}  // namespace serial_detail
}  // namespace serial
}  // namespace nopal
