// SPDX-License-Identifier: Apache-2.0
// Sums a search tree that grew out of sorted keys, and so is as deep as it has nodes: a recursive
// function would overflow its stack. Tasks lie on stacks that grow, so only memory limits them.
// Usage: deep_tree [nodes]
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <nopal/nopal.hpp>

struct node {
  std::uint64_t key;
  const node* left = nullptr;
  const node* right = nullptr;
};

nopal::task<std::uint64_t> sum(const node* n) {
  if (n == nullptr) co_return 0;
  std::uint64_t left, right;
  co_await nopal::fork(&left, sum, n->left);  // from here on another worker may go on
  co_await nopal::call(&right, sum, n->right);
  co_await nopal::join();  // left is there now
  co_return n->key + left + right;
}

int main(int argc, char** argv) {
  const auto count = static_cast<std::uint64_t>(argc > 1 ? std::atoll(argv[1]) : 1'000'000);
  std::deque<node> nodes;
  for (std::uint64_t key = 0; key < count; ++key) {
    nodes.push_back({key});
    if (key > 0) nodes[key - 1].right = &nodes[key];
  }

  const std::uint64_t total = nopal::run(sum, nodes.empty() ? nullptr : &nodes.front());

  const bool right = total == (count == 0 ? 0 : count * (count - 1) / 2);
  std::cout << "the sum of " << count << " keys is " << total << (right ? "" : ", which is WRONG")
            << '\n';
  return right ? 0 : 1;
}
