// SPDX-License-Identifier: Apache-2.0
// The client of the echo servers: many connections that say nothing, and some that ask again as
// soon as they are answered. One thread, epoll. Prints one line of JSON.
#include <sys/epoll.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "echo/listen.hpp"

namespace nopal_bench {
namespace {

using clock = std::chrono::steady_clock;
using seconds = std::chrono::duration<double>;

struct arguments {
  std::uint16_t port = 0;
  unsigned idle = 0;
  unsigned busy = 100;
  std::size_t bytes = 64;
  double seconds = 1;
  double idle_seconds = 0;
  int server = 0;
};

int connected_socket(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || ::connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) {
    echo_failure("connect");
  }
  send_at_once(fd);
  return fd;
}

/// A connection that waits for its answer.
class asking {
 public:
  asking(int fd, std::size_t bytes, unsigned number) : fd_(fd), request_(bytes), answer_(bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
      request_[i] = static_cast<std::uint8_t>(i * 7 + number);
    }
  }
  ~asking() { ::close(fd_); }
  asking(const asking&) = delete;
  asking& operator=(const asking&) = delete;

  [[nodiscard]] int fd() const { return fd_; }

  void ask() {
    ++request_[0];  // each request differs from the one before
    begin_ = clock::now();
    received_ = 0;
    if (::send(fd_, request_.data(), request_.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(request_.size())) {
      echo_failure("send");
    }
  }

  /// Reads what is there. Whether the answer is complete. Throws if it is wrong.
  bool read() {
    const ssize_t got = ::recv(fd_, answer_.data() + received_, answer_.size() - received_, 0);
    if (got < 0) {
      echo_failure("recv");
    }
    if (got == 0) {
      throw std::runtime_error("the server has closed a connection");
    }
    received_ += static_cast<std::size_t>(got);
    if (received_ != answer_.size()) {
      return false;
    }
    if (answer_ != request_) {
      throw std::runtime_error("an answer is not what was sent");
    }
    return true;
  }

  /// Asks, and waits for the answer.
  void ask_and_wait() {
    ask();
    while (!read()) {
    }
  }

  [[nodiscard]] double waited() const { return seconds(clock::now() - begin_).count(); }

 private:
  int fd_;
  std::vector<std::uint8_t> request_;
  std::vector<std::uint8_t> answer_;
  std::size_t received_ = 0;
  clock::time_point begin_;
};

using connections = std::vector<std::unique_ptr<asking>>;

connections connect_all(const arguments& a, unsigned count) {
  connections all;
  for (unsigned i = 0; i < count; ++i) {
    all.push_back(std::make_unique<asking>(connected_socket(a.port), a.bytes, i));
  }
  return all;
}

/// CPU seconds of a process so far.
double cpu_of(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) {
    fields >> skipped;
  }
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

/// Bytes that a process has in memory.
std::uint64_t memory_of(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// The latencies of all requests that were answered within the time.
std::vector<double> keep_asking(connections& busy, double for_seconds) {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  for (auto& c : busy) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = c.get();
    if (::epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd(), &event) != 0) {
      echo_failure("epoll_ctl");
    }
    c->ask();
  }
  std::vector<double> latencies;
  const clock::time_point until =
      clock::now() + std::chrono::duration_cast<clock::duration>(seconds(for_seconds));
  std::size_t waiting = busy.size();
  std::array<epoll_event, 256> events;
  while (waiting != 0) {
    const int count = ::epoll_wait(epoll, events.data(), events.size(), 10'000);
    if (count == 0) {
      throw std::runtime_error("no answer for ten seconds");
    }
    const bool goes_on = clock::now() < until;
    for (int i = 0; i < count; ++i) {
      auto& c = *static_cast<asking*>(events[i].data.ptr);
      if (!c.read()) {
        continue;
      }
      if (goes_on) {
        latencies.push_back(c.waited());
        c.ask();
      } else {
        --waiting;
      }
    }
  }
  ::close(epoll);
  return latencies;
}

nlohmann::json microseconds(std::vector<double>& sorted) {
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double share) {
    const auto last = static_cast<double>(sorted.size() - 1);
    return sorted[static_cast<std::size_t>(std::lround(share * last))] * 1e6;
  };
  return {{"median", at(0.5)},
          {"p90", at(0.9)},
          {"p99", at(0.99)},
          {"p999", at(0.999)},
          {"max", at(1)}};
}

nlohmann::json measure(const arguments& a) {
  connections idle = connect_all(a, a.idle);
  connections busy = connect_all(a, a.busy);
  for (auto* all : {&idle, &busy}) {
    for (auto& c : *all) {
      c->ask_and_wait();
    }
  }
  nlohmann::json record{{"idle", a.idle}, {"busy", a.busy}, {"bytes", a.bytes}};
  if (a.server != 0) {
    const double before = cpu_of(a.server);
    std::this_thread::sleep_for(seconds(a.idle_seconds));
    if (a.idle_seconds > 0) {
      record["idle_cpu_percent"] = 100 * (cpu_of(a.server) - before) / a.idle_seconds;
    }
    record["server_rss_bytes"] = memory_of(a.server);
  }
  const double before = a.server != 0 ? cpu_of(a.server) : 0;
  std::vector<double> latencies = keep_asking(busy, a.seconds);
  if (a.server != 0) {
    record["server_cpu_seconds"] = cpu_of(a.server) - before;
  }
  if (latencies.empty()) {
    throw std::runtime_error("no request was answered in time");
  }
  for (auto& c : idle) {  // they must have come to no harm
    c->ask_and_wait();
  }
  record["requests"] = latencies.size();
  record["requests_per_second"] = static_cast<double>(latencies.size()) / a.seconds;
  record["microseconds"] = microseconds(latencies);
  return record;
}

/// One descriptor for each connection, and some for the rest.
void allow_descriptors(const arguments& a) {
  const rlim_t needed = a.idle + a.busy + 64;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(needed, limit.rlim_max));
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace
}  // namespace nopal_bench

int main(int count, char** words) {
  nopal_bench::arguments a;
  CLI::App app("Measures an echo server; prints one line of JSON.");
  app.add_option("--port", a.port, "of the server, on the loopback interface")->required();
  app.add_option("--idle", a.idle, "connections that say nothing");
  app.add_option("--busy", a.busy, "connections that ask without pause")
      ->check(CLI::PositiveNumber);
  app.add_option("--bytes", a.bytes, "of a request")->check(CLI::Range(1, 1 << 16));
  app.add_option("--seconds", a.seconds, "to ask")->check(CLI::PositiveNumber);
  app.add_option("--idle-seconds", a.idle_seconds, "before, in which nobody asks")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--server", a.server, "the server's process, to say what it takes");
  CLI11_PARSE(app, count, words);
  try {
    nopal_bench::allow_descriptors(a);
    std::cout << nopal_bench::measure(a) << '\n';
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
