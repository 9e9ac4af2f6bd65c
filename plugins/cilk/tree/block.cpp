// SPDX-License-Identifier: Apache-2.0
// Statements that are spawned as a whole, and spawns in the middle of an expression.
#include "keywords.hpp"
#include "rewriter.hpp"

using namespace clang;

namespace nopal_cilk {
namespace {

bool contains(const Stmt* all, const Stmt* part) {
  return all == part || (all != nullptr && any_of(all->children(), [part](const Stmt* child) {
                           return contains(child, part);
                         }));
}

}  // namespace

/// What is spawned cannot be left by a jump: a block, or a statement expression that is an argument
/// of a spawned call.
bool rewriter::stays_in_spawn(Stmt* s) {
  if (now_.never_left == nullptr) return true;
  if (isa<BreakStmt>(s) && now_.breakables > now_.spawned_breakables) return true;
  if (isa<ContinueStmt>(s) && now_.continuables > now_.spawned_continuables) return true;
  if (auto* g = dyn_cast<GotoStmt>(s))
    if (contains(now_.never_left, g->getLabel()->getStmt())) return true;
  make_.error(s->getBeginLoc(), "a spawned statement cannot be left by a jump");
  return false;
}

/// Makes it look to clang as if the statement was left out sometimes. Code behind a spawned
/// statement is reached by a thief even if the statement never ends: it may throw in any case, for
/// example.
Stmt* rewriter::may_not_end(Stmt* s) {
  const SourceLocation at = s->getBeginLoc();
  return IfStmt::Create(make_.context, at, IfStatementKind::Ordinary, nullptr, nullptr,
                        make_.call("__nopal_runs", {}, at), at, at, s);
}

/// Spawns any statement. The pass takes it out as a function, which is what is then spawned. So the
/// variables that the statement only reads have the values that they had before it was spawned.
Stmt* rewriter::spawned_block(Stmt* body, SourceLocation at) {
  if (isa<NullStmt>(body)) return body;
  walk around = now_;
  now_.spawned = nullptr;
  now_.never_left = body;
  now_.spawned_breakables = now_.breakables;
  now_.spawned_continuables = now_.continuables;
  Stmt* whole = may_not_end(region_of(body, body));
  now_ = std::move(around);
  VarDecl* mark = make_.variable(now_.in, make_.mark_type(), nullptr, at, "__nopal_spawn_exit");
  VarDecl* inner = make_.variable(now_.in, make_.mark_type(), nullptr, at, "__nopal_block_exit");
  Stmt* block = make_.block(
      {make_.declare(inner, at), make_.call("__nopal_block_begin", {make_.address(inner, at)}, at),
       whole, make_.call("__nopal_block_end", {make_.address(inner, at)}, at)},
      at);
  return make_.block(
      {make_.declare(mark, at),
       make_.call("__nopal_spawn_begin",
                  {make_.address(mark, at), make_.address(now_.regions.back().mark, at)}, at),
       block, make_.call("__nopal_spawn_end", {make_.address(mark, at)}, at)},
      at);
}

/// In the middle of an expression, the value of a spawned call is needed before anything else can
/// be done. So it is a call.
void rewriter::call_at_once(UnaryOperator* spawn) {
  if (now_.in == nullptr)
    return refuse(spawn, "cilk_spawn has no place here; spawn in the body of a function");
  if (!calls(spawn->getSubExpr()) && !lowered_.contains(spawn))
    return refuse(spawn, "cilk_spawn must stand before the call of a function");
  // clang leaves it to its plugins to honour -w.
  if (lowered_.insert(spawn).second && !make_.sema.getDiagnostics().getIgnoreAllWarnings())
    make_.warning(spawn->getOperatorLoc(),
                  "this cilk_spawn is a plain call: its value is used at once");
}

/// The value of a return is waited for before the function ends, so its call is one as well.
void rewriter::returned_value(Stmt* value) {
  auto* e = dyn_cast_or_null<Expr>(value);
  if (UnaryOperator* spawn = spawn_in(e, make_.context)) lowered_.insert(spawn);
  inspect(value);
}

/// Rewrites a statement expression whose value is that of a spawned call.
void rewriter::inspect_value(StmtExpr* e, ValueStmt* last) {
  inspect(last->getExprStmt());
  CompoundStmt* block = e->getSubStmt();
  auto block_of = [&](ArrayRef<Stmt*> all) {
    return CompoundStmt::Create(make_.context, all, block->getStoredFPFeaturesOrDefault(),
                                block->getLBracLoc(), block->getRBracLoc());
  };
  SmallVector<Stmt*, 16> all(block->body_begin(), block->body_end());
  Stmt* value = all.pop_back_val();
  const CompoundStmt* before = compound(block_of(all));
  all.assign(before->body_begin(), before->body_end());
  all.push_back(value);
  e->setSubStmt(block_of(all));
}

}  // namespace nopal_cilk
