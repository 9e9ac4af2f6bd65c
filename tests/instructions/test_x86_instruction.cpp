// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "instructions/x86_instruction.hpp"

namespace {

using bytes = std::vector<std::uint8_t>;
using nopal_test::kind_of;
using enum nopal_test::instruction_kind;

TEST(X86Instruction, Locked) {
  EXPECT_EQ(kind_of(bytes{0xf0, 0x48, 0x0f, 0xc1, 0x07}),
            read_modify_write);  // lock xadd %rax,(%rdi)
  EXPECT_EQ(kind_of(bytes{0xf0, 0x83, 0x0c, 0x24, 0x00}), read_modify_write);  // lock orl $0,(%rsp)
  EXPECT_EQ(kind_of(bytes{0x64, 0xf0, 0xff, 0x00}), read_modify_write);  // lock incl %fs:(%rax)
  EXPECT_EQ(kind_of(bytes{0x66, 0xf0, 0x0f, 0xb1, 0x0f}),
            read_modify_write);                                 // lock cmpxchg %cx,(%rdi)
  EXPECT_EQ(kind_of(bytes{0x48, 0x0f, 0xc1, 0x07}), ordinary);  // xadd %rax,(%rdi)
  EXPECT_EQ(kind_of(bytes{0x48, 0xb8, 0xf0, 0xf0, 0, 0, 0, 0, 0, 0}),
            ordinary);  // movabs $0xf0f0,%rax
}

TEST(X86Instruction, Exchange) {
  EXPECT_EQ(kind_of(bytes{0x87, 0x07}), read_modify_write);                    // xchg %eax,(%rdi)
  EXPECT_EQ(kind_of(bytes{0x48, 0x87, 0x47, 0x08}), read_modify_write);        // xchg %rax,8(%rdi)
  EXPECT_EQ(kind_of(bytes{0x44, 0x86, 0x80, 0, 0, 0, 0}), read_modify_write);  // xchg %r8b,0(%rax)
  EXPECT_EQ(kind_of(bytes{0x87, 0xc8}), ordinary);                             // xchg %ecx,%eax
  EXPECT_EQ(kind_of(bytes{0x66, 0x90}), ordinary);                             // xchg %ax,%ax
  EXPECT_EQ(kind_of(bytes{0x93}), ordinary);                                   // xchg %eax,%ebx
}

TEST(X86Instruction, Fence) {
  EXPECT_EQ(kind_of(bytes{0x0f, 0xae, 0xf0}), fence);                 // mfence
  EXPECT_EQ(kind_of(bytes{0x0f, 0xae, 0xe8}), fence);                 // lfence
  EXPECT_EQ(kind_of(bytes{0x0f, 0xae, 0xf8}), fence);                 // sfence
  EXPECT_EQ(kind_of(bytes{0x0f, 0xae, 0x38}), ordinary);              // clflush (%rax)
  EXPECT_EQ(kind_of(bytes{0x0f, 0xae, 0x5d, 0xfc}), ordinary);        // stmxcsr -4(%rbp)
  EXPECT_EQ(kind_of(bytes{0xf3, 0x48, 0x0f, 0xae, 0xe8}), ordinary);  // incsspq %rax
  EXPECT_EQ(kind_of(bytes{0xf3, 0x48, 0x0f, 0xae, 0xc0}), ordinary);  // rdfsbase %rax
}

TEST(X86Instruction, Kernel) {
  EXPECT_EQ(kind_of(bytes{0x0f, 0x05}), system_call);
  EXPECT_EQ(kind_of(bytes{0xcd, 0x80}), system_call);
  EXPECT_EQ(kind_of(bytes{0x0f, 0x0b}), ordinary);  // ud2
  EXPECT_EQ(kind_of(bytes{0xcc}), breakpoint);
}

TEST(X86Instruction, Ordinary) {
  EXPECT_EQ(kind_of(bytes{0xf3, 0x0f, 0x1e, 0xfa}), ordinary);        // endbr64
  EXPECT_EQ(kind_of(bytes{0xf3, 0x48, 0xab}), ordinary);              // rep stos %rax,(%rdi)
  EXPECT_EQ(kind_of(bytes{0x66, 0x0f, 0x1f, 0x04, 0x00}), ordinary);  // nopw (%rax,%rax)
  EXPECT_EQ(kind_of(bytes{0xc5, 0xf8, 0x77}), ordinary);              // vzeroupper
  EXPECT_EQ(kind_of(bytes{0x0f}), ordinary);                          // cut off
  EXPECT_EQ(kind_of(bytes{}), ordinary);
}

}  // namespace
