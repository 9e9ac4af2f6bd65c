// SPDX-License-Identifier: Apache-2.0
// Rewrites the parallel loop. Its turns are counted before the first one, and numbered, so that a
// piece of the loop can begin with any of them.
#include "loop.hpp"

#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "keywords.hpp"
#include "rewriter.hpp"

using namespace clang;

namespace nopal_cilk {

bool loop_control::names(const Expr* e) const {
  e = e->IgnoreParenImpCasts();
  if (auto* t = dyn_cast<MaterializeTemporaryExpr>(e)) e = t->getSubExpr()->IgnoreParenImpCasts();
  if (auto* made = dyn_cast<CXXConstructExpr>(e); made != nullptr && made->getNumArgs() == 1)
    return names(made->getArg(0));
  auto* r = dyn_cast<DeclRefExpr>(e);
  return r != nullptr && r->getDecl() == variable;
}

/// Fills in a comparison, turned round if the control variable is on its right side. Returns false
/// if it is on neither, or if such a comparison governs no loop.
bool loop_control::set_operands(BinaryOperatorKind op, Expr* left, Expr* right) {
  comparison = op;
  limit = right;
  if (!names(left)) {
    if (!names(right)) return false;
    comparison = BinaryOperator::isComparisonOp(op) && !BinaryOperator::isEqualityOp(op)
                     ? BinaryOperator::reverseComparisonOp(op)
                     : op;
    limit = left;
  }
  return BinaryOperator::isComparisonOp(op) && op != BO_EQ && op != BO_Cmp;
}

bool loop_control::read_condition(Expr* e) {
  if (e == nullptr) return false;
  e = e->IgnoreImplicit()->IgnoreParens();
  if (auto* r = dyn_cast<CXXRewrittenBinaryOperator>(e)) {
    const auto form = r->getDecomposedForm();
    return set_operands(form.Opcode, const_cast<Expr*>(form.LHS), const_cast<Expr*>(form.RHS));
  }
  if (auto* b = dyn_cast<BinaryOperator>(e))
    return set_operands(b->getOpcode(), b->getLHS(), b->getRHS());
  auto* o = dyn_cast<CXXOperatorCallExpr>(e);
  return o != nullptr && o->isComparisonOp() &&
         set_operands(BinaryOperator::getOverloadedOpcode(o->getOperator()), o->getArg(0),
                      o->getArg(1));
}

bool loop_control::read_step(Expr* e) {
  if (e == nullptr) return false;
  increment = e;
  e = e->IgnoreImplicit()->IgnoreParens();
  if (auto* u = dyn_cast<UnaryOperator>(e)) {
    down = u->isDecrementOp();
    return u->isIncrementDecrementOp() && names(u->getSubExpr());
  }
  if (auto* b = dyn_cast<BinaryOperator>(e); b != nullptr && b->getOpcode() == BO_Assign) {
    auto* sum = dyn_cast<BinaryOperator>(b->getRHS()->IgnoreParenImpCasts());
    if (sum == nullptr || !sum->isAdditiveOp() || !names(b->getLHS())) return false;
    down = sum->getOpcode() == BO_Sub;
    step = names(sum->getLHS()) ? sum->getRHS() : sum->getLHS();
    return names(sum->getLHS()) || (!down && names(sum->getRHS()));
  }
  if (auto* b = dyn_cast<BinaryOperator>(e)) {
    down = b->getOpcode() == BO_SubAssign;
    step = b->getRHS();
    return (down || b->getOpcode() == BO_AddAssign) && names(b->getLHS());
  }
  auto* o = dyn_cast<CXXOperatorCallExpr>(e);
  if (o == nullptr || !names(o->getArg(0))) return false;
  const OverloadedOperatorKind op = o->getOperator();
  down = op == OO_MinusMinus || op == OO_MinusEqual;
  if (op == OO_PlusEqual || op == OO_MinusEqual) step = o->getArg(1);
  return down || step != nullptr || op == OO_PlusPlus;
}

/// The increment, with the step as it was before the loop.
Expr* loop_control::increment_by(Expr* amount) const {
  Expr* e = increment->IgnoreImplicit()->IgnoreParens();
  auto* b = dyn_cast<BinaryOperator>(e);
  if (b != nullptr && b->getOpcode() == BO_Assign) {
    auto* sum = cast<BinaryOperator>(b->getRHS()->IgnoreParenImpCasts());
    if (sum->getRHS() == step)
      sum->setRHS(amount);
    else
      sum->setLHS(amount);
  } else if (b != nullptr) {
    b->setRHS(amount);
  }
  return increment;
}

/// Whether the turns of a loop can be counted before the first.
bool rewriter::can_be_numbered(const loop_control& c) {
  const QualType type = c.variable->getType().getUnqualifiedType();
  if (type->isIntegralOrEnumerationType()) {
    if (make_.context.getTypeSize(type) <= 64) return true;
    make_.error(c.variable->getLocation(),
                "the control variable of cilk_for can have at most 64 bits");
    return false;
  }
  if (type->isPointerType()) return true;
  if (type->isRecordType()) {
    Sema::ContextRAII context(make_.sema, now_.in);
    Sema::SFINAETrap trap(make_.sema, true);
    const SourceLocation at = c.variable->getLocation();
    Expr* limit = c.limit;
    if (auto* t = dyn_cast<MaterializeTemporaryExpr>(limit)) limit = t->getSubExpr();
    const bool far_apart =
        make_.sema.BuildBinOp(nullptr, at, BO_Sub, limit, make_.name(c.variable, at)).isUsable() &&
        make_.sema.BuildBinOp(nullptr, at, BO_Add, make_.name(c.variable, at), make_.number(1, at))
            .isUsable();
    if (far_apart && !trap.hasErrorOccurred()) return true;
  }
  make_.error(c.variable->getLocation(),
              "cilk_for needs an integer, a pointer or an iterator with random access");
  return false;
}

namespace {

/// Whether `e` names the variable.
bool depends_on(const Stmt* e, const VarDecl* v) {
  const auto* name = dyn_cast_or_null<DeclRefExpr>(e);
  return (name != nullptr && name->getDecl() == v) ||
         (e != nullptr &&
          any_of(e->children(), [v](const Stmt* child) { return depends_on(child, v); }));
}

/// Finds assignments to the control variable.
struct changes : RecursiveASTVisitor<changes> {
  explicit changes(const loop_control& c) : control(c) {}
  bool VisitBinaryOperator(BinaryOperator* b) {
    if (b->isAssignmentOp()) note(b->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* u) {
    if (u->isIncrementDecrementOp()) note(u->getSubExpr());
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr* o) {
    const OverloadedOperatorKind op = o->getOperator();
    if (o->isAssignmentOp() || op == OO_PlusPlus || op == OO_MinusMinus) note(o->getArg(0));
    return true;
  }
  void note(Expr* e) {
    if (control.names(e)) found = e;
  }
  const loop_control& control;
  Expr* found = nullptr;
};

}  // namespace

/// Finds the control variable among those that the loop declares, which the increment tells. The
/// others are declared before the loop, and may not depend on it. Reports what is wrong, and
/// returns false if something is.
bool rewriter::read_control(ForStmt* f, loop_control& c, statements& before) {
  auto* all = dyn_cast_or_null<DeclStmt>(f->getInit());
  SmallVector<VarDecl*, 2> declared;
  if (all != nullptr)
    for (Decl* d : all->decls()) declared.push_back(dyn_cast<VarDecl>(d));
  for (VarDecl* v : declared) {
    loop_control tried;
    tried.variable = v;
    if (v != nullptr && (declared.size() == 1 || tried.read_step(f->getInc()))) c.variable = v;
  }
  if (c.variable == nullptr || !c.variable->hasInit()) {
    make_.error(f->getForLoc(), "cilk_for must declare and initialize one control variable");
    return false;
  }
  for (VarDecl* v : declared) {
    if (v == c.variable) continue;
    if (v == nullptr || depends_on(v->getInit(), c.variable)) {
      make_.error(f->getForLoc(), "what cilk_for declares cannot depend on its control variable");
      return false;
    }
    inspect(v->getInit());
    before.push_back(make_.declare(v, v->getLocation()));
  }
  return true;
}

/// Reads the control of a cilk_for, and reports what is wrong with it. Returns false if something
/// is.
/// \param before  gets what is evaluated before the loop.
/// \param body  gets the statements of one turn.
bool rewriter::read_loop(Stmt* s, loop_control& c, statements& before, statements& body) {
  if (auto* r = dyn_cast<CXXForRangeStmt>(s)) {
    if (r->getInit() != nullptr) before.push_back(r->getInit());
    before.append({r->getRangeStmt(), r->getEndStmt()});
    inspect(r->getRangeInit());
    c.variable = cast<VarDecl>(r->getBeginStmt()->getSingleDecl());
    body.append({r->getLoopVarStmt(), r->getBody()});
    if (c.read_condition(r->getCond()) && c.read_step(r->getInc())) return true;
    make_.error(s->getBeginLoc(), "cilk_for needs a range of random access");
    return false;
  }
  auto* f = cast<ForStmt>(s);
  if (!read_control(f, c, before)) return false;
  changes in_body(c);
  in_body.TraverseStmt(f->getBody());
  if (in_body.found != nullptr) {
    make_.error(in_body.found->getBeginLoc(),
                "the body of cilk_for cannot change its control variable");
    return false;
  }
  inspect(c.variable->getInit());
  inspect(f->getCond());
  inspect(f->getInc());
  body.push_back(f->getBody());
  if (!c.read_condition(f->getCond())) {
    make_.error(
        f->getCond() != nullptr ? f->getCond()->getBeginLoc() : f->getForLoc(),
        "the condition of cilk_for must compare its control variable by <, <=, >, >= or !=");
    return false;
  }
  if (!c.read_step(f->getInc())) {
    make_.error(f->getInc() != nullptr ? f->getInc()->getBeginLoc() : f->getForLoc(),
                "cilk_for must change its control variable by ++, --, += or -=");
    return false;
  }
  return true;
}

/// Rewrites the body so that each turn waits for what it has spawned.
Stmt* rewriter::turn_of(ArrayRef<Stmt*> body, Stmt* origin) {
  const walk around = now_;
  now_.in_loop = true;
  now_.loop_breakables = now_.breakables;
  now_.loop_body = origin;
  ++now_.continuables;
  Stmt* all = body.back();
  all = now_.spawns ? region_of(all, origin) : statement(all);
  now_ = around;
  SmallVector<Stmt*, 2> parts(body.begin(), body.end());
  parts.back() = all;
  return parts.size() == 1 ? all : make_.block(parts, all->getBeginLoc());
}

/// Whether `s` is a cilk_for, with what may stand before it.
bool rewriter::is_parallel_loop(Stmt* s) {
  while (auto* a = dyn_cast<AttributedStmt>(s)) s = a->getSubStmt();
  auto* w = dyn_cast<WhileStmt>(s);
  return w != nullptr &&
         is_contained({"__nopal_for", "__nopal_grainsize"}, called_name(w->getCond()));
}

/// Rewrites a cilk_for. A grain size and hints for the compiler may stand before it.
Stmt* rewriter::parallel_loop(Stmt* s) {
  Expr* grain = nullptr;
  SmallVector<const Attr*, 2> hints;
  for (Stmt* part = s;;) {
    if (auto* a = dyn_cast<AttributedStmt>(part)) {
      hints.append(a->getAttrs().begin(), a->getAttrs().end());
      part = a->getSubStmt();
      continue;
    }
    auto* w = dyn_cast<WhileStmt>(part);
    const StringRef marker = w != nullptr ? called_name(w->getCond()) : StringRef();
    if (marker == "__nopal_for") return numbered_loop(w->getBody(), grain, hints);
    if (marker != "__nopal_grainsize") {
      make_.error(s->getBeginLoc(), "a grain size must be followed by cilk_for");
      return s;
    }
    grain = cast<CallExpr>(w->getCond()->IgnoreParenImpCasts())->getArg(0);
    part = w->getBody();
  }
}

/// Turns a loop into this:
/// { T b = begin; L e = limit; S s = step; mark m; loop_begin(&m, count, grain);
///   T i = b + first * s; unsigned long k = first;
///   do body while (++k != last && (i += s, 1)); loop_end(&m); }
Stmt* rewriter::numbered_loop(Stmt* s, Expr* grain, ArrayRef<const Attr*> hints) {
  const SourceLocation at = s->getBeginLoc();
  if (!isa<ForStmt, CXXForRangeStmt>(s)) return s;
  loop_control c;
  SmallVector<Stmt*, 16> all;
  SmallVector<Stmt*, 2> body;
  if (!read_loop(s, c, all, body)) return s;
  if (!can_be_numbered(c)) return s;
  Stmt* turn = turn_of(body, body.back());

  Sema::ContextRAII context(make_.sema, now_.in);
  loop_arithmetic a(make_, now_.in, at, c, all);
  if (grain == nullptr) grain = make_.number(0, at);
  Expr* count = a.count();
  VarDecl* mark = make_.variable(now_.in, make_.mark_type(), nullptr, at, "__nopal_loop_exit");
  all.push_back(make_.declare(mark, at));
  all.push_back(
      make_.call("__nopal_loop_begin", {make_.address(mark, at), count, a.as_word(grain)}, at));
  VarDecl* number = a.variable(make_.context.UnsignedLongTy,
                               make_.call("__nopal_loop_first", {make_.address(mark, at)}, at));
  VarDecl* last = a.variable(make_.context.UnsignedLongTy,
                             make_.call("__nopal_loop_last", {make_.address(mark, at)}, at));
  c.variable->setInit(nullptr);
  make_.sema.AddInitializerToDecl(c.variable, a.value_of_turn(number), true);
  all.push_back(make_.declare(c.variable, at));
  Stmt* piece = new (make_.context) DoStmt(turn, a.another_turn(number, last), at, at, at);
  if (!hints.empty()) piece = AttributedStmt::Create(make_.context, at, hints, piece);
  all.push_back(piece);
  all.push_back(make_.call("__nopal_loop_end", {make_.address(mark, at)}, at));
  return make_.block(all, at);
}

}  // namespace nopal_cilk
