// SPDX-License-Identifier: Apache-2.0
// Variables that are references or pointers to the view of a reducer. A view belongs to one strand.
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/Builtins.h"
#include "keywords.hpp"
#include "reducer.hpp"

using namespace clang;

namespace nopal_cilk {
namespace {

/// Whether `s` names `v`, in a lambda as well.
bool names(const Stmt* s, const VarDecl* v) {
  if (s == nullptr) return false;
  if (const auto* r = dyn_cast<DeclRefExpr>(s)) return r->getDecl() == v;
  if (const auto* l = dyn_cast<LambdaExpr>(s); l != nullptr && names(l->getBody(), v)) return true;
  return any_of(s->children(), [v](const Stmt* child) { return names(child, v); });
}

/// Whether another strand may begin in `s`, outside of lambdas. Before a block of `try` a function
/// that spawns has a sync.
bool changes_strand(Stmt* s, bool spawning, const ASTContext& c) {
  if (s == nullptr || isa<LambdaExpr, BlockExpr>(s)) return false;
  if (is_contained({"__nopal_spawn", "__nopal_sync", "__nopal_for"}, called_name(s))) return true;
  if (spawning && isa<CXXTryStmt>(s)) return true;
  if (auto* e = dyn_cast<Expr>(s); e != nullptr && spawn_node(e, c) != nullptr) return true;
  return any_of(s->children(), [&](Stmt* child) { return changes_strand(child, spawning, c); });
}

/// Whether the type of `v` is not written, but deduced from the initial value.
bool is_deduced(const VarDecl* v) {
  return v->isInitCapture() ||
         (v->getTypeSourceInfo() != nullptr &&
          v->getTypeSourceInfo()->getType()->getContainedDeducedType() != nullptr);
}

/// The operand that a call hands on: std::move, std::addressof and the like.
Expr* handed_on(CallExpr* c) {
  switch (c->getBuiltinCallee()) {
    case Builtin::BIaddressof:
    case Builtin::BI__addressof:
    case Builtin::BIas_const:
    case Builtin::BIforward:
    case Builtin::BImove:
    case Builtin::BImove_if_noexcept:
      return c->getArg(0);
    default:
      return nullptr;
  }
}

/// Returns the next step from `e` to the object that `e` refers to, or whose address it is; nullptr
/// if there is none.
Expr* next_step(Expr* e) {
  if (auto* cast = dyn_cast<CastExpr>(e))
    return cast->getCastKind() == CK_LValueToRValue ? nullptr : cast->getSubExpr();
  if (auto* paren = dyn_cast<ParenExpr>(e)) return paren->getSubExpr();
  if (auto* full = dyn_cast<FullExpr>(e)) return full->getSubExpr();
  if (auto* list = dyn_cast<InitListExpr>(e))
    return list->getNumInits() == 1 ? list->getInit(0) : nullptr;
  if (auto* member = dyn_cast<MemberExpr>(e))
    return member->getMemberDecl()->getType()->isReferenceType() ? nullptr : member->getBase();
  if (auto* element = dyn_cast<ArraySubscriptExpr>(e)) return element->getBase();
  if (auto* call = dyn_cast<CallExpr>(e)) return handed_on(call);
  if (auto* unary = dyn_cast<UnaryOperator>(e))
    return unary->isLValue() || unary->getOpcode() == UO_AddrOf ? unary->getSubExpr() : nullptr;
  auto* binary = dyn_cast<BinaryOperator>(e);
  if (binary == nullptr) return nullptr;
  if (binary->getOpcode() == BO_Comma) return binary->getRHS();
  return binary->isLValue() || binary->isAdditiveOp() ? binary->getLHS() : nullptr;
}

/// Whether a function with this body names its parameter where the strand may be another than the
/// caller's: between a spawn and a sync, or in a statement that has keywords itself. A call that is
/// spawned as the first one has the caller's strand.
bool used_by_others(Stmt* body, const VarDecl* parameter, const ASTContext& c) {
  const bool spawning = spawns(body, c);
  bool spawned = false;
  for (Stmt* s : body->children()) {
    if (called_name(s) == "__nopal_sync") {
      spawned = false;
      continue;
    }
    auto* e = dyn_cast_or_null<Expr>(s);
    const bool first = !spawned && e != nullptr && spawn_in(e, c) != nullptr;
    if (!first && (spawned || changes_strand(s, spawning, c)) && names(s, parameter)) return true;
    spawned = spawned || spawns(s, c);
  }
  return false;
}

}  // namespace

/// Whether `e` refers to the view of a reducer or to a part of it, or is the address of one.
bool reducers::refers_to_view(Expr* e) {
  for (; e != nullptr; e = next_step(e)) {
    if (const VarDecl* v = variable_named(e))
      if (types_.type_of(v) != nullptr && !is_copy(v)) return true;
    if (auto* either = dyn_cast<ConditionalOperator>(e))
      return refers_to_view(either->getTrueExpr()) || refers_to_view(either->getFalseExpr());
  }
  return false;
}

/// Reports `v` if it refers to a view, and may be taken for the reducer: because its type is
/// deduced, and so is not that of a reducer; or because it is named behind or in one of the
/// statements `rest` that goes on in another strand.
void reducers::look_at_bound(VarDecl* v, ArrayRef<Stmt*> rest) {
  const QualType type = v->getType();
  const bool refers = type->isReferenceType() || type->isPointerType();
  if (!refers || v->isImplicit() || !v->hasInit() || !refers_to_view(v->getInit())) return;
  bound_.insert(v);
  if (is_deduced(v))
    return report_bound(
        v->getLocation(),
        "what is deduced here refers to one strand's view; name or capture the reducer");
  const bool spawning = in_ != nullptr && spawns(in_->getBody(), make_.context);
  while (!rest.empty() && !changes_strand(rest.front(), spawning, make_.context))
    rest = rest.drop_front();
  if (v->isStaticLocal() || any_of(rest, [v](const Stmt* s) { return names(s, v); }))
    report_bound(v->getLocation(),
                 "this refers to one strand's view, but is used in others; name the reducer there");
}

/// Looks at the variables that `s` declares in its own scope.
void reducers::look_at_bound(Stmt* s) {
  if (isa<Expr>(s)) return;
  const SmallVector<Stmt*, 16> all(s->children());
  for (unsigned i = 0; i < all.size(); ++i) {
    auto* declared = dyn_cast_or_null<DeclStmt>(all[i]);
    if (declared == nullptr) continue;
    for (Decl* d : declared->decls())
      if (auto* v = dyn_cast<VarDecl>(d)) look_at_bound(v, ArrayRef(all).drop_front(i + 1));
  }
}

/// A lambda may run in any strand.
void reducers::look_at_captures(LambdaExpr* l) {
  for (const LambdaCapture& c : l->captures()) {
    auto* v = c.capturesVariable() ? dyn_cast<VarDecl>(c.getCapturedVar()) : nullptr;
    if (v == nullptr) continue;
    if (v->isInitCapture())
      look_at_bound(v, {});
    else if (bound_.contains(v))
      report_bound(c.getLocation(),
                   "what is captured refers to one strand's view; capture the reducer");
  }
}

/// Reports a reducer as the argument of a template that deduces a reference from it, and then uses
/// it in other strands. Only of a template the body is still as it was written.
void reducers::look_at_arguments(CallExpr* c) {
  const FunctionDecl* f = c->getDirectCallee();
  const FunctionDecl* pattern = f != nullptr ? f->getTemplateInstantiationPattern() : nullptr;
  if (pattern == nullptr || pattern->getBody() == nullptr) return;
  const auto* method = dyn_cast<CXXMethodDecl>(f);
  const bool object = isa<CXXOperatorCallExpr>(c) && method != nullptr && method->isInstance();
  const unsigned before = object ? 1 : 0;  // the object is an argument of an operator
  for (unsigned i = 0; i < pattern->getNumParams() && i + before < c->getNumArgs(); ++i) {
    const ParmVarDecl* p = pattern->getParamDecl(i);
    if (p->isParameterPack()) return;
    Expr* argument = c->getArg(i + before);
    if (p->getType()->isReferenceType() && p->getType()->isDependentType() &&
        refers_to_view(argument) && used_by_others(pattern->getBody(), p, make_.context))
      report_bound(
          argument->getBeginLoc(),
          "what is called uses this view in other strands; give it a lambda with the reducer");
  }
}

/// Reports once what may be met in several instances of a template.
void reducers::report_bound(SourceLocation at, StringRef text) {
  if (reported_.insert(at).second) make_.error(at, text);
}

}  // namespace nopal_cilk
