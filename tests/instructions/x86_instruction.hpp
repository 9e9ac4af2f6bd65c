// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace nopal_test {

/// What makes an instruction of x86-64 dear.
enum class instruction_kind { ordinary, read_modify_write, fence, system_call, breakpoint };

inline constexpr std::size_t longest_instruction = 15;

/// The kind of the instruction that begins here; what follows it may be anything. A lock prefix
/// makes any instruction an atomic read-modify-write, and so does memory as an operand of xchg
/// without one.
inline instruction_kind kind_of(std::span<const std::uint8_t> code) {
  constexpr std::array<std::uint8_t, 10> other_prefixes{0x26, 0x2e, 0x36, 0x3e, 0x64,
                                                        0x65, 0x66, 0x67, 0xf2, 0xf3};
  constexpr std::uint8_t lock = 0xf0;
  std::size_t at = 0;
  const auto next = [&]() -> unsigned { return at < code.size() ? code[at++] : 0; };
  // With 66, f2 or f3 the opcodes of fences are those of other instructions.
  bool changes_meaning = false;
  unsigned byte = next();
  for (; byte == lock || std::ranges::find(other_prefixes, byte) != other_prefixes.end() ||
         byte >> 4 == 4;
       byte = next()) {
    if (byte == lock) return instruction_kind::read_modify_write;
    changes_meaning = changes_meaning || byte == 0x66 || byte >= 0xf2;
  }
  const auto has_memory_operand = [](unsigned mod_rm) { return mod_rm >> 6 != 3; };
  switch (byte) {
    case 0x86:  // xchg
    case 0x87:
      return has_memory_operand(next()) ? instruction_kind::read_modify_write
                                        : instruction_kind::ordinary;
    case 0xcc:
      return instruction_kind::breakpoint;
    case 0xcd:
      return instruction_kind::system_call;  // int
    case 0x0f:
      break;
    default:
      return instruction_kind::ordinary;
  }
  switch (next()) {
    case 0x05:  // syscall
    case 0x34:
      return instruction_kind::system_call;  // sysenter
    case 0xae: {
      const unsigned mod_rm = next();
      const unsigned operation = mod_rm >> 3 & 7;  // 5: lfence, 6: mfence, 7: sfence
      const bool is_fence = !has_memory_operand(mod_rm) && operation >= 5 && !changes_meaning;
      return is_fence ? instruction_kind::fence : instruction_kind::ordinary;
    }
    default:
      return instruction_kind::ordinary;
  }
}

}  // namespace nopal_test
