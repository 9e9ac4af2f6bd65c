// SPDX-License-Identifier: Apache-2.0
#include "platform/cpu_quota.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace nopal::detail {
namespace {

namespace fs = std::filesystem;

/// A tree of control groups, as it is mounted.
struct hierarchy {
  bool unified;      ///< cgroup v2
  std::string root;  ///< The group that is mounted at `mount`.
  fs::path mount;
};

/// Whether a list of controllers or of mount options has the word "cpu", or another. The two
/// functions below find by this the hierarchies and the groups that limit CPU time.
bool has_word(const std::string& comma_separated, const std::string& word) {
  std::istringstream in(comma_separated);
  for (std::string w; std::getline(in, w, ',');)
    if (w == word) return true;
  return false;
}

/// Returns the mounted hierarchies that can limit CPU time (proc(5), /proc/pid/mountinfo).
std::vector<hierarchy> cpu_hierarchies(const std::string& mountinfo) {
  std::vector<hierarchy> found;
  std::ifstream in(mountinfo);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string id, parent, device, root, mount, word, type, source, options;
    fields >> id >> parent >> device >> root >> mount;
    while (fields >> word && word != "-") {
    }
    fields >> type >> source >> options;
    if (type == "cgroup2") found.push_back({true, root, mount});
    if (type == "cgroup" && has_word(options, "cpu")) found.push_back({false, root, mount});
  }
  return found;
}

/// Returns this process's group in the hierarchy, or nothing (cgroups(7), /proc/pid/cgroup).
std::optional<std::string> group_of_process(const std::string& membership, bool unified) {
  std::ifstream in(membership);
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (unified ? controllers.empty() : has_word(controllers, "cpu"))
      return line.substr(second + 1);
  }
  return std::nullopt;
}

/// Returns how many CPUs a group may use, or nothing if there is no limit.
std::optional<double> ratio(double quota, double period) {
  if (quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

/// Returns how many CPUs one group may use, or nothing if it says no limit. cpu_quota() asks this
/// of the process's group and of those around it.
std::optional<double> limit_of(const fs::path& group, bool unified) {
  double quota = 0;
  double period = 0;
  if (unified) {
    // "max 100000" where there is no limit: reading a number then fails.
    std::ifstream in(group / "cpu.max");
    in >> quota >> period;
  } else {
    std::ifstream(group / "cpu.cfs_quota_us") >> quota;  // -1 if there is no limit
    std::ifstream(group / "cpu.cfs_period_us") >> period;
  }
  return ratio(quota, period);
}

}  // namespace

std::optional<double> cpu_quota(const cgroup_paths& paths) {
  std::optional<double> smallest;
  for (const hierarchy& h : cpu_hierarchies(paths.mounts)) {
    std::optional<std::string> group = group_of_process(paths.membership, h.unified);
    if (!group) continue;
    // Inside a container the mount shows the group's own directory as its root.
    if (h.root != "/" && group->starts_with(h.root)) group = group->substr(h.root.size());
    fs::path directory = h.mount / fs::path(*group).relative_path();
    for (;; directory = directory.parent_path()) {
      if (const auto limit = limit_of(directory, h.unified))
        smallest = std::min(smallest.value_or(*limit), *limit);
      if (directory == h.mount || !directory.has_relative_path() ||
          directory == directory.parent_path())
        break;
    }
  }
  return smallest;
}

}  // namespace nopal::detail
