// SPDX-License-Identifier: Apache-2.0
#include "walk.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <nopal/nopal.hpp>
#include <string>
#include <utility>

#include "interrupt.hpp"

namespace treehash {
namespace {

// A level takes about 1 KiB of a stack of 1 MiB, and several times that under AddressSanitizer.
constexpr unsigned levels_in_one_go = 96;

struct child_file {
  std::string path = {};
  digest sum = {};
  std::uint64_t bytes = 0;
  bool hashed = false;
};

struct children {
  std::vector<child_file> files;
  std::vector<std::string> directories;
};

class walker {
 public:
  walker(const tree& where, const walk_options& how, counters& done)
      : tree_(where), how_(how), done_(done) {}

  walk_result walk();

 private:
  void visit(const std::string& path, unsigned level);
  void visit_children(children& below, unsigned level);
  void hash(child_file& file);
  void hash_found();
  void take(child_file& file, const hash_result& result);
  children sort_out(const std::string& path);
  void add(children& below, const std::string& directory, named&& child);

  // The following functions lock, so they do not fork.
  void report(problem_kind kind, const std::string& path, std::string reason);
  void report_error(const std::string& path, int error);
  void count_link(const std::string& path);
  void collect(children& below);
  void set_aside(children& below);
  void postpone(const std::string& path);

  const tree& tree_;
  const walk_options how_;
  counters& done_;
  std::mutex mutex_;
  walk_result result_;
  std::vector<std::string> postponed_;
  std::vector<std::string> found_;  ///< Files to be hashed by hash_all.
};

const char* special_name(mode_t type) {
  switch (type) {
    case S_IFIFO:
      return "pipe, not opened";
    case S_IFSOCK:
      return "socket, not opened";
    case S_IFBLK:
      return "block device, not opened";
    case S_IFCHR:
      return "character device, not opened";
    default:
      return "of an unknown type, not opened";
  }
}

void walker::report(problem_kind kind, const std::string& path, std::string reason) {
  const std::lock_guard lock(mutex_);
  result_.problems.push_back({.kind = kind, .path = path, .reason = std::move(reason)});
}

void walker::report_error(const std::string& path, int error) {
  // When the directory was read, the path was a file or a directory. Now it does not exist, or it
  // is something else.
  const bool vanished = error == ENOENT || error == ENOTDIR || error == ELOOP || error == ESTALE;
  report(vanished ? problem_kind::vanished : problem_kind::unreadable, path, explain(error));
}

void walker::count_link(const std::string& path) {
  if (how_.ignore_links) {
    const std::lock_guard lock(mutex_);
    ++result_.ignored_links;
  } else {
    report(problem_kind::symbolic_link, path, "not followed");
  }
}

void walker::postpone(const std::string& path) {
  const std::lock_guard lock(mutex_);
  postponed_.push_back(path);
}

void walker::collect(children& below) {
  const std::lock_guard lock(mutex_);
  for (child_file& file : below.files) {
    if (!file.hashed) continue;
    result_.bytes += file.bytes;
    result_.files.push_back({.path = std::move(file.path), .sum = file.sum});
  }
}

void walker::set_aside(children& below) {
  const std::lock_guard lock(mutex_);
  for (child_file& file : below.files) found_.push_back(std::move(file.path));
}

void walker::add(children& below, const std::string& directory, named&& child) {
  std::string path = directory.empty() ? std::move(child.name) : directory + '/' + child.name;
  if (child.error != 0) {
    report_error(path, child.error);
  } else if (S_ISREG(child.type)) {
    below.files.push_back({.path = std::move(path)});
  } else if (S_ISDIR(child.type)) {
    below.directories.push_back(std::move(path));
  } else if (S_ISLNK(child.type)) {
    count_link(path);
  } else {
    report(problem_kind::special_file, path, special_name(child.type));
  }
}

children walker::sort_out(const std::string& path) {
  directory_contents contents = tree_.list(path);
  if (contents.error != 0) report_error(path, contents.error);
  children below;
  for (named& child : contents.names) add(below, path, std::move(child));
  return below;
}

void walker::hash(child_file& file) {
  if (!interrupted()) take(file, hash_path(tree_, file.path, done_));
}

void walker::hash_found() {
  const std::vector<hash_result> results = how_.hash_all(found_);
  children all;
  for (std::size_t i = 0; i != results.size(); ++i) {
    all.files.push_back({.path = std::move(found_[i])});
    take(all.files.back(), results[i]);
  }
  collect(all);
}

void walker::take(child_file& file, const hash_result& result) {
  switch (result.outcome) {
    case hash_outcome::unusual:
      report(problem_kind::vanished, file.path, "no regular file any more");
      return;
    case hash_outcome::failed:
      report_error(file.path, result.error);
      return;
    case hash_outcome::changed:
      report(problem_kind::changed, file.path,
             "written while it was read; the listing has what was read");
      break;
    case hash_outcome::hashed:
      break;
  }
  file.sum = result.sum;
  file.bytes = result.bytes;
  file.hashed = true;
}

void walker::visit(const std::string& path, unsigned level) {
  if (interrupted()) return;
  if (level == levels_in_one_go) {
    postpone(path);
    return;
  }
  children below = sort_out(path);
  visit_children(below, level + 1);
  how_.hash_all ? set_aside(below) : collect(below);
}

NOPAL_FORKS void walker::visit_children(children& below, unsigned level) {
  nopal::fork_frame frame;
  if (!how_.hash_all)
    for (child_file& file : below.files) frame.fork(&walker::hash, this, std::ref(file));
  for (const std::string& path : below.directories)
    frame.fork(&walker::visit, this, std::cref(path), level);
  frame.join();
}

walk_result walker::walk() {
  children round;
  round.directories.emplace_back();
  while (!round.directories.empty() && !interrupted()) {
    visit_children(round, 0);
    round.directories = std::exchange(postponed_, {});
  }
  if (how_.hash_all && !interrupted()) hash_found();
  if (!interrupted()) sort_by_path(result_.files);
  sort_problems(result_.problems);
  return std::move(result_);
}

}  // namespace

hash_result hash_path(const tree& where, const std::string& path, counters& done) {
  const opened source = where.open_file(path);
  if (!source.file) return {.outcome = hash_outcome::failed, .error = source.error};
  return hash_file(source.file.number(), done);
}

walk_result walk(const tree& where, const walk_options& how, counters& done) {
  return walker(where, how, done).walk();
}

}  // namespace treehash
