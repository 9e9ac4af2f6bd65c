// SPDX-License-Identifier: Apache-2.0
// Turns each use of a reducer into a look-up of its view.
#pragma once

#include "builder.hpp"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseSet.h"
#include "reducer_type.hpp"

namespace nopal_cilk {

/// Rewrites a function's body, before the other keywords are looked at:
///
///   int cilk_reducer(f, g) x = 0;  int x = 0; void* m = reducer_begin(&x, sizeof x, f, g);
///   x                              *(int*)view(&x, sizeof x, f, g)
///
/// The scope of `m` ends with a call that marks the end. A variable of static storage neither
/// begins nor ends, and is looked up by static_view.
class reducers {
 public:
  explicit reducers(clang::Sema& s) : make_(s), types_(make_) {}

  /// Rewrites the body of `f`, once.
  void function(clang::FunctionDecl* f);
  /// Rewrites the initial value of a variable outside of functions.
  void initializer(clang::VarDecl* v);
  /// Rewrites an expression outside of a function's body.
  void expression(clang::Expr* e);
  /// Reports types of reducers in `d` that are written where they may not be.
  void check(clang::Decl* d);

 private:
  using statements = llvm::SmallVectorImpl<clang::Stmt*>;

  clang::Stmt* rewrite(clang::Stmt* s);
  clang::Stmt* compound(clang::CompoundStmt* s);
  void lambda(clang::LambdaExpr* l);
  void declaration(clang::DeclStmt* s, statements& out);
  void look_at_static(clang::VarDecl* v, unsigned before);
  clang::Expr* look_up(clang::Expr* use, const clang::VarDecl* v, const reducer_type& type);
  clang::Expr* begin(clang::VarDecl* v, const reducer_type& type);
  clang::Expr* call(llvm::StringRef marker, clang::Expr* variable, clang::QualType view,
                    const reducer_type& type);
  // In bound.cpp:
  bool refers_to_view(clang::Expr* e);
  void look_at_bound(clang::VarDecl* v, llvm::ArrayRef<clang::Stmt*> rest);
  void look_at_bound(clang::Stmt* s);
  void look_at_captures(clang::LambdaExpr* l);
  void look_at_arguments(clang::CallExpr* c);
  void report_bound(clang::SourceLocation at, llvm::StringRef text);

  static const clang::VarDecl* variable_named(const clang::Stmt* s);
  [[nodiscard]] bool is_copy(const clang::VarDecl* v) const;
  bool declares_reducer(clang::Stmt* s);

  builder make_;
  reducer_types types_;
  clang::FunctionDecl* in_ = nullptr;
  unsigned look_ups_ = 0;
  bool begins_ = false;  ///< The function has a reducer of its own.
  llvm::DenseSet<const clang::FunctionDecl*> seen_;
  llvm::DenseSet<const clang::VarDecl*> bound_;  ///< References and pointers to views.
  llvm::DenseSet<clang::SourceLocation> reported_;
};

/// Reports jumps past the declarations in `body` for which `declares` is true.
void check_jumps(clang::Stmt* body, builder& make, llvm::function_ref<bool(clang::Stmt*)> declares);

}  // namespace nopal_cilk
