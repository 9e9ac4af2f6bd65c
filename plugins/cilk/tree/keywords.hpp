// SPDX-License-Identifier: Apache-2.0
// How the keywords are known in the syntax tree.
#pragma once

#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Frontend/CompilerInstance.h"

namespace nopal_cilk {

/// Makes the preprocessor replace the pragma that cilk_spawn is by `__extension__`. This gives the
/// keyword a node of its own, which keeps the type and the value category of the call. Before a
/// statement that is no expression it becomes a call that marks that statement. The pragma of a
/// grain size becomes a call that marks the loop after it. The pragma in cilk.h is an error if
/// the header is included inside of a declaration.
/// A file that
/// writes `_Cilk_` includes the keywords without saying so.
void add_pragmas(clang::CompilerInstance& c);

/// Whether a keyword, or a part of one, is a macro of this name.
bool is_keyword(llvm::StringRef macro);

/// How often keywords have been expanded so far.
unsigned keywords_read();

/// The places where the preprocessor has met cilk_spawn in the file that is compiled, in the order
/// in which it met them.
llvm::ArrayRef<clang::SourceLocation> spawns_read();

/// Whether cilk_reducer was expanded. A type that it has named may then be used without a keyword.
bool reducer_named();

/// The node of cilk_spawn, if `e` is one.
clang::UnaryOperator* spawn_node(clang::Expr* e, const clang::ASTContext& c);

/// The node of cilk_spawn that `e` consists of, apart from conversions, parentheses and casts
/// around it; nullptr if there is none.
clang::UnaryOperator* spawn_in(clang::Expr* e, const clang::ASTContext& c);

/// Whether `s` has been rewritten. What comes out of a precompiled header or a module was rewritten
/// by the process that wrote it.
bool has_markers(const clang::Stmt* s);

/// Whether there is a cilk_spawn in `s` that is not in a lambda or a block within `s`.
bool spawns(clang::Stmt* s, const clang::ASTContext& c);

/// `e` without what only converts it, binds it, or makes a temporary of it.
clang::Expr* inside(clang::Expr* e);

/// The call or construction whose value `e` is, after conversions; for `new` that of the object.
/// Returns nullptr if there is none.
clang::Expr* what_is_called(clang::Expr* e);

/// Whether `e` is a call that can be spawned for itself, and not only as a part of its statement.
bool is_call(clang::Expr* e);

/// Whether `e` is a call of any kind: what is_call() says, a built-in function of the compiler, a
/// literal of the program's, `new`, or a construction of which no code is made.
bool calls(clang::Expr* e);

/// The name of the function that is called, if `e` is a call of a function with a plain name.
llvm::StringRef called_name(const clang::Stmt* e);

}  // namespace nopal_cilk
