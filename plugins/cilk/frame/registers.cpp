// SPDX-License-Identifier: Apache-2.0
#include "registers.hpp"

#include <string>

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace nopal_cilk {
namespace {

/// Whether this is a register of AVX-512, as a clobber of an asm statement.
bool is_of_avx512(StringRef constraint) {
  unsigned number = 0;
  if (!constraint.consume_front("~{") || !constraint.consume_back("}")) return false;
  if (constraint.consume_front("k")) return true;
  return constraint.consume_front("xmm") && !constraint.getAsInteger(10, number) && number >= 16;
}

}  // namespace

void name_only_own_registers(Function& f) {
  if (f.getFnAttribute("target-features").getValueAsString().contains("+avx512f")) return;
  // What is inlined elsewhere may come to have more registers than it has here.
  if (!f.hasFnAttribute(Attribute::NoInline)) return;
  for (Instruction& i : instructions(f)) {
    auto* c = dyn_cast<CallBase>(&i);
    auto* assembly = c != nullptr ? dyn_cast<InlineAsm>(c->getCalledOperand()) : nullptr;
    if (assembly == nullptr || !StringRef(assembly->getConstraintString()).contains("~{xmm31}"))
      continue;
    SmallVector<StringRef, 64> all;
    StringRef(assembly->getConstraintString()).split(all, ',');
    erase_if(all, is_of_avx512);
    c->setCalledOperand(InlineAsm::get(assembly->getFunctionType(), assembly->getAsmString(),
                                       join(all, ","), assembly->hasSideEffects(),
                                       assembly->isAlignStack(), assembly->getDialect(),
                                       assembly->canThrow()));
  }
}

}  // namespace nopal_cilk
