// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace treehash {

using digest = std::array<unsigned char, 32>;

/// Lower-case hexadecimal, as sha256sum prints it.
[[nodiscard]] std::string to_hex(const digest& sum);

/// One SHA-256 computation, by libcrypto. Two threads must not use it at once, but it may move
/// between threads.
class sha256 {
 public:
  /// \throws std::runtime_error when libcrypto refuses, for example in a configuration without
  /// SHA-256.
  sha256();
  void update(const void* bytes, std::size_t count);
  void update(std::string_view text) { update(text.data(), text.size()); }
  /// Must be called once, and last.
  [[nodiscard]] digest finish();

 private:
  struct free_context {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, free_context> context_;
};

}  // namespace treehash
