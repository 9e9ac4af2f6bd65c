// SPDX-License-Identifier: Apache-2.0
// errno is thread-local, and a strand may change its thread at a fork. Every function here that
// reads errno is kept out of its callers (noinline), so that none of them can hold the address of
// errno across a fork.
#include "tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>

#include "failure.hpp"

namespace treehash {
namespace {

int open_step(int directory, const char* path, int flags) {
  open_how how = {};
  how.flags = static_cast<unsigned>(flags | O_NOFOLLOW | O_CLOEXEC);
  how.resolve = RESOLVE_NO_SYMLINKS;
  const long number = syscall(SYS_openat2, directory, path, &how, sizeof how);
  // Sandboxes that do not know the call say EPERM.
  if (number < 0 && (errno == ENOSYS || errno == EPERM)) {
    return openat(directory, path, flags | O_NOFOLLOW | O_CLOEXEC);
  }
  return static_cast<int>(number);
}

// Some file systems leave the type to stat.
named with_type(int directory, const dirent& entry) {
  named found{.name = entry.d_name, .type = static_cast<mode_t>(DTTOIF(entry.d_type)), .error = 0};
  if (entry.d_type == DT_UNKNOWN) {
    struct stat status;
    if (fstatat(directory, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
      found.type = status.st_mode & S_IFMT;
    } else {
      found.error = errno;
    }
  }
  return found;
}

struct close_directory {
  void operator()(DIR* directory) const noexcept { closedir(directory); }
};

}  // namespace

descriptor::~descriptor() {
  if (number_ >= 0) close(number_);
}

tree::tree(const std::string& directory)
    : root_(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (root_) return;
  const int error = errno;
  const char* hint = error == ENOTDIR ? "; for a single file use sha256sum" : "";
  throw failure("cannot open the directory '" + directory + "': " + explain(error) + hint);
}

[[gnu::noinline]] opened tree::open_relative(const std::string& path, int flags) const {
  descriptor above;
  std::string_view rest = path;
  // PATH_MAX counts the terminating zero. A name is much shorter, so there is a slash to cut at.
  while (rest.size() >= PATH_MAX) {
    const std::size_t cut = rest.rfind('/', PATH_MAX - 1);
    if (cut == rest.npos) return {.file = descriptor(), .error = ENAMETOOLONG};
    const std::string step(rest.substr(0, cut));
    descriptor next(
        open_step(above ? above.number() : root_.number(), step.c_str(), O_PATH | O_DIRECTORY));
    if (!next) return {.file = descriptor(), .error = errno};
    above = std::move(next);
    rest.remove_prefix(cut + 1);
  }
  const std::string step(rest.empty() ? "." : rest);
  descriptor file(open_step(above ? above.number() : root_.number(), step.c_str(), flags));
  const int error = file ? 0 : errno;
  return {.file = std::move(file), .error = error};
}

opened tree::open_file(const std::string& path) const {
  return open_relative(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

[[gnu::noinline]] directory_contents tree::list(const std::string& path) const {
  directory_contents contents;
  opened directory = open_relative(path, O_RDONLY | O_DIRECTORY);
  contents.error = directory.error;
  if (!directory.file) return contents;
  const std::unique_ptr<DIR, close_directory> stream(fdopendir(directory.file.number()));
  if (!stream) {
    contents.error = errno;
    return contents;
  }
  const int number = directory.file.release();
  while (true) {
    errno = 0;
    const dirent* entry = readdir(stream.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") contents.names.push_back(with_type(number, *entry));
  }
  contents.error = errno;
  return contents;
}

[[gnu::noinline]] std::string explain(int error) { return std::generic_category().message(error); }

void raise_descriptor_limit() noexcept {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

}  // namespace treehash
