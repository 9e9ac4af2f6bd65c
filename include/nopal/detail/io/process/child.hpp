// SPDX-License-Identifier: Apache-2.0
// A process that this one has started, until it has been reaped.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "nopal/detail/io/by_threads.hpp"
#include "nopal/detail/io/helper_call.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/io/process_options.hpp"

namespace nopal::detail {
#ifdef NOPAL_SERIAL
inline namespace serial_io {  // its options are those of the serial elision
#endif

/// A descriptor that is closed at the end.
class owned_descriptor {
 public:
  explicit owned_descriptor(int fd = -1) noexcept : fd_(fd) {}
  owned_descriptor(owned_descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  owned_descriptor& operator=(owned_descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~owned_descriptor() { reset(); }

  void reset() noexcept {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  [[nodiscard]] int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

#ifndef NOPAL_SERIAL
/// Waits until a process has ended, which remains to be reaped, and tells it by an eventfd.
struct exit_watch {
  exit_watch(pid_t p, int f) noexcept : id(p), tells(f) {}

  int operator()(std::error_code&) const noexcept {
    siginfo_t info;
    while (::waitid(P_PID, static_cast<id_t>(id), &info, WEXITED | WNOWAIT) != 0 &&
           errno == EINTR) {
    }
    return ::eventfd_write(tells, 1);
  }

  pid_t id;
  int tells;
};
#endif

/// A process that has been started. It is killed and reaped at the end, unless it has been reaped.
/// In a child of fork(2) the object is that of no process: only the process that has started
/// another may kill and reap it.
class child {
 public:
  child() noexcept = default;
  child(child&& other) noexcept { swap(other); }
  child& operator=(child&& other) noexcept {
    child(std::move(other)).swap(*this);
    return *this;
  }
  ~child() {
    if (!is_there()) return;
    signal(SIGKILL);
    std::error_code none;
    reap(none);
  }

  /// Starts one. Returns an empty one if it cannot be, and the error.
  NOPAL_NOINLINE static child start(const std::vector<std::string>& arguments,
                                    const io::process_options& options, std::error_code& error) {
    child c;
    error.assign(c.spawn(arguments, options), std::system_category());
    if (error) return {};
    return c;
  }

  void swap(child& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(starter_, other.starter_);
    std::swap(exit_, other.exit_);
    std::swap(is_pidfd_, other.is_pidfd_);
    std::swap(streams, other.streams);
#ifndef NOPAL_SERIAL
    std::swap(watch_, other.watch_);
#endif
  }

  [[nodiscard]] pid_t id() const noexcept { return id_; }
  /// A descriptor that can be read when the process has ended; -1 if there is none.
  [[nodiscard]] int exit_descriptor() const noexcept { return exit_.get(); }

  /// Whether the process has ended, or nobody can tell any more.
  [[nodiscard]] NOPAL_NOINLINE bool has_ended() const noexcept {
    if (!is_there()) return true;
    siginfo_t info{};
    int n = 0;
    do {
      if (exit_.get() >= 0) {
        pollfd p{exit_.get(), POLLIN, 0};
        n = ::poll(&p, 1, 0);
      } else {
        n = ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOWAIT | WNOHANG);
      }
    } while (n < 0 && errno == EINTR);
    return n != 0 || info.si_pid != 0;
  }

  /// Sends a signal, unless the process has been reaped. Returns 0 or the error number.
  NOPAL_NOINLINE int signal(int number) const noexcept {
    if (!is_there()) return ESRCH;
    const long n = is_pidfd_ ? ::syscall(SYS_pidfd_send_signal, exit_.get(), number, nullptr, 0)
                             : ::kill(id_, number);
    return n == 0 ? 0 : errno;
  }

  /// Waits for the end of the process, and returns it. It comes at once after has_ended().
  io::exit_status reap(std::error_code& error) noexcept {
    if (!is_there()) {
      error.assign(ECHILD, std::system_category());
      return {};
    }
#ifndef NOPAL_SERIAL
    if (watch_ != nullptr) watch_->wait();
    watch_.reset();
#endif
    return reap_here(error);
  }

 private:
  /// Whether there is a process to be reaped, of which this one is the parent.
  [[nodiscard]] bool is_there() const noexcept { return id_ != 0 && starter_ == ::getpid(); }

  /// The room for what posix_spawn is told.
  class plan {
   public:
    plan() noexcept : error_(::posix_spawn_file_actions_init(&actions_)) {}
    plan(const plan&) = delete;
    plan& operator=(const plan&) = delete;
    ~plan() { ::posix_spawn_file_actions_destroy(&actions_); }

    /// Notes the error number of a step, unless an earlier one has failed.
    void note(int error) noexcept {
      if (error_ == 0) error_ = error;
    }
    [[nodiscard]] int error() const noexcept { return error_; }
    posix_spawn_file_actions_t& actions() noexcept { return actions_; }

   private:
    posix_spawn_file_actions_t actions_{};
    int error_;
  };

  /// Returns the descriptor, or a copy whose number is that of no standard stream. These are taken
  /// in turn by what the process gets.
  static owned_descriptor above_streams(int fd) noexcept {
    owned_descriptor low(fd);
    if (fd > STDERR_FILENO || fd < 0) return low;
    return owned_descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  }

  /// Returns the end for the process, and keeps the other, or notes an error.
  owned_descriptor connect(int stream, io::stream to, plan& p) noexcept {
    owned_descriptor end;
    if (to == io::stream::discarded) {
      p.note(::posix_spawn_file_actions_addopen(&p.actions(), stream, "/dev/null", O_RDWR, 0));
    } else if (to == io::stream::piped) {
      std::array<int, 2> ends{-1, -1};
      if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        p.note(errno);
        return end;
      }
      owned_descriptor reads = above_streams(ends[0]), writes = above_streams(ends[1]);
      if (reads.get() < 0 || writes.get() < 0) p.note(EMFILE);
      const bool is_input = stream == STDIN_FILENO;
      end = std::move(is_input ? reads : writes);
      streams[static_cast<unsigned>(stream)] = std::move(is_input ? writes : reads);
      p.note(::posix_spawn_file_actions_adddup2(&p.actions(), end.get(), stream));
    }
    return end;
  }

  /// Reaps the process, on whatever thread: compilers keep the address of errno, and the strand may
  /// have changed threads in reap().
  NOPAL_NOINLINE io::exit_status reap_here(std::error_code& error) noexcept {
    siginfo_t info{};
    int n = 0;
    do {
      n = ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED);
    } while (n != 0 && errno == EINTR);
    error.assign(n == 0 ? 0 : errno, std::system_category());
    id_ = 0;
    exit_.reset();
    if (n != 0) return {};
    return info.si_code == CLD_EXITED ? io::exit_status{info.si_status, 0}
                                      : io::exit_status{0, info.si_status};
  }

  /// Starts the process. Returns 0 or the error number.
  int spawn(const std::vector<std::string>& arguments, const io::process_options& options) {
    const auto pointers = [](std::span<const std::string> texts) {
      std::vector<char*> all;
      for (const std::string& t : texts) all.push_back(const_cast<char*>(t.c_str()));
      all.push_back(nullptr);
      return all;
    };
    if (arguments.empty()) return EINVAL;
    plan p;
    const std::array ends{connect(STDIN_FILENO, options.input, p),
                          connect(STDOUT_FILENO, options.output, p),
                          connect(STDERR_FILENO, options.errors, p)};
    if (options.directory != nullptr)
      p.note(::posix_spawn_file_actions_addchdir_np(&p.actions(), options.directory));
    if (p.error() != 0) return p.error();
    const std::vector<char*> argv = pointers(arguments), envp = pointers(options.environment);
    pid_t id = 0;
    const int error = ::posix_spawnp(&id, argv[0], &p.actions(), nullptr, argv.data(),
                                     options.environment.empty() ? ::environ : envp.data());
    if (error == 0) {
      id_ = id;
      starter_ = ::getpid();
      watch_exit();
    }
    return error;
  }

  /// Has the end of the process be told. The process is not reaped before, so the number is its.
  void watch_exit() {
    if (!io_by_threads())
      exit_ = owned_descriptor(static_cast<int>(::syscall(SYS_pidfd_open, id_, 0)));
    is_pidfd_ = exit_.get() >= 0;
#ifndef NOPAL_SERIAL
    if (is_pidfd_) return;
    exit_ = owned_descriptor(::eventfd(0, EFD_CLOEXEC));
    if (exit_.get() < 0) return;  // has_ended() asks the system
    watch_ = std::make_shared<helper_call<exit_watch>>(exit_watch(id_, exit_.get()));
    shared_job::begin(watch_);
    if (watch_->is_done.is_set() && watch_->error) exit_.reset();
#endif
  }

  pid_t id_ = 0;
  pid_t starter_ = 0;  ///< The process that has started it.
  owned_descriptor exit_;
  bool is_pidfd_ = false;
#ifndef NOPAL_SERIAL
  std::shared_ptr<shared_job> watch_;  ///< It uses the descriptor of the exit, if that is no pidfd.
#endif

 public:
  std::array<owned_descriptor, 3> streams;  ///< This end of each that is piped.
};

/// \throws std::system_error, for a program that could not be started, or that a limit has ended.
[[noreturn]] inline void throw_start_error(const std::vector<std::string>& arguments,
                                           const std::error_code& error) {
  throw_io_error("process '" + (arguments.empty() ? std::string() : arguments.front()) + "'",
                 error);
}

inline io::process_options process_options_of(const io::run_options& o) {
  return {o.input.size() == 0 ? io::stream::discarded : io::stream::piped, o.output, o.errors,
          o.directory, o.environment};
}

/// Starts a process.
struct start_child {
  start_child(std::vector<std::string> a, const io::process_options& o) noexcept
      : arguments(std::move(a)), options(o) {}

  std::vector<std::string> arguments;
  io::process_options options;

  child operator()(std::error_code& error) const { return child::start(arguments, options, error); }
};

#ifdef NOPAL_SERIAL
}  // namespace serial_io
#endif
}  // namespace nopal::detail
