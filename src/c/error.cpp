// SPDX-License-Identifier: Apache-2.0
#include "c/error.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "nopal/wait/stopped.hpp"
#include "platform/threads/kept_for_thread.hpp"
#include "runtime/root_call.hpp"

namespace nopal::detail {
namespace {

/// What went wrong in the last call that has failed on a thread.
struct failure : kept_for_thread {
  std::array<char, 512> text{};
  std::exception_ptr exception;  ///< What nopal_rethrow() throws, or nullptr.
  void thread_ends() noexcept override;
};

constinit thread_local failure* last_failure = nullptr;

void failure::thread_ends() noexcept { last_failure = nullptr; }

/// Returns the place for the last failure of the calling thread, or nullptr if there is no memory.
/// The functions that call this neither fork nor wait, so they stay on their thread.
failure* failure_of_thread() noexcept {
  if (last_failure != nullptr) return last_failure;
  try {
    auto made = std::make_unique<failure>();
    failure* const f = made.get();
    keep_for_this_thread(std::move(made));
    return last_failure = f;
  } catch (...) {
    return nullptr;
  }
}

/// Notes both. This drops the exception before, whose destructor is the program's.
int note(int error, const char* text, std::exception_ptr e) noexcept {
  failure* const f = failure_of_thread();
  if (f == nullptr) return error;
  std::snprintf(f->text.data(), f->text.size(), "%s", text);
  const std::exception_ptr before = std::exchange(f->exception, std::move(e));
  return error;
}

/// Returns the error that a std::system_error has; EIO if it is of another category than errno's.
int number_of(const std::error_code& code) noexcept {
  const bool known =
      code.category() == std::generic_category() || code.category() == std::system_category();
  return known && code.value() > 0 ? code.value() : EIO;
}

const char* text_of(int error) noexcept {
  const char* const text = strerrordesc_np(error);
  return text != nullptr ? text : "an error of an unknown number";
}

}  // namespace

NOPAL_NOINLINE int c_error(int error, const char* text) noexcept {
  return note(error, text, nullptr);
}

int c_argument(const char* function, const char* what) noexcept {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), "nopal: %s: %s", function, what);
  return c_error(EINVAL, text.data());
}

int c_system_error(const char* function, const std::error_code& e) noexcept {
  const int error = number_of(e);
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), "nopal: %s: %s", function, text_of(error));
  return c_error(error, text.data());
}

NOPAL_NOINLINE int c_library_threw() noexcept {
  const std::exception_ptr e = std::current_exception();
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return note(ENOMEM, "nopal: there is no memory", e);
  } catch (const std::system_error& x) {
    return note(number_of(x.code()), x.what(), e);
  } catch (const std::invalid_argument& x) {
    return note(EINVAL, x.what(), e);
  } catch (const std::out_of_range& x) {
    return note(EINVAL, x.what(), e);
  } catch (const std::length_error& x) {
    return note(EAGAIN, x.what(), e);
  } catch (const std::runtime_error& x) {
    return note(EBUSY, x.what(), e);
  } catch (const runtime_of_parent& x) {
    return note(ECHILD, x.what(), e);
  } catch (const std::logic_error& x) {
    return note(EPERM, x.what(), e);
  } catch (...) {
    return note(NOPAL_E_EXCEPTION, "an exception of unknown type", e);
  }
}

NOPAL_NOINLINE int c_program_threw() noexcept {
  const std::exception_ptr e = std::current_exception();
  try {
    throw;
  } catch (const stopped& x) {
    return note(ECANCELED, x.what(), e);
  } catch (const runtime_of_parent& x) {
    return note(ECHILD, x.what(), e);
  } catch (const std::exception& x) {
    return note(NOPAL_E_EXCEPTION, x.what(), e);
  } catch (...) {
    return note(NOPAL_E_EXCEPTION, "an exception of unknown type", e);
  }
}

namespace {

/// Returns the exception of the last failure on this thread, and keeps it no longer.
NOPAL_NOINLINE std::exception_ptr take_exception() noexcept {
  return last_failure != nullptr ? std::exchange(last_failure->exception, nullptr) : nullptr;
}

}  // namespace
}  // namespace nopal::detail

// This is not inlined, as the others are not: a strand may have changed its thread since the caller
// last asked.
NOPAL_NOINLINE const char* nopal_last_error(void) {
  const nopal::detail::failure* const f = nopal::detail::last_failure;
  return f != nullptr ? f->text.data() : "";
}

void nopal_rethrow(int error) {
  if (error == 0) return;
  if (std::exception_ptr e = nopal::detail::take_exception()) std::rethrow_exception(std::move(e));
  throw std::system_error(error, std::generic_category(), nopal_last_error());
}
