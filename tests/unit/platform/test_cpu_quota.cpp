// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "platform/cpu_quota.hpp"

namespace {

namespace fs = std::filesystem;
using nopal::detail::cgroup_paths;
using nopal::detail::cpu_quota;

/// A made-up machine: /proc/self/cgroup, /proc/self/mountinfo, and the hierarchies they speak of,
/// below a folder of its own.
class CpuQuota : public testing::Test {
 protected:
  CpuQuota() {
    std::string name = testing::TempDir() + "nopal_quota_XXXXXX";
    root_ = mkdtemp(name.data());
  }
  ~CpuQuota() override { fs::remove_all(root_); }

  void write(const fs::path& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  [[nodiscard]] std::string mount(const char* type, const std::string& root, const fs::path& at,
                                  const char* options) const {
    return "30 20 0:26 " + root + " " + (root_ / at).string() + " rw,nosuid shared:4 master:1 - " +
           type + " cgroup " + options + "\n";
  }
  [[nodiscard]] cgroup_paths paths(const std::string& membership, const std::string& mounts) const {
    write("cgroup", membership);
    write("mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" + mounts);
    return {(root_ / "cgroup").string(), (root_ / "mountinfo").string()};
  }

  fs::path root_;
};

TEST_F(CpuQuota, NothingWithoutControlGroups) {
  EXPECT_EQ(cpu_quota(paths("", "")), std::nullopt);
  EXPECT_EQ(cpu_quota({"/nonexistent/cgroup", "/nonexistent/mountinfo"}), std::nullopt);
}

TEST_F(CpuQuota, Version2) {
  write("cg/app/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(paths("0::/app\n", mount("cgroup2", "/", "cg", "rw"))).value(), 1.5);
}

TEST_F(CpuQuota, Version2WithoutALimit) {
  write("cg/app/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota(paths("0::/app\n", mount("cgroup2", "/", "cg", "rw"))), std::nullopt);
}

TEST_F(CpuQuota, TheSmallestOfAllGroupsAbove) {
  write("cg/cpu.max", "800000 100000\n");
  write("cg/a/cpu.max", "50000 100000\n");
  write("cg/a/b/cpu.max", "max 100000\n");
  write("cg/a/b/c/cpu.max", "200000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(paths("0::/a/b/c\n", mount("cgroup2", "/", "cg", "rw"))).value(), 0.5);
}

TEST_F(CpuQuota, TheMountsOwnGroupCounts) {
  write("cg/cpu.max", "300000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(paths("0::/a/b\n", mount("cgroup2", "/", "cg", "rw"))).value(), 3);
  EXPECT_DOUBLE_EQ(cpu_quota(paths("0::/\n", mount("cgroup2", "/", "cg", "rw"))).value(), 3);
}

TEST_F(CpuQuota, NothingAboveTheMountCounts) {
  write("cpu.max", "100 100000\n");
  write("cg/cpu.max", "300000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(paths("0::/a\n", mount("cgroup2", "/", "cg", "rw"))).value(), 3);
}

TEST_F(CpuQuota, Version1) {
  write("cpu/app/cpu.cfs_quota_us", "250000\n");
  write("cpu/app/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(paths("5:memory:/other\n4:cpu,cpuacct:/app\n",
                                   mount("cgroup", "/", "mem", "rw,memory") +
                                       mount("cgroup", "/", "cpu", "rw,cpu,cpuacct")))
                       .value(),
                   2.5);
}

TEST_F(CpuQuota, Version1WithoutALimit) {
  write("cpu/app/cpu.cfs_quota_us", "-1\n");
  write("cpu/app/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(paths("4:cpu:/app\n", mount("cgroup", "/", "cpu", "rw,cpu"))), std::nullopt);
}

TEST_F(CpuQuota, CpusetIsNotCpu) {
  write("cpuset/app/cpu.cfs_quota_us", "100000\n");
  write("cpuset/app/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(paths("4:cpuset,cpuacct:/app\n",
                            mount("cgroup", "/", "cpuset", "rw,cpuset,cpuacct"))),
            std::nullopt);
}

TEST_F(CpuQuota, BothVersionsMounted) {
  write("cpu/app/cpu.cfs_quota_us", "400000\n");
  write("cpu/app/cpu.cfs_period_us", "100000\n");
  write("unified/app/cpu.max", "700000 100000\n");
  const std::string mounts =
      mount("cgroup", "/", "cpu", "rw,cpu") + mount("cgroup2", "/", "unified", "rw");
  EXPECT_DOUBLE_EQ(cpu_quota(paths("4:cpu:/app\n0::/app\n", mounts)).value(), 4);
}

// A container without a namespace of control groups: the mount shows the container's group as its
// root.
TEST_F(CpuQuota, ContainerWhoseMountIsItsOwnGroup) {
  write("cpu/cpu.cfs_quota_us", "150000\n");
  write("cpu/cpu.cfs_period_us", "100000\n");
  write("cpu/inner/cpu.cfs_quota_us", "75000\n");
  write("cpu/inner/cpu.cfs_period_us", "100000\n");
  const std::string mounts = mount("cgroup", "/docker/0a1b", "cpu", "ro,cpu");
  EXPECT_DOUBLE_EQ(cpu_quota(paths("4:cpu:/docker/0a1b\n", mounts)).value(), 1.5);
  EXPECT_DOUBLE_EQ(cpu_quota(paths("4:cpu:/docker/0a1b/inner\n", mounts)).value(), 0.75);
}

// With a namespace of control groups the process sees itself in the root.
TEST_F(CpuQuota, ContainerWithItsOwnNamespace) {
  write("cg/cpu.max", "200000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(paths("0::/\n", mount("cgroup2", "/", "cg", "rw"))).value(), 2);
}

// Docker with --cgroupns=private and a mount of the host's tree: the kernel shows groups outside of
// the namespace as /../.
TEST_F(CpuQuota, GroupOfAnotherName) {
  write("cg/cpu.max", "200000 100000\n");
  write("cg/docker/0a/cpu.max", "100000 100000\n");
  EXPECT_DOUBLE_EQ(
      cpu_quota(paths("0::/docker/0abc\n", mount("cgroup2", "/docker/0a", "cg", "rw"))).value(), 2)
      << "/docker/0a is no folder above /docker/0abc";
}

TEST_F(CpuQuota, NonsenseIsNoLimit) {
  for (const char* text :
       {"", "\n", "100000", "100000 0\n", "0 100000\n", "-5 100000\n", "many few\n"}) {
    write("cg/app/cpu.max", text);
    EXPECT_EQ(cpu_quota(paths("0::/app\nnonsense\n:\n",
                              mount("cgroup2", "/", "cg", "rw") + "short line\n\n")),
              std::nullopt)
        << text;
  }
}

}  // namespace
