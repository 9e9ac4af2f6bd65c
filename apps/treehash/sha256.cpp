// SPDX-License-Identifier: Apache-2.0
#include "sha256.hpp"

#include <openssl/evp.h>

#include <stdexcept>

namespace treehash {
namespace {

void require(bool done, const char* step) {
  if (!done) {
    throw std::runtime_error(
        std::string("libcrypto cannot compute SHA-256 (") + step +
        " failed); check the OpenSSL configuration, for example the variable OPENSSL_CONF");
  }
}

// EVP_sha256() would look the algorithm up again for every file, under a lock that all workers
// share.
const EVP_MD* algorithm() {
  static EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA2-256", nullptr);
  require(fetched != nullptr, "EVP_MD_fetch");
  return fetched;
}

}  // namespace

std::string to_hex(const digest& sum) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * sum.size());
  for (const unsigned char byte : sum) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

void sha256::free_context::operator()(evp_md_ctx_st* context) const noexcept {
  EVP_MD_CTX_free(context);
}

sha256::sha256() : context_(EVP_MD_CTX_new()) {
  require(context_ != nullptr, "EVP_MD_CTX_new");
  require(EVP_DigestInit_ex2(context_.get(), algorithm(), nullptr) == 1, "EVP_DigestInit_ex2");
}

void sha256::update(const void* bytes, std::size_t count) {
  require(EVP_DigestUpdate(context_.get(), bytes, count) == 1, "EVP_DigestUpdate");
}

digest sha256::finish() {
  digest sum;
  unsigned length = 0;
  require(EVP_DigestFinal_ex(context_.get(), sum.data(), &length) == 1 && length == sum.size(),
          "EVP_DigestFinal_ex");
  return sum;
}

}  // namespace treehash
