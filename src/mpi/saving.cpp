// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/mpi/saving.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "nopal/mpi/error.hpp"
#include "nopal/mpi/function.hpp"

namespace nopal::detail::mpi {

namespace {

using nopal::mpi::error;
using nopal::mpi::input_archive;
using nopal::mpi::output_archive;

/// Files of another format begin otherwise.
constexpr std::uint64_t mark_of_format = number_of_name("nopal::mpi::world, saved, 1");

std::uint64_t sum_of(const bytes& content) {
  return number_of_name({reinterpret_cast<const char*>(content.data()), content.size()});
}

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), "nopal::mpi::world::save_every: " + what);
}

/// A file that is open.
class descriptor {
 public:
  descriptor(const std::filesystem::path& file, int flags)
      : file_(file), number_(open(file.c_str(), flags | O_CLOEXEC, 0666)) {
    if (number_ < 0) fail("'" + file.string() + "' cannot be opened");
  }
  ~descriptor() { close(number_); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;

  void write(const bytes& content) const {
    for (std::size_t at = 0; at < content.size();) {
      const ssize_t n = ::write(number_, content.data() + at, content.size() - at);
      if (n >= 0)
        at += static_cast<std::size_t>(n);
      else if (errno != EINTR)
        fail("'" + file_.string() + "' cannot be written");
    }
  }
  /// Returns when what has been written would outlive a loss of power.
  void sync() const {
    if (fsync(number_) != 0) fail("'" + file_.string() + "' cannot be written");
  }

 private:
  std::filesystem::path file_;
  int number_;
};

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

}  // namespace

saving::saving(std::filesystem::path file) : file_(std::move(file)) {
  if (access(folder_of(file_).c_str(), W_OK | X_OK) != 0)
    fail("no file can be made in '" + folder_of(file_).string() + "'");
  if (std::filesystem::exists(file_)) read();
}

void saving::read() {
  std::ifstream in(file_, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in) fail("'" + file_.string() + "' cannot be read");
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  const bytes all(first, first + text.size());
  try {
    input_archive head(all);
    const auto mark = head.next<std::uint64_t>();
    const auto sum = head.next<std::uint64_t>();
    const auto content = head.next<bytes>();
    if (mark != mark_of_format || sum != sum_of(content) || !head.at_end())
      throw error("it has been changed, or is no such file");
    input_archive in_content(content);
    while (!in_content.at_end()) {
      const auto number = in_content.next<std::uint64_t>();
      entry& e = entries_[number];
      in_content(e.type, e.left);
    }
  } catch (const error& e) {
    throw error("nopal::mpi::world::save_every: '" + file_.string() +
                "' is not what a run has saved (" + e.what() +
                "); name another file, or remove this one to begin anew");
  }
}

std::optional<bytes> saving::kept(std::uint64_t operation, std::uint64_t type) const {
  const auto at = entries_.find(operation);
  if (at == entries_.end()) return {};
  if (at->second.type != type)
    throw error("nopal::mpi::world: '" + file_.string() + "' was saved by another program: its " +
                std::to_string(operation) +
                ". operation had another type; use the program that has saved it, or remove the "
                "file to begin anew");
  return at->second.left;
}

void saving::keep(std::uint64_t operation, std::uint64_t type, bytes left) {
  entries_[operation] = {type, std::move(left)};
}

void saving::write() const noexcept {
  try {
    output_archive content;
    for (const auto& [number, e] : entries_) content(number, e.type, e.left);
    const bytes all = content.take();
    output_archive out;
    out(mark_of_format, sum_of(all), all);
    replace(out.take());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "nopal: the work could not be saved, and goes on: %s\n", e.what());
  }
}

/// Either the old file is there at any time, or the new one.
void saving::replace(const bytes& content) const {
  {
    const descriptor d(part(), O_WRONLY | O_CREAT | O_TRUNC);
    d.write(content);
    d.sync();
  }
  std::filesystem::rename(part(), file_);
  descriptor(folder_of(file_), O_RDONLY | O_DIRECTORY).sync();
}

void saving::end() const noexcept {
  std::error_code ignored;
  const bool is_over = entries_.empty() || entries_.rbegin()->first <= begun_;
  if (begun_ != finished_ || !is_over) return;
  std::filesystem::remove(file_, ignored);
  std::filesystem::remove(part(), ignored);
}

}  // namespace nopal::detail::mpi
