// SPDX-License-Identifier: Apache-2.0
// Counts the words of all files of a directory that all ranks see. Each file is read by one rank.
//   mpiexec -n 2 example_mpi_words [DIRECTORY]
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nopal/mpi.hpp"

namespace {

using counts = std::vector<std::pair<std::string, std::size_t>>;

counts words_of(const std::string& path) {
  std::ifstream in(path);
  std::map<std::string, std::size_t> words;
  std::for_each(std::istream_iterator<std::string>(in), {},
                [&](const std::string& word) { ++words[word]; });
  return {words.begin(), words.end()};
}

std::map<std::string, std::size_t> sum_of(const std::vector<counts>& all) {
  std::map<std::string, std::size_t> sum;
  for (const counts& of_file : all)
    for (const auto& [word, n] : of_file) sum[word] += n;
  return sum;
}

}  // namespace

int main(int argc, char** argv) try {
  nopal::mpi::world world(argc, argv);
  std::vector<std::string> files;
  if (world.rank() == 0) {
    const std::filesystem::path directory = argc > 1 ? argv[1] : ".";
    for (const auto& file : std::filesystem::directory_iterator(directory))
      if (file.is_regular_file()) files.push_back(file.path().string());
  }
  const auto sum = sum_of(world.map(files, words_of));
  if (world.rank() != 0) return 0;
  std::printf("%zu different words in %zu files\n", sum.size(), files.size());
  std::vector<counts> by_hand;
  for (const std::string& f : files) by_hand.push_back(words_of(f));
  return sum == sum_of(by_hand) ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
