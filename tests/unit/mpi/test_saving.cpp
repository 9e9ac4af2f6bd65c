// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <source_location>
#include <string>
#include <system_error>

#include "nopal/detail/mpi/root.hpp"
#include "nopal/detail/mpi/saving.hpp"
#include "nopal/mpi/archive.hpp"
#include "nopal/mpi/error.hpp"
#include "support/temporary_folder.hpp"

namespace {

using nopal::detail::mpi::saving;
using nopal::mpi::bytes;

bytes bytes_of(const std::string& text) {
  nopal::mpi::output_archive out;
  out(text);
  return out.take();
}

class Saving : public testing::Test {
 protected:
  std::filesystem::path file() const { return std::filesystem::path(folder_.path()) / "saved"; }

  /// The text of what the constructor throws about the file; empty if it throws nothing.
  std::string refusal() const {
    try {
      const saving s(file());
      return "";
    } catch (const nopal::mpi::error& e) {
      return e.what();
    }
  }

  nopal_test::temporary_folder folder_;
};

TEST_F(Saving, KeepsWhatWasWritten) {
  saving first(file());
  EXPECT_EQ(first.begin(), 1U);
  EXPECT_EQ(first.begin(), 2U);
  EXPECT_FALSE(first.kept(1, 7).has_value());
  first.keep(1, 7, bytes_of("one"));
  first.keep(2, 8, bytes_of("two"));
  EXPECT_FALSE(std::filesystem::exists(file()));
  first.write();
  first.keep(2, 8, bytes_of("later"));

  const saving second(file());
  EXPECT_EQ(second.kept(1, 7), bytes_of("one"));
  EXPECT_EQ(second.kept(2, 8), bytes_of("two"));
  EXPECT_FALSE(second.kept(3, 7).has_value());
  first.write();
  EXPECT_EQ(saving(file()).kept(2, 8), bytes_of("later"));
}

TEST_F(Saving, RefusesAnotherTypeOfOperation) {
  saving first(file());
  first.keep(1, 7, bytes_of("one"));
  first.write();
  const saving second(file());
  EXPECT_THROW(static_cast<void>(second.kept(1, 8)), nopal::mpi::error);
}

TEST_F(Saving, RefusesAFileWithAnyByteChanged) {
  saving first(file());
  first.keep(1, 7, bytes_of("one"));
  first.write();
  const auto size = std::filesystem::file_size(file());
  for (std::size_t i = 0; i < size; ++i) {
    std::fstream f(file(), std::ios::in | std::ios::out | std::ios::binary);
    f.seekg(static_cast<std::streamoff>(i));
    const char was = static_cast<char>(f.get());
    const auto put = [&](char c) {
      f.seekp(static_cast<std::streamoff>(i));
      f.put(c).flush();
    };
    put(static_cast<char>(was ^ 16));
    EXPECT_NE(refusal().find(file().string()), std::string::npos) << "byte " << i;
    put(was);
    EXPECT_EQ(refusal(), "") << "byte " << i;
  }
}

TEST_F(Saving, RefusesAFileThatWasCutOrHasMore) {
  saving first(file());
  first.keep(1, 7, bytes_of("one"));
  first.write();
  for (auto size = std::filesystem::file_size(file()); size-- > 0;) {
    std::filesystem::resize_file(file(), size);
    EXPECT_NE(refusal(), "") << size << " bytes";
  }
  first.write();
  std::ofstream(file(), std::ios::app) << 'x';
  EXPECT_NE(refusal(), "");
}

TEST_F(Saving, RefusesFoldersThatAreNotThere) {
  EXPECT_THROW(saving(file() / "none" / "saved"), std::system_error);
  EXPECT_THROW(saving(std::filesystem::path(folder_.path())), std::exception);
}

TEST_F(Saving, LeavesTheOldFileIfItCannotWriteANewOne) {
  saving s(file());
  s.keep(1, 7, bytes_of("one"));
  s.write();
  std::filesystem::create_directory(file().string() + ".part");  // where the new one would be
  s.keep(1, 7, bytes_of("two"));
  testing::internal::CaptureStderr();
  s.write();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("could not be saved"), std::string::npos);
  EXPECT_EQ(saving(file()).kept(1, 7), bytes_of("one"));
}

TEST_F(Saving, RemovesTheFileWhenAllHasBeenDone) {
  saving s(file());
  s.begin();
  s.keep(1, 7, bytes_of("one"));
  s.write();
  s.end();
  EXPECT_TRUE(std::filesystem::exists(file()));
  s.finish();
  s.end();
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(Saving, KeepsTheFileWhileItHasAnOperationThatWasNotMade) {
  {
    saving s(file());
    for (const unsigned i : {1U, 2U}) {
      s.keep(s.begin(), 7, bytes_of("some"));
      s.finish();
      s.write();
      EXPECT_EQ(saving(file()).kept(i, 7), bytes_of("some"));
    }
  }
  saving none(file());
  none.end();
  EXPECT_TRUE(std::filesystem::exists(file()));
  saving one(file());
  one.begin();
  one.finish();
  one.end();
  EXPECT_TRUE(std::filesystem::exists(file()));
  one.begin();
  one.finish();
  one.end();
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(Saving, RemovesAPartThatWasLeftToo) {
  std::ofstream(file().string() + ".part") << "half of a f";
  saving s(file());
  s.end();
  EXPECT_FALSE(std::filesystem::exists(file().string() + ".part"));
}

struct a_tree {
  using node = int;
  using result = int;
};

TEST(NumberOfCall, DependsOnThePlaceInTheSource) {
  using nopal::detail::mpi::number_of_call;
  const auto here = std::source_location::current();
  const auto there = std::source_location::current();
  EXPECT_EQ(number_of_call<a_tree>(here), number_of_call<a_tree>(here));
  EXPECT_NE(number_of_call<a_tree>(here), number_of_call<a_tree>(there));
}

}  // namespace
