// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder.hpp"
#include "clang/AST/ExprCXX.h"

namespace nopal_cilk {

/// What governs a loop, as it is written.
struct loop_control {
  clang::VarDecl* variable = nullptr;
  clang::BinaryOperatorKind comparison = clang::BO_LT;  ///< The variable is on the left side.
  clang::Expr* limit = nullptr;
  clang::Expr* increment = nullptr;
  clang::Expr* step = nullptr;  ///< nullptr: 1.
  bool down = false;            ///< The step is subtracted.

  /// Whether `e` is the control variable, apart from conversions.
  [[nodiscard]] bool names(const clang::Expr* e) const;
  /// Fills in what the condition says. Returns false if it does not compare the control variable.
  bool read_condition(clang::Expr* e);
  /// Fills in what the increment says. Returns false if it does not change the control variable by
  /// a step.
  bool read_step(clang::Expr* e);
  [[nodiscard]] clang::Expr* increment_by(clang::Expr* amount) const;

 private:
  bool set_operands(clang::BinaryOperatorKind op, clang::Expr* left, clang::Expr* right);
};

/// The expressions of a loop whose turns are numbered. Integers are counted modulo 2^64, so no
/// difference between two of them overflows.
class loop_arithmetic {
 public:
  /// Declares variables for the first value, the limit and the step at the end of `out`.
  loop_arithmetic(builder& make, clang::DeclContext* in, clang::SourceLocation at,
                  const loop_control& c, llvm::SmallVectorImpl<clang::Stmt*>& out);

  /// The number of turns.
  clang::Expr* count();
  /// The control variable's value in turn `number`.
  clang::Expr* value_of_turn(clang::VarDecl* number);
  /// Whether turn `number` + 1 is before `last`. If it is, `number` and the control variable become
  /// that turn's.
  clang::Expr* another_turn(clang::VarDecl* number, clang::VarDecl* last);

  /// Declares a variable at the end of `out`.
  clang::VarDecl* variable(clang::QualType type, clang::Expr* init);
  clang::Expr* as_word(clang::Expr* e) { return cast(e, make_.context.UnsignedLongTy); }

 private:
  clang::Expr* cast(clang::Expr* e, clang::QualType to);
  clang::Expr* binary(clang::BinaryOperatorKind op, clang::Expr* a, clang::Expr* b);
  clang::Expr* choose(clang::Expr* condition, clang::Expr* yes, clang::Expr* no);
  clang::Expr* name(clang::VarDecl* v) { return make_.name(v, at_); }
  clang::Expr* number(std::uint64_t n) { return make_.number(n, at_); }
  clang::Expr* distance(bool up);
  clang::Expr* common(clang::VarDecl* v);
  clang::Expr* magnitude(bool up);
  clang::Expr* signed_step();
  clang::Expr* turns(bool up);

  builder& make_;
  clang::DeclContext* in_;
  clang::SourceLocation at_;
  const loop_control& control_;
  llvm::SmallVectorImpl<clang::Stmt*>& out_;
  bool integer_;
  clang::QualType common_;
  clang::VarDecl* begin_;
  clang::VarDecl* limit_;
  clang::VarDecl* step_ = nullptr;
};

}  // namespace nopal_cilk
