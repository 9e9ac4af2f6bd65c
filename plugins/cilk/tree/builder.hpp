// SPDX-License-Identifier: Apache-2.0
// Makes nodes of the syntax tree.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Sema/Sema.h"

namespace nopal_cilk {

class builder {
 public:
  explicit builder(clang::Sema& s) : sema(s), context(s.getASTContext()) {}

  /// The function of cilk.h with this name; nullptr if the header was not included.
  clang::FunctionDecl* function(llvm::StringRef name);

  /// A call of a function of cilk.h.
  clang::CallExpr* call(llvm::StringRef name, llvm::ArrayRef<clang::Expr*> arguments,
                        clang::SourceLocation at);

  /// A variable of the function `in`. If there is a `cleanup`, that function of cilk.h is called
  /// with the variable's address at the end of its scope.
  clang::VarDecl* variable(clang::DeclContext* in, clang::QualType type, clang::Expr* init,
                           clang::SourceLocation at, llvm::StringRef cleanup = {});

  /// A declaration as a statement, and a block of statements.
  clang::DeclStmt* declare(clang::Decl* d, clang::SourceLocation at);
  clang::CompoundStmt* block(llvm::ArrayRef<clang::Stmt*> statements, clang::SourceLocation at);

  // Expressions: the name of a variable, the value of what is named, its address, what a pointer
  // points to, a pointer of another type, and literals.

  clang::Expr* name(clang::VarDecl* v, clang::SourceLocation at);
  clang::Expr* value(clang::Expr* lvalue);
  clang::Expr* address(clang::Expr* lvalue);
  clang::Expr* address(clang::VarDecl* v, clang::SourceLocation at) { return address(name(v, at)); }
  clang::Expr* pointee(clang::Expr* pointer);
  clang::Expr* cast_pointer(clang::Expr* pointer, clang::QualType to);
  clang::Expr* text(llvm::StringRef s, clang::SourceLocation at);
  clang::Expr* number(std::uint64_t n, clang::SourceLocation at);

  clang::QualType mark_type() const { return context.UnsignedLongTy; }

  /// Reports an error of the program.
  clang::DiagnosticBuilder error(clang::SourceLocation at, llvm::StringRef text);
  /// Reports what the program may not have meant.
  clang::DiagnosticBuilder warning(clang::SourceLocation at, llvm::StringRef text);

  clang::Sema& sema;
  clang::ASTContext& context;

 private:
  clang::DiagnosticBuilder report(clang::DiagnosticIDs::Level level, clang::SourceLocation at,
                                  llvm::StringRef text);
};

}  // namespace nopal_cilk
