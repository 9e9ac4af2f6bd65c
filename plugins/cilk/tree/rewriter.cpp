// SPDX-License-Identifier: Apache-2.0
#include "rewriter.hpp"

#include "clang/AST/Attr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/Builtins.h"
#include "keywords.hpp"

using namespace clang;

namespace nopal_cilk {

namespace {

Stmt* body_of(Stmt* loop) {
  if (auto* f = dyn_cast<ForStmt>(loop)) return f->getBody();
  if (auto* r = dyn_cast<CXXForRangeStmt>(loop)) return r->getBody();
  return loop;
}

}  // namespace

void rewriter::function(FunctionDecl* f) {
  if (!f->doesThisDeclarationHaveABody() || f->isDependentContext() || f->isDefaulted()) return;
  if (!seen_.insert(f).second) return;
  const walk around = std::move(now_);
  now_ = walk();
  now_.in = f;
  if (auto* made = dyn_cast<CXXConstructorDecl>(f))
    for (CXXCtorInitializer* i : made->inits()) inspect(i->getInit());
  Stmt* body = f->getBody();
  path none;
  auto* whole_try =
      isa<CXXConstructorDecl, CXXDestructorDecl>(f) ? dyn_cast<CXXTryStmt>(body) : nullptr;
  if (whole_try != nullptr) {
    for (Stmt* child : whole_try->children()) survey(child, none);
    f->setBody(try_block(whole_try));
  } else {
    survey(body, none);
    if (isa<CoroutineBodyStmt>(body) &&
        refuse_keywords(body, "a coroutine cannot spawn; spawn in a function that it calls")) {
      now_ = around;
      return;
    }
    Stmt* rewritten = now_.spawns ? region_of(body, body) : statement(body);
    if (rewritten != body) f->setBody(rewritten);
  }
  now_ = around;
}

/// Reports each keyword in `s`, for which code is generated in another way than for a function.
bool rewriter::refuse_keywords(Stmt* s, StringRef why) {
  if (s == nullptr || isa<LambdaExpr>(s)) return false;
  auto* e = dyn_cast<Expr>(s);
  UnaryOperator* spawn = e != nullptr ? spawn_node(e, make_.context) : nullptr;
  const bool keyword =
      spawn != nullptr || (isa<CallExpr>(s) && called_name(s).starts_with("__nopal_"));
  if (keyword) make_.error(spawn != nullptr ? spawn->getOperatorLoc() : s->getBeginLoc(), why);
  bool any = keyword;
  for (Stmt* child : s->children()) any |= refuse_keywords(child, why);
  return any;
}

/// Finds out whether there are spawns, and in which regions the labels are.
void rewriter::survey(Stmt* s, path& around) {
  if (s == nullptr || isa<LambdaExpr, BlockExpr>(s)) return;
  if (auto* e = dyn_cast<Expr>(s)) now_.spawns |= spawn_node(e, make_.context) != nullptr;
  if (is_contained({"__nopal_spawn", "__nopal_spawn_begin"}, called_name(s))) now_.spawns = true;
  if (auto* label = dyn_cast<LabelStmt>(s)) now_.labels[label->getDecl()] = around;
  Stmt* region = nullptr;
  if (auto* t = dyn_cast<CXXTryStmt>(s)) region = t->getTryBlock();
  if (auto* i = dyn_cast<IfStmt>(s);
      i != nullptr && is_contained({"__nopal_scope", "__nopal_spawn"}, called_name(i->getCond())))
    region = i->getElse();
  if (auto* w = dyn_cast<WhileStmt>(s);
      w != nullptr && called_name(w->getCond()) == "__nopal_for") {
    around.push_back(body_of(w->getBody()));
    survey(w->getBody(), around);
    around.pop_back();
    return;
  }
  for (Stmt* child : s->children()) {
    if (child != nullptr && child == region) around.push_back(child);
    survey(child, around);
    if (child != nullptr && child == region) around.pop_back();
  }
}

/// Makes `body` wait for what was spawned in it, at its end and on all other ways out of it.
Stmt* rewriter::region_of(Stmt* body, const Stmt* origin) {
  const SourceLocation at = body->getBeginLoc();
  VarDecl* mark = make_.variable(now_.in, make_.mark_type(), nullptr, at);
  now_.regions.push_back({origin, mark, now_.breakables, now_.continuables});
  SmallVector<Stmt*, 16> all = {make_.declare(mark, at)};
  Stmt* rewritten = statement(body);
  FPOptionsOverride options;
  if (auto* c = dyn_cast<CompoundStmt>(rewritten)) {
    // The region ends in the scope of the body's own variables, before their destructors. A block
    // around the body would be one more scope for debuggers.
    all.append(c->body_begin(), c->body_end());
    all.push_back(make_.call("__nopal_region_end", {make_.address(mark, at)}, c->getRBracLoc()));
    options = c->getStoredFPFeaturesOrDefault();
  } else {
    all.push_back(rewritten);
    all.push_back(make_.call("__nopal_region_end", {make_.address(mark, at)}, at));
  }
  now_.regions.pop_back();
  return CompoundStmt::Create(make_.context, all, options, at, body->getEndLoc());
}

Stmt* rewriter::loop_body(Stmt* s) {
  ++now_.breakables;
  ++now_.continuables;
  Stmt* rewritten = statement(s);
  --now_.breakables;
  --now_.continuables;
  return rewritten;
}

Stmt* rewriter::statement(Stmt* s) {
  if (s == nullptr) return nullptr;
  if (auto* c = dyn_cast<CompoundStmt>(s)) return compound(c);
  if (auto* e = dyn_cast<Expr>(s)) {
    SmallVector<Stmt*, 1> out;
    if (spawned_expression(e, out)) return out.front();
    if (called_name(e) == "__nopal_sync") return sync(e->getBeginLoc());
    inspect(e);
    return s;
  }
  if (auto* i = dyn_cast<IfStmt>(s)) return conditional(i);
  if (is_parallel_loop(s)) return parallel_loop(s);
  if (auto* t = dyn_cast<CXXTryStmt>(s)) return try_block(t);
  const auto* assembly = dyn_cast<GCCAsmStmt>(s);
  if (isa<ReturnStmt, BreakStmt, ContinueStmt, GotoStmt, IndirectGotoStmt>(s) ||
      (assembly != nullptr && assembly->isAsmGoto()))
    return jump(s);
  if (auto* f = dyn_cast<ForStmt>(s)) {
    inspect(f->getInit());
    inspect(f->getConditionVariableDeclStmt());
    inspect(f->getCond());
    inspect(f->getInc());
    f->setBody(loop_body(f->getBody()));
  } else if (auto* r = dyn_cast<CXXForRangeStmt>(s)) {
    inspect(r->getRangeStmt());
    r->setBody(loop_body(r->getBody()));
  } else if (auto* w = dyn_cast<WhileStmt>(s)) {
    inspect(w->getConditionVariableDeclStmt());
    inspect(w->getCond());
    w->setBody(loop_body(w->getBody()));
  } else if (auto* d = dyn_cast<DoStmt>(s)) {
    inspect(d->getCond());
    d->setBody(loop_body(d->getBody()));
  } else if (auto* w = dyn_cast<SwitchStmt>(s)) {
    switch_statement(w);
  } else if (isa<SwitchCase, LabelStmt, AttributedStmt>(s)) {
    if (auto* c = dyn_cast<SwitchCase>(s)) check_case(c);
    if (auto* a = dyn_cast<AttributedStmt>(s); a != nullptr && !check_attributes(a)) return s;
    for (Stmt*& child : s->children())
      if (child != nullptr && (!isa<CaseStmt>(s) || child == cast<CaseStmt>(s)->getSubStmt()))
        child = statement(child);
  } else {
    inspect(s);
  }
  return s;
}

/// Nothing remains of a sync outside of all regions, because nothing can have been spawned there.
Stmt* rewriter::sync(SourceLocation at) {
  if (now_.regions.empty()) return new (make_.context) NullStmt(at);
  return make_.call("__nopal_region_sync", {make_.address(now_.regions.back().mark, at)}, at);
}

void rewriter::switch_statement(SwitchStmt* s) {
  inspect(s->getInit());
  inspect(s->getConditionVariableDeclStmt());
  inspect(s->getCond());
  const std::size_t regions = std::exchange(now_.switch_regions, now_.regions.size());
  const Stmt* loop = std::exchange(now_.switch_loop, now_.loop_body);
  ++now_.breakables;
  s->setBody(statement(s->getBody()));
  --now_.breakables;
  now_.switch_regions = regions;
  now_.switch_loop = loop;
}

void rewriter::check_case(SwitchCase* s) {
  if (now_.switch_regions != now_.regions.size() || now_.switch_loop != now_.loop_body)
    make_.error(s->getKeywordLoc(),
                "this case label is in a scope of spawned calls or a parallel loop, and its switch "
                "is not");
}

/// A tail call would leave the function without a sync.
bool rewriter::check_attributes(AttributedStmt* s) {
  if (!now_.spawns && !now_.in_loop) return true;
  for (const Attr* a : s->getAttrs()) {
    if (!isa<MustTailAttr>(a)) continue;
    make_.error(a->getLocation(), "a function that spawns cannot end with a call by musttail");
    return false;
  }
  return true;
}

CompoundStmt* rewriter::compound(CompoundStmt* s) {
  SmallVector<Stmt*, 16> out;
  bool changed = false;
  for (Stmt* child : s->body()) {
    if (spawned_declaration(child, out)) {
      changed = true;
      continue;
    }
    Stmt* rewritten = statement(child);
    changed |= rewritten != child;
    out.push_back(rewritten);
  }
  if (!changed) return s;
  return CompoundStmt::Create(make_.context, out, s->getStoredFPFeaturesOrDefault(),
                              s->getLBracLoc(), s->getRBracLoc());
}

Stmt* rewriter::conditional(IfStmt* s) {
  const StringRef marker = called_name(s->getCond());
  if (marker == "__nopal_scope")
    return now_.spawns ? region_of(s->getElse(), s->getElse()) : statement(s->getElse());
  if (marker == "__nopal_spawn") return spawned_block(s->getElse(), s->getBeginLoc());
  inspect(s->getInit());
  inspect(s->getConditionVariableDeclStmt());
  inspect(s->getCond());
  s->setThen(statement(s->getThen()));
  if (s->getElse() != nullptr) s->setElse(statement(s->getElse()));
  return s;
}

/// What was spawned before the block must not throw into its handlers, so it is waited for first.
Stmt* rewriter::try_block(CXXTryStmt* s) {
  const SourceLocation at = s->getTryLoc();
  SmallVector<Stmt*, 4> all;
  for (const region& r : now_.regions)  // the outermost comes first in the serial order
    all.push_back(make_.call("__nopal_region_sync", {make_.address(r.mark, at)}, at));
  CompoundStmt* block = s->getTryBlock();
  auto* body = cast<CompoundStmt>(now_.spawns ? region_of(block, block) : statement(block));
  SmallVector<Stmt*, 4> handlers;
  for (unsigned i = 0; i < s->getNumHandlers(); ++i) {
    CXXCatchStmt* h = s->getHandler(i);
    // Handlers of the whole body of a constructor or destructor have no region around them.
    Stmt* handler = h->getHandlerBlock();
    handler =
        now_.spawns && now_.regions.empty() ? region_of(handler, handler) : statement(handler);
    handlers.push_back(new (make_.context)
                           CXXCatchStmt(h->getCatchLoc(), h->getExceptionDecl(), handler));
  }
  Stmt* made = CXXTryStmt::Create(make_.context, at, body, handlers);
  if (all.empty()) return made;
  all.push_back(made);
  return make_.block(all, at);
}

/// A turn of a parallel loop cannot end the loop.
bool rewriter::stays_in_loop(Stmt* s) {
  if (!now_.in_loop || isa<ContinueStmt>(s)) return true;
  if (isa<BreakStmt>(s) && now_.breakables > now_.loop_breakables) return true;
  if (auto* g = dyn_cast<GotoStmt>(s))
    if (is_contained(now_.labels[g->getLabel()], now_.loop_body)) return true;
  make_.error(s->getBeginLoc(), "cilk_for cannot be left by return, break or goto");
  return false;
}

/// Rewrites a jump so that the regions that it leaves wait first.
Stmt* rewriter::jump(Stmt* s) {
  if (!stays_in_loop(s) || !stays_in_spawn(s)) return s;
  ArrayRef<region> all = now_.regions;
  std::size_t stays = 0;
  if (isa<ReturnStmt>(s)) {
    for (Stmt* value : s->children()) returned_value(value);
  } else if (isa<BreakStmt>(s)) {
    while (stays < all.size() && all[stays].breakables < now_.breakables) ++stays;
  } else if (isa<ContinueStmt>(s)) {
    while (stays < all.size() && all[stays].continuables < now_.continuables) ++stays;
  } else if (auto* g = dyn_cast<GotoStmt>(s)) {
    const path& there = now_.labels[g->getLabel()];
    if (all.empty() && (there.empty() || now_.in_loop)) return s;
    if (!all.empty()) ++stays;  // the function's own region
    while (stays < all.size() && stays <= there.size() && all[stays].origin == there[stays - 1])
      ++stays;
    if (there.size() + (all.empty() ? 0 : 1) > stays)
      make_.error(g->getGotoLoc(),
                  "this goto jumps into a scope of spawned calls or a parallel loop");
  } else if (!all.empty()) {
    make_.error(s->getBeginLoc(), isa<GCCAsmStmt>(s)
                                      ? "asm goto has no place in a function that spawns"
                                      : "a computed goto has no place in a function that spawns");
  }
  return leaving(s, all.drop_front(std::min(stays, all.size())));
}

Stmt* rewriter::leaving(Stmt* s, ArrayRef<region> left) {
  if (left.empty()) return s;
  const SourceLocation at = s->getBeginLoc();
  SmallVector<Stmt*, 4> all;
  for (const region& r : left) {  // The regions end in reverse.
    Expr* mark = make_.address(r.mark, at);
    all.push_back(make_.declare(
        make_.variable(now_.in, mark->getType(), mark, at, "__nopal_region_exit"), at));
  }
  all.push_back(s);
  return make_.block(all, at);
}

void rewriter::inspect(Stmt* s) {
  if (s == nullptr) return;
  if (auto* l = dyn_cast<LambdaExpr>(s)) {
    for (Expr* init : l->capture_inits()) inspect(init);
    function(l->getCallOperator());
    return;
  }
  if (auto* b = dyn_cast<BlockExpr>(s)) {
    refuse_keywords(b->getBody(), "a block cannot spawn; spawn in a function that it calls");
    return;
  }
  if (auto* c = dyn_cast<CapturedStmt>(s)) {
    refuse_keywords(c->getCapturedStmt(),
                    "an OpenMP region cannot spawn; spawn in a function that it calls");
    return;
  }
  if (isa<UnaryExprOrTypeTraitExpr, CXXDefaultArgExpr>(s)) return;
  if (auto* e = dyn_cast<StmtExpr>(s)) return statement_expression(e);
  if (auto* c = dyn_cast<CallExpr>(s)) check_call(c);
  if (auto* d = dyn_cast<DeclStmt>(s)) {
    for (Decl* each : d->decls())
      if (auto* v = dyn_cast<VarDecl>(each)) inspect(v->getInit());
    return;
  }
  if (auto* e = dyn_cast<Expr>(s))
    if (UnaryOperator* spawn = spawn_node(e, make_.context)) call_at_once(spawn);
  if (called_name(s) == "__nopal_sync")
    make_.error(s->getBeginLoc(), "cilk_sync must be a statement");
  for (Stmt* child : s->children()) inspect(child);
}

/// The value of a statement expression is that of its last statement, which must remain an
/// expression.
void rewriter::statement_expression(StmtExpr* e) {
  Stmt* last = e->getType()->isVoidType() ? nullptr : e->getSubStmt()->getStmtExprResult();
  if (auto* value = dyn_cast_or_null<ValueStmt>(last))
    if (spawn_in(value->getExprStmt(), make_.context) != nullptr) return inspect_value(e, value);
  e->setSubStmt(compound(e->getSubStmt()));
}

/// Refuses calls that return twice: what setjmp() notes no longer holds when a thief has gone on
/// with the function.
void rewriter::check_call(CallExpr* c) {
  const FunctionDecl* f = c->getDirectCallee();
  if (!now_.spawns || f == nullptr) return;
  const unsigned builtin = f->getBuiltinID();
  if (f->hasAttr<ReturnsTwiceAttr>() ||
      (builtin != 0 && make_.context.BuiltinInfo.isReturnsTwice(builtin)))
    make_.error(c->getBeginLoc(), "a function that spawns cannot call '" + f->getName().str() +
                                      "'; call it in a function of its own");
}

void rewriter::refuse(UnaryOperator* spawn, StringRef why) {
  const SourceManager& sources = make_.context.getSourceManager();
  make_.error(spawn->getOperatorLoc(), why)
      << FixItHint::CreateRemoval(sources.getExpansionRange(spawn->getOperatorLoc()));
}

}  // namespace nopal_cilk
