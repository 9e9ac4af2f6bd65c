// SPDX-License-Identifier: Apache-2.0
// The statements that spawn.
#include "clang/AST/Mangle.h"
#include "keywords.hpp"
#include "rewriter.hpp"

using namespace clang;

namespace nopal_cilk {

/// The arguments of a spawned call are evaluated by its helper, where nothing can be spawned. So an
/// argument that is a statement expression with spawns becomes a variable of the spawning function.
/// The spawns of such an argument are calls, if its value is of a class or if something
/// else may have to be evaluated before it. `always` says that nothing has to.
void rewriter::evaluate_spawning(Stmt*& s, bool always, statements& out) {
  if (s == nullptr || isa<LambdaExpr, BlockExpr>(s) || !spawns(s, make_.context)) return;
  auto* e = dyn_cast<StmtExpr>(s);
  if (e != nullptr && always && e->getType()->isScalarType()) {
    VarDecl* v = make_.variable(now_.in, e->getType().getUnqualifiedType(), e, e->getBeginLoc());
    statement_expression(e);
    out.push_back(make_.declare(v, e->getBeginLoc()));
    s = make_.value(make_.name(v, e->getBeginLoc()));
    return;
  }
  const auto* call = dyn_cast<CallExpr>(s);
  always &= call != nullptr ? !call->getCallee()->HasSideEffects(make_.context) &&
                                  !isa<CXXOperatorCallExpr>(call)
                            : isa<CastExpr, ParenExpr, FullExpr, MaterializeTemporaryExpr>(s);
  for (Stmt*& child : s->children()) evaluate_spawning(child, always, out);
}

/// What is inspected from here on is inside the spawned call.
void rewriter::enter_spawned(UnaryOperator* spawn) {
  now_.spawned = spawn;
  now_.never_left = spawn;
  now_.spawned_breakables = now_.breakables;
  now_.spawned_continuables = now_.continuables;
}

namespace {

/// Whether clang leaves out what follows the call.
bool never_returns(const Expr* e) {
  const auto* call = dyn_cast<CallExpr>(e);
  if (call == nullptr) return false;
  const auto* f = dyn_cast_or_null<FunctionDecl>(call->getCalleeDecl());
  const auto* type = call->getCallee()->getType()->getPointeeOrArrayElementType();
  const auto* function = type->getAs<FunctionType>();
  return (f != nullptr && f->isNoReturn()) || (function != nullptr && function->getNoReturnAttr());
}

}  // namespace

/// Puts `body` between the marks of a spawn. If it builds a variable with a destructor, `built` is
/// that variable.
void rewriter::spawned(UnaryOperator* spawn, Stmt* body, statements& out, VarDecl* built) {
  const SourceLocation at = spawn->getOperatorLoc();
  lowered_.insert(spawn);
  if (now_.spawned != nullptr) {  // in an argument that the helper evaluates
    inspect(spawn->getSubExpr());
    out.push_back(body);
    return;
  }
  for (Stmt*& child : spawn->children()) evaluate_spawning(child, true, out);
  walk around = now_;
  enter_spawned(spawn);
  inspect(spawn->getSubExpr());
  now_ = std::move(around);
  Expr* constructor = mark_constructor(spawn->getSubExpr());
  if (constructor == nullptr && !mark_callee(spawn->getSubExpr())) {
    if (calls(spawn->getSubExpr())) {  // It calls nothing that has an address.
      out.push_back(body);
      return;
    }
    refuse(spawn, "cilk_spawn must stand before the call of a function");
    return;
  }
  VarDecl* mark = make_.variable(now_.in, make_.mark_type(), nullptr, at, "__nopal_spawn_exit");
  out.push_back(make_.declare(mark, at));
  out.push_back(make_.call("__nopal_spawn_begin",
                           {make_.address(mark, at), make_.address(now_.regions.back().mark, at)},
                           at));
  if (constructor != nullptr) out.push_back(constructor);
  out.push_back(never_returns(what_is_called(spawn->getSubExpr())) ? may_not_end(body) : body);
  if (built != nullptr)
    out.push_back(make_.call(
        "__nopal_built",
        {make_.address(mark, at), make_.cast_pointer(make_.address(built, at), any_pointer())},
        at));
  out.push_back(make_.call("__nopal_spawn_end", {make_.address(mark, at)}, at));
}

namespace {

/// Whether the statement `e` begins with the keyword.
bool leads(const UnaryOperator* spawn, const Expr* e) {
  return spawn->getOperatorLoc() == e->getBeginLoc();
}

/// The cilk_spawn with which the statement `whole` begins, if it is in `part`; nullptr if there is
/// none.
UnaryOperator* leading_spawn(Stmt* part, const Expr* whole, const ASTContext& c) {
  auto* e = dyn_cast_or_null<Expr>(part);
  if (e == nullptr || isa<LambdaExpr, StmtExpr>(e)) return nullptr;
  UnaryOperator* spawn = spawn_node(e, c);
  if (spawn != nullptr && leads(spawn, whole)) return spawn;
  for (Stmt* child : e->children())
    if (UnaryOperator* found = leading_spawn(child, whole, c)) return found;
  return nullptr;
}

}  // namespace

/// Rewrites a statement that is a spawned call, or assigns one. Returns false if `e` is none.
bool rewriter::spawned_expression(Expr* e, statements& out) {
  Expr* inner = e;
  if (auto* full = dyn_cast<FullExpr>(inner)) inner = full->getSubExpr();
  SmallVector<Stmt*, 4> body;
  UnaryOperator* spawn = spawn_in(inner, make_.context);
  UnaryOperator* of_whole = leading_spawn(e, e, make_.context);
  if (spawn != nullptr && (spawn != of_whole || is_call(spawn->getSubExpr()))) of_whole = nullptr;
  if (of_whole != nullptr) {
    if (lowered_.insert(of_whole).second) {
      out.push_back(spawned_block(e, of_whole->getOperatorLoc()));
      return true;
    }
    spawn = nullptr;  // This is the block that it spawns.
  }
  if (spawn == nullptr) {
    inner = inner->IgnoreImplicit();
    if (auto* b = dyn_cast<BinaryOperator>(inner); b != nullptr && b->isAssignmentOp()) {
      spawn = spawn_in(b->getRHS(), make_.context);
      if (spawn == nullptr) return false;
      inspect(b->getLHS());
      if (!isa<DeclRefExpr>(inside(b->getLHS()))) evaluate_operands(spawn, body);
      b->setLHS(evaluated_before(b->getLHS(), body));
    } else if (auto* o = dyn_cast<CXXOperatorCallExpr>(inner);
               o != nullptr && o->isAssignmentOp() && o->getNumArgs() == 2) {
      spawn = spawn_in(o->getArg(1), make_.context);
      if (spawn == nullptr) return false;
      inspect(o->getArg(0));
      if (!isa<DeclRefExpr>(inside(o->getArg(0)))) evaluate_operands(spawn, body);
      o->setArg(0, evaluated_before(o->getArg(0), body));
    } else {
      return false;
    }
  }
  body.push_back(e);
  // The statement gets a scope of its own: temporaries of the target end with the spawned call.
  SmallVector<Stmt*, 8> all;
  spawned(spawn, make_.block(body, e->getBeginLoc()), all);
  out.push_back(make_.block(all, e->getBeginLoc()));
  return true;
}

/// The target of an assignment, whose address is computed before the function is spawned.
Expr* rewriter::evaluated_before(Expr* target, statements& out) {
  Expr* plain = target->IgnoreParenImpCasts();
  if (isa<DeclRefExpr>(plain) || !target->isGLValue()) return target;
  // A part of an object stays one: a bit-field has no address, and a packed member may have one
  // that its type does not allow.
  if (auto* m = dyn_cast<MemberExpr>(plain)) {
    m->setBase(m->isArrow() ? kept(m->getBase(), out) : evaluated_before(m->getBase(), out));
  } else if (auto* v = dyn_cast<ExtVectorElementExpr>(plain)) {
    v->setBase(v->isArrow() ? kept(v->getBase(), out) : evaluated_before(v->getBase(), out));
  } else if (auto* s = dyn_cast<ArraySubscriptExpr>(plain)) {
    auto* decay = dyn_cast<ImplicitCastExpr>(s->getLHS());
    if (decay != nullptr && decay->getCastKind() == CK_ArrayToPointerDecay)
      decay->setSubExpr(evaluated_before(decay->getSubExpr(), out));
    else
      s->setLHS(s->getLHS()->isGLValue() ? evaluated_before(s->getLHS(), out)
                                         : kept(s->getLHS(), out));
    s->setRHS(kept(s->getRHS(), out));
  } else if (target->getObjectKind() == OK_Ordinary) {
    return make_.pointee(kept(make_.address(target), out));
  }
  return target;
}

namespace {

/// What stands behind a label.
Stmt** substatement(Stmt* label) {
  Stmt** last = nullptr;
  for (Stmt*& child : label->children()) last = &child;
  return last;
}

}  // namespace

/// Rewrites a declaration that spawns, which may have labels.
bool rewriter::spawned_declaration(Stmt* all, statements& out) {
  Stmt** place = &all;
  while (isa<SwitchCase, LabelStmt>(*place)) place = substatement(*place);
  auto* s = dyn_cast<DeclStmt>(*place);
  if (s == nullptr) return false;
  bool any = false;
  for (Decl* d : s->decls())
    if (auto* v = dyn_cast<VarDecl>(d))
      any |= v->hasInit() && spawn_in(v->getInit(), make_.context) != nullptr;
  if (!any) return false;
  if (s != all) {
    *place = new (make_.context) NullStmt(s->getBeginLoc());
    out.push_back(statement(all));
  }
  for (Decl* d : s->decls())
    if (!spawned_variable(d, out)) {
      inspect(make_.declare(d, d->getLocation()));
      out.push_back(make_.declare(d, d->getLocation()));
    }
  return true;
}

namespace {

/// Whether a reference is bound to a temporary with a destructor, which then lives as long as the
/// reference.
bool extends_lifetime(const Expr* init) {
  if (auto* full = dyn_cast<FullExpr>(init)) init = full->getSubExpr();
  while (auto* cast = dyn_cast<ImplicitCastExpr>(init)) init = cast->getSubExpr();
  auto* temporary = dyn_cast<MaterializeTemporaryExpr>(init);
  return temporary != nullptr && temporary->getExtendingDecl() != nullptr &&
         temporary->getType().isDestructedType() != QualType::DK_none;
}

}  // namespace

/// Rewrites the declaration of a variable that a spawned call initializes. Returns false if `d` is
/// none.
bool rewriter::spawned_variable(Decl* d, statements& out) {
  auto* v = dyn_cast<VarDecl>(d);
  UnaryOperator* spawn =
      v != nullptr && v->hasInit() ? spawn_in(v->getInit(), make_.context) : nullptr;
  if (spawn == nullptr) return false;
  if (isa<DecompositionDecl>(v)) {
    refuse(spawn,
           "cilk_spawn cannot initialize a structured binding; bind a variable after cilk_sync");
    return true;
  }
  if (!v->hasLocalStorage()) {
    refuse(spawn, "cilk_spawn cannot initialize a variable with static storage");
    return true;
  }
  v->setReferenced();
  v->markUsed(make_.context);
  const bool destroyed =
      v->needsDestruction(make_.context) != QualType::DK_none || extends_lifetime(v->getInit());
  spawned(spawn, make_.declare(v, v->getLocation()), out, destroyed ? v : nullptr);
  return true;
}

QualType rewriter::any_pointer() const {
  return make_.context.getPointerType(make_.context.VoidTy.withConst().withVolatile());
}

/// Returns the call of a marker that returns `pointer`. The pass finds the call of a spawn by this
/// marker, around the function that is called or around the object of the call.
Expr* rewriter::opaque(Expr* pointer) {
  return make_.cast_pointer(
      make_.call("__nopal_callee", {make_.cast_pointer(pointer, any_pointer())},
                 pointer->getBeginLoc()),
      pointer->getType());
}

/// Names a constructor for the pass: there is no expression for what is called, nor for the object.
/// Returns nullptr if `e` constructs nothing.
Expr* rewriter::mark_constructor(Expr* e) {
  auto* made = dyn_cast_or_null<CXXConstructExpr>(what_is_called(e));
  if (made == nullptr || made->getConstructor()->isTrivial()) return nullptr;
  std::unique_ptr<MangleContext> mangle(make_.context.createMangleContext());
  std::string names;
  llvm::raw_string_ostream out(names);
  mangle->mangleName(GlobalDecl(made->getConstructor(), Ctor_Complete), out);
  out << ' ';
  mangle->mangleName(GlobalDecl(made->getConstructor(), Ctor_Base), out);
  return make_.call("__nopal_constructor", {make_.text(names, e->getBeginLoc())}, e->getBeginLoc());
}

/// Puts the marker of opaque() around the object of the call in `e`, or else around the pointer to
/// what it calls. Returns false if `e` has neither.
bool rewriter::mark_callee(Expr* e) {
  auto* call = dyn_cast_or_null<CallExpr>(what_is_called(e));
  if (call == nullptr || isa<UserDefinedLiteral>(call)) return false;
  auto object = [this](Expr* o) { return make_.pointee(opaque(make_.address(o))); };
  if (auto* member = dyn_cast<CXXMemberCallExpr>(call)) {
    Expr* callee = member->getCallee()->IgnoreParens();
    if (auto* m = dyn_cast<MemberExpr>(callee)) {
      m->setBase(m->isArrow() ? opaque(m->getBase()) : object(m->getBase()));
      return true;
    }
    if (auto* b = dyn_cast<BinaryOperator>(callee)) {
      b->setLHS(b->getOpcode() == BO_PtrMemI ? opaque(b->getLHS()) : object(b->getLHS()));
      return true;
    }
    return false;
  }
  auto* method = dyn_cast_or_null<CXXMethodDecl>(call->getCalleeDecl());
  if (isa<CXXOperatorCallExpr>(call) && method != nullptr &&
      !method->isExplicitObjectMemberFunction()) {
    if (method->isStatic()) return false;
    call->setArg(0, object(call->getArg(0)));
    return true;
  }
  Expr* callee = call->getCallee();
  const auto* decayed = dyn_cast<CastExpr>(callee);
  if (decayed != nullptr && decayed->getCastKind() == CK_BuiltinFnToFnPtr) return false;
  if (!callee->getType()->isFunctionPointerType()) return false;
  call->setCallee(opaque(callee));
  return true;
}

}  // namespace nopal_cilk
