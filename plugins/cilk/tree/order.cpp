// SPDX-License-Identifier: Apache-2.0
// The order in which an assignment of a spawned call is evaluated.
#include "clang/AST/ExprCXX.h"
#include "keywords.hpp"
#include "rewriter.hpp"

using namespace clang;

namespace nopal_cilk {

/// Keeps the value of an expression in a variable.
Expr* rewriter::kept(Expr* value, statements& out) {
  const SourceLocation at = value->getBeginLoc();
  VarDecl* v = make_.variable(now_.in, value->getType(), value, at);
  out.push_back(make_.declare(v, at));
  return make_.value(make_.name(v, at));
}

/// C++17 and later evaluate the right side of an assignment before the left. The place on the left
/// has to be known when the call is spawned, so the operands of the call are evaluated before that
/// place.
void rewriter::evaluate_operands(UnaryOperator* spawn, statements& out) {
  if (!make_.context.getLangOpts().CPlusPlus17 || now_.spawned != nullptr) return;
  walk around = now_;
  enter_spawned(spawn);
  evaluate_operands_of(spawn->getSubExpr(), out);
  now_ = std::move(around);
}

/// Has the operands of `e`, a spawned call or what initializes by one, evaluated before the spawn,
/// by statements that are added to `out`.
void rewriter::evaluate_operands_of(Expr* e, statements& out) {
  e = inside(e);
  if (auto* all = dyn_cast<CXXStdInitializerListExpr>(e)) e = inside(all->getSubExpr());
  if (Expr* called = what_is_called(e)) e = called;
  if (auto* made = dyn_cast<CXXConstructExpr>(e)) {
    for (unsigned i = 0; i < made->getNumArgs(); ++i)
      made->setArg(i, operand(made->getArg(i), out));
  } else if (auto* list = dyn_cast<InitListExpr>(e)) {
    for (unsigned i = 0; i < list->getNumInits(); ++i)
      list->setInit(i, operand(list->getInit(i), out));
  } else if (auto* call = dyn_cast<CallExpr>(e)) {
    if (!isa<CXXOperatorCallExpr>(call)) call->setCallee(object_of_call(call->getCallee(), out));
    for (unsigned i = 0; i < call->getNumArgs(); ++i)
      call->setArg(i, operand(call->getArg(i), out));
  }
}

/// Evaluates what is called: a pointer, or an object and its member.
Expr* rewriter::object_of_call(Expr* e, statements& out) {
  Expr* callee = e->IgnoreParens();
  if (auto* m = dyn_cast<MemberExpr>(callee)) {
    m->setBase(operand(m->getBase(), out));
  } else if (auto* b = dyn_cast<BinaryOperator>(callee); b != nullptr && b->isPtrMemOp()) {
    b->setLHS(operand(b->getLHS(), out));
    b->setRHS(operand(b->getRHS(), out));
  } else if (callee->getType()->isFunctionPointerType() &&
             !isa<DeclRefExpr>(callee->IgnoreParenImpCasts())) {
    return kept(e, out);
  }
  return e;
}

/// Returns the same value or object, evaluated in `out`. An object that is passed by value is
/// constructed where the call is made, from operands that are evaluated in `out`.
Expr* rewriter::operand(Expr* e, statements& out) {
  if (isa<CXXDefaultArgExpr>(e) || e->getType()->isFunctionType() || spawns(e, make_.context) ||
      e->isEvaluatable(make_.context))
    return e;
  const SourceLocation at = e->getBeginLoc();
  auto* cast = dyn_cast<ImplicitCastExpr>(e);
  if (cast != nullptr && e->isGLValue()) {
    cast->setSubExpr(operand(cast->getSubExpr(), out));
    return e;
  }
  if (auto* temporary = dyn_cast<MaterializeTemporaryExpr>(e)) {
    VarDecl* v = make_.variable(now_.in, e->getType(), temporary->getSubExpr(), at);
    inspect(v->getInit());
    out.push_back(make_.declare(v, at));
    Expr* name = make_.name(v, at);
    if (!e->isXValue()) return name;
    return ImplicitCastExpr::Create(make_.context, e->getType(), CK_NoOp, name, nullptr, VK_XValue,
                                    FPOptionsOverride());
  }
  if (e->isGLValue()) {
    if (isa<DeclRefExpr>(e->IgnoreParens()) || e->getObjectKind() != OK_Ordinary) return e;
    inspect(e);
    Expr* there = make_.pointee(kept(make_.address(e), out));
    if (!e->isXValue()) return there;
    return ImplicitCastExpr::Create(make_.context, e->getType(), CK_NoOp, there, nullptr, VK_XValue,
                                    FPOptionsOverride());
  }
  if (e->getType()->isScalarType()) {
    inspect(e);
    return kept(e, out);
  }
  evaluate_operands_of(e, out);
  return e;
}

}  // namespace nopal_cilk
