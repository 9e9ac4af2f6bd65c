// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace nopal::mpi {

/// What went wrong between ranks, or on another one. The text begins with that rank:
/// \code
/// try {
///   throw nopal::mpi::error("rank 3: no such file");
/// } catch (const std::runtime_error& e) {
///   std::puts(e.what());
/// }
/// \endcode
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace nopal::mpi
