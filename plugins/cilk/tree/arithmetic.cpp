// SPDX-License-Identifier: Apache-2.0
#include "loop.hpp"

using namespace clang;

namespace nopal_cilk {

loop_arithmetic::loop_arithmetic(builder& make, DeclContext* in, SourceLocation at,
                                 const loop_control& c, SmallVectorImpl<Stmt*>& out)
    : make_(make),
      in_(in),
      at_(at),
      control_(c),
      out_(out),
      integer_(c.variable->getType()->isIntegralOrEnumerationType()) {
  auto own_type = [](const Expr* e) {
    return e->getType().getNonReferenceType().getUnqualifiedType();
  };
  begin_ = make_.variable(in, own_type(name(c.variable)), c.variable->getInit(), at);
  out_.push_back(make_.declare(begin_, at));
  Expr* limit = c.limit;
  if (auto* t = dyn_cast<MaterializeTemporaryExpr>(limit)) limit = t->getSubExpr();
  limit_ = variable(own_type(limit), limit);
  if (c.step != nullptr) step_ = variable(own_type(c.step), c.step);
  if (integer_) common_ = binary(BO_Sub, name(begin_), name(limit_))->getType();
}

VarDecl* loop_arithmetic::variable(QualType type, Expr* init) {
  VarDecl* v = make_.variable(in_, type, nullptr, at_);
  make_.sema.AddInitializerToDecl(v, init, false);
  out_.push_back(make_.declare(v, at_));
  return v;
}

Expr* loop_arithmetic::cast(Expr* e, QualType to) {
  const ExprResult r =
      make_.sema.BuildCStyleCastExpr(at_, make_.context.getTrivialTypeSourceInfo(to, at_), at_, e);
  return r.isInvalid() ? number(0) : r.get();
}

Expr* loop_arithmetic::binary(BinaryOperatorKind op, Expr* a, Expr* b) {
  const ExprResult r = make_.sema.BuildBinOp(nullptr, at_, op, a, b);
  return r.isInvalid() ? number(0) : r.get();
}

Expr* loop_arithmetic::choose(Expr* condition, Expr* yes, Expr* no) {
  const ExprResult r = make_.sema.ActOnConditionalOp(at_, at_, condition, yes, no);
  return r.isInvalid() ? number(0) : r.get();
}

/// An integer as the comparison sees it.
Expr* loop_arithmetic::common(VarDecl* v) { return cast(name(v), common_); }

/// The distance from the first value to the limit, in the direction of the loop.
Expr* loop_arithmetic::distance(bool up) {
  VarDecl* from = up ? begin_ : limit_;
  VarDecl* to = up ? limit_ : begin_;
  if (integer_) return binary(BO_Sub, as_word(common(to)), as_word(common(from)));
  return as_word(binary(BO_Sub, name(to), name(from)));
}

Expr* loop_arithmetic::signed_step() {
  if (step_ == nullptr) return cast(number(1), make_.context.LongTy);
  return cast(name(step_), make_.context.LongTy);
}

Expr* loop_arithmetic::magnitude(bool up) {
  Expr* step = as_word(signed_step());
  return up == control_.down ? binary(BO_Sub, number(0), step) : step;
}

Expr* loop_arithmetic::turns(bool up) { return binary(BO_Div, distance(up), magnitude(up)); }

Expr* loop_arithmetic::count() {
  const BinaryOperatorKind op = control_.comparison;
  if (op == BO_NE) {
    if (step_ == nullptr) return turns(!control_.down);
    Expr* positive = binary(BO_GT, signed_step(), cast(number(0), make_.context.LongTy));
    return choose(positive, turns(!control_.down), turns(control_.down));
  }
  const bool up = op == BO_LT || op == BO_LE;
  Expr* any = binary(op, name(begin_), name(limit_));
  Expr* length = distance(up);
  if (op == BO_LT || op == BO_GT) length = binary(BO_Sub, length, number(1));
  Expr* rounded = binary(BO_Add, binary(BO_Div, length, magnitude(up)), number(1));
  return choose(any, rounded, number(0));
}

Expr* loop_arithmetic::value_of_turn(VarDecl* turn) {
  Expr* step = signed_step();
  if (control_.down) step = binary(BO_Sub, cast(number(0), make_.context.LongTy), step);
  Expr* offset = binary(BO_Mul, name(turn), as_word(step));
  if (integer_) return cast(binary(BO_Add, as_word(name(begin_)), offset), begin_->getType());
  return binary(BO_Add, name(begin_), cast(offset, make_.context.LongTy));
}

Expr* loop_arithmetic::another_turn(VarDecl* turn, VarDecl* last) {
  Expr* next = make_.sema.CreateBuiltinUnaryOp(at_, UO_PreInc, name(turn)).get();
  Expr* more = binary(BO_NE, next, name(last));
  Expr* increment = control_.increment;
  if (step_ != nullptr) increment = control_.increment_by(make_.value(name(step_)));
  Expr* advanced = binary(BO_Comma, increment, cast(number(1), make_.context.IntTy));
  return binary(BO_LAnd, more, advanced);
}

}  // namespace nopal_cilk
