// SPDX-License-Identifier: Apache-2.0
// Turns each keyword in a function's body into the calls that the pass looks for.
#pragma once

#include "builder.hpp"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseSet.h"
#include "loop.hpp"

namespace nopal_cilk {

/// Rewrites statements as follows, with marks as variables that the pass removes:
///
///   cilk_spawn f(x);     { mark m; begin(&m, &region); callee(f)(x); end(&m); }
///   T y = cilk_spawn f();  mark m; begin(&m, &region); T y = callee(f)(); end(&m);
///   cilk_spawn { … }     mark m; begin(&m, &region);
///                        { mark b; block_begin(&b); … block_end(&b); } end(&m);
///   cilk_sync;           sync(&region);
///   return e;            { mark* leaves = &region; return e; }
///
/// The scope of `m` and `leaves` ends with a call that marks the end, on the way of an exception
/// too. A region is a function's body, a cilk_scope or a block of try.
class rewriter {
 public:
  explicit rewriter(clang::Sema& s) : make_(s) {}

  /// Rewrites the body of `f`, once.
  void function(clang::FunctionDecl* f);

  /// Reports the keywords in `e`, where they have no place. Bodies of lambdas and statement
  /// expressions in it are rewritten instead.
  void inspect(clang::Stmt* e);

  /// Whether this cilk_spawn was turned into calls of markers, or refused.
  [[nodiscard]] bool has_lowered(const clang::UnaryOperator* spawn) const {
    return lowered_.contains(spawn);
  }

 private:
  using statements = llvm::SmallVectorImpl<clang::Stmt*>;

  struct region {
    const clang::Stmt* origin;
    clang::VarDecl* mark;
    unsigned breakables;    ///< Loops and switches around it.
    unsigned continuables;  ///< Loops around it.
  };
  using path = llvm::SmallVector<const clang::Stmt*, 4>;
  /// The state while a function's body is walked.
  struct walk {
    clang::DeclContext* in = nullptr;
    llvm::SmallVector<region, 4> regions;
    unsigned breakables = 0;
    unsigned continuables = 0;
    const clang::Stmt* spawned = nullptr;     ///< The spawned call that is walked, or nullptr.
    const clang::Stmt* never_left = nullptr;  ///< That call, or the spawned block that is walked.
    unsigned spawned_breakables = 0;          ///< Loops and switches around `never_left`.
    unsigned spawned_continuables = 0;        ///< Loops around `never_left`.
    bool spawns = false;
    bool in_loop = false;                      ///< Whether the body of a cilk_for is walked.
    unsigned loop_breakables = 0;              ///< Loops and switches around that cilk_for.
    const clang::Stmt* loop_body = nullptr;    ///< The body of that cilk_for.
    std::size_t switch_regions = 0;            ///< Regions around the innermost switch.
    const clang::Stmt* switch_loop = nullptr;  ///< The body of the cilk_for around that switch.
    llvm::DenseMap<const clang::LabelDecl*, path> labels;
  };

  // rewriter.cpp
  void survey(clang::Stmt* s, path& around);
  clang::Stmt* region_of(clang::Stmt* body, const clang::Stmt* origin);
  // statement() rewrites any statement of a body by those that follow it. Each returns what takes
  // the place of the statement, which may be the same.
  clang::Stmt* statement(clang::Stmt* s);
  clang::CompoundStmt* compound(clang::CompoundStmt* s);
  /// Rewrites an `if` of the program, or one that marks a scope or a spawned statement.
  clang::Stmt* conditional(clang::IfStmt* s);
  clang::Stmt* try_block(clang::CXXTryStmt* s);
  /// Rewrites the body of a loop that is not parallel.
  clang::Stmt* loop_body(clang::Stmt* s);
  clang::Stmt* sync(clang::SourceLocation at);
  /// Puts marks in front of a jump, by which the regions that it leaves wait.
  clang::Stmt* leaving(clang::Stmt* s, llvm::ArrayRef<region> left);
  clang::Stmt* jump(clang::Stmt* s);
  bool stays_in_loop(clang::Stmt* s);
  void switch_statement(clang::SwitchStmt* s);
  /// Reports a case label that would jump into a region or a parallel loop.
  void check_case(clang::SwitchCase* s);
  bool check_attributes(clang::AttributedStmt* s);
  bool refuse_keywords(clang::Stmt* s, llvm::StringRef why);
  void statement_expression(clang::StmtExpr* e);
  void check_call(clang::CallExpr* c);
  /// Reports a cilk_spawn that has no place where it is.
  void refuse(clang::UnaryOperator* spawn, llvm::StringRef why);

  // block.cpp
  clang::Stmt* spawned_block(clang::Stmt* body, clang::SourceLocation at);
  clang::Stmt* may_not_end(clang::Stmt* s);
  bool stays_in_spawn(clang::Stmt* s);
  void call_at_once(clang::UnaryOperator* spawn);
  void returned_value(clang::Stmt* value);
  void inspect_value(clang::StmtExpr* e, clang::ValueStmt* last);

  // spawn.cpp
  void evaluate_spawning(clang::Stmt*& s, bool always, statements& out);
  void enter_spawned(clang::UnaryOperator* spawn);
  bool spawned_expression(clang::Expr* e, statements& out);
  bool spawned_declaration(clang::Stmt* all, statements& out);
  bool spawned_variable(clang::Decl* d, statements& out);
  void spawned(clang::UnaryOperator* spawn, clang::Stmt* body, statements& out,
               clang::VarDecl* built = nullptr);
  clang::Expr* evaluated_before(clang::Expr* target, statements& out);
  clang::Expr* mark_constructor(clang::Expr* e);
  bool mark_callee(clang::Expr* call);
  clang::Expr* opaque(clang::Expr* pointer);
  clang::QualType any_pointer() const;

  // order.cpp
  void evaluate_operands(clang::UnaryOperator* spawn, statements& out);
  void evaluate_operands_of(clang::Expr* e, statements& out);
  clang::Expr* operand(clang::Expr* e, statements& out);
  clang::Expr* object_of_call(clang::Expr* e, statements& out);
  clang::Expr* kept(clang::Expr* value, statements& out);

  // loop.cpp
  static bool is_parallel_loop(clang::Stmt* s);
  clang::Stmt* parallel_loop(clang::Stmt* s);
  clang::Stmt* numbered_loop(clang::Stmt* s, clang::Expr* grain,
                             llvm::ArrayRef<const clang::Attr*> hints);
  bool read_control(clang::ForStmt* f, loop_control& c, statements& before);
  bool can_be_numbered(const loop_control& c);
  bool read_loop(clang::Stmt* s, loop_control& c, statements& before, statements& body);
  clang::Stmt* turn_of(llvm::ArrayRef<clang::Stmt*> body, clang::Stmt* origin);

  builder make_;
  walk now_;
  llvm::DenseSet<const clang::FunctionDecl*> seen_;
  llvm::DenseSet<const clang::UnaryOperator*> lowered_;
};

}  // namespace nopal_cilk
