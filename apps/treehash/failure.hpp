// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace treehash {

/// Says that what was asked for cannot be done at all, and ends the program with status 2. The text
/// is for people.
class failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace treehash
