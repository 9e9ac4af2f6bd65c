// SPDX-License-Identifier: Apache-2.0
// The functions that the pass calls and inlines: lowered.cpp, as bitcode.
#pragma once

#include <memory>

#include "llvm/IR/Module.h"

namespace nopal_cilk {

class runtime {
 public:
  explicit runtime(llvm::Module& m) : module_(m) {}

  /// A function of lowered.cpp, or of the library. Calls of the former are inlined at the end.
  llvm::FunctionCallee function(llvm::StringRef name, llvm::Type* result,
                                llvm::ArrayRef<llvm::Type*> parameters);

  /// Reads lowered.cpp's bitcode. False, after an error was reported, if it is not there or is for
  /// another target.
  bool load();
  [[nodiscard]] std::uint64_t frame_bytes() const { return frame_bytes_; }
  [[nodiscard]] std::uint64_t invoked_bytes() const { return invoked_bytes_; }

  /// Whether a thief finds all registers of `f`'s target as f expects them. Reports an error if
  /// not.
  bool knows_registers_of(const llvm::Function& f);
  /// Whether all that a strand of `f` keeps goes with it to another thread. Reports an error if
  /// not.
  bool has_one_stack(const llvm::Function& f);

  /// Makes the program link only with a library for the same sanitizer as the module.
  void need_same_sanitizer();

  /// Takes the functions that are called into the module, inlines them, and drops them.
  void inline_calls();

  /// Reports an error, and returns false.
  bool report(const llvm::Twine& text);

 private:
  llvm::Module& module_;
  std::unique_ptr<llvm::Module> source_;
  [[nodiscard]] std::uint64_t constant(llvm::StringRef name) const;

  std::uint64_t frame_bytes_ = 0;
  std::uint64_t invoked_bytes_ = 0;
};

}  // namespace nopal_cilk
