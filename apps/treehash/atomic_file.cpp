// SPDX-License-Identifier: Apache-2.0
#include "atomic_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "failure.hpp"

namespace treehash {
namespace {

struct free_memory {
  void operator()(char* memory) const noexcept { free(memory); }
};

// The mode that open() would have given the file. mkstemp makes files that nobody else can read.
mode_t usual_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

atomic_file::atomic_file(std::string path) : path_(std::move(path)) {
  struct stat status;
  if (stat(path_.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) {
      throw failure("cannot write the listing to '" + path_ +
                    "': not a regular file; name a file to be made or replaced, or use --list for "
                    "standard output");
    }
    // If a link leads to a file, the file is replaced, and not the link.
    const std::unique_ptr<char, free_memory> resolved(realpath(path_.c_str(), nullptr));
    if (resolved) path_ = resolved.get();
  }
  if (path_.empty() || path_.back() == '/') fail(path_.empty() ? ENOENT : EISDIR);
  const std::string directory = std::filesystem::path(path_).parent_path().string();
  if (access(directory.empty() ? "." : directory.c_str(), W_OK | X_OK) != 0) fail(errno);
}

atomic_file::~atomic_file() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void atomic_file::fail(int error) const {
  throw failure("cannot write the listing to '" + path_ + "': " + explain(error));
}

void atomic_file::open_temporary() {
  std::string name = path_ + ".XXXXXX";
  file_ = descriptor(mkostemp(name.data(), O_CLOEXEC));
  if (!file_) fail(errno);
  temporary_ = std::move(name);
}

void atomic_file::write(std::string_view text) {
  if (temporary_.empty()) open_temporary();
  while (!text.empty()) {
    const ssize_t count = ::write(file_.number(), text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      fail(errno);
    }
  }
}

void atomic_file::commit() {
  if (temporary_.empty()) open_temporary();
  if (fchmod(file_.number(), usual_mode()) != 0 || fsync(file_.number()) != 0) fail(errno);
  if (close(file_.release()) != 0) fail(errno);
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

}  // namespace treehash
