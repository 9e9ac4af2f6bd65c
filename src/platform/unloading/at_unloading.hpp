// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal::detail {

/// What outlives its use is ended in these steps, before the code of nopal is unmapped. All of an
/// earlier step has ended when a later one begins.
enum class unloading_step : unsigned {
  runtimes,  ///< Their workers use all the rest.
  workers,   ///< None may be left.
  io,
  threads,  ///< What is kept for each thread.
  memory,   ///< What nobody can reach any more.
  handlers,
};

/// Has a function called before the code of nopal is unmapped, as dlclose(3) does to a plugin that
/// contains it, or that has libnopal.so for itself. The thread that unloads calls it, after the
/// destructors of static objects.
/// The function is called at the end of the process as well, with `process_ends`. That may be an
/// unloading, too: nobody can tell whether a destructor that exit(3) calls is to close the plugin.
/// Threads of the program may still run in nopal at that time. So the function frees nothing then,
/// and waits for nothing that they do.
class at_unloading {
 public:
  using function = void (*)(bool process_ends) noexcept;

  constexpr at_unloading(unloading_step s, function f) noexcept : step_(s), call_(f) {}
  at_unloading(const at_unloading&) = delete;
  at_unloading& operator=(const at_unloading&) = delete;

  /// Has the function called. Each call after the first does nothing. Lock-free. Precondition: the
  /// object is static.
  void note() noexcept;

 private:
  friend void unload(bool process_ends) noexcept;

  const unloading_step step_;
  const function call_;
  at_unloading* next_ = nullptr;
  bool noted_ = false;
};

}  // namespace nopal::detail
