// SPDX-License-Identifier: Apache-2.0
#include "reducer.hpp"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/Builtins.h"
#include "keywords.hpp"

using namespace clang;

namespace nopal_cilk {

void reducers::function(FunctionDecl* f) {
  if (!f->doesThisDeclarationHaveABody() || f->isDependentContext() || f->isDefaulted()) return;
  if (!seen_.insert(f).second) return;
  FunctionDecl* around = std::exchange(in_, f);
  const bool begins = std::exchange(begins_, false);
  if (auto* made = dyn_cast<CXXConstructorDecl>(f))
    for (CXXCtorInitializer* i : made->inits()) expression(i->getInit());
  Stmt* body = f->getBody();
  Stmt* rewritten = rewrite(body);
  if (begins_) check_jumps(body, make_, [this](Stmt* s) { return declares_reducer(s); });
  if (rewritten != body) f->setBody(rewritten);
  in_ = around;
  begins_ = begins;
}

void reducers::initializer(VarDecl* v) {
  if (!v->hasInit() || v->getDeclContext()->isDependentContext()) return;
  const unsigned before = look_ups_;
  Expr* e = v->getInit();
  auto* rewritten = cast<Expr>(rewrite(e));
  look_at_static(v, before);
  if (rewritten != e) v->setInit(rewritten);
}

void reducers::expression(Expr* e) {
  if (e == nullptr || rewrite(e) == e) return;
  make_.error(e->getBeginLoc(), "a reference cannot be bound to a reducer here");
}

/// Reports a look-up in an initial value that is computed before the program runs: no strand has a
/// view then.
void reducers::look_at_static(VarDecl* v, unsigned before) {
  if (look_ups_ == before || v->hasLocalStorage()) return;
  if (make_.context.getLangOpts().CPlusPlus && !v->hasConstantInitialization()) return;
  make_.error(v->getInit()->getBeginLoc(), "the view of a reducer is not a constant");
}

/// Whether the function is that of a lambda with a copy of `v`, or lies inside of one.
bool reducers::is_copy(const VarDecl* v) const {
  for (const DeclContext* c = in_; c != nullptr; c = c->getParent()) {
    const auto* record = dyn_cast<CXXRecordDecl>(c);
    if (record == nullptr || !record->isLambda()) continue;
    for (const LambdaCapture& l : record->captures())
      if (l.capturesVariable() && l.getCapturedVar() == v && l.getCaptureKind() == LCK_ByCopy)
        return true;
  }
  return false;
}

/// Whether a statement declares a reducer of a block.
bool reducers::declares_reducer(Stmt* s) {
  auto* d = dyn_cast<DeclStmt>(s);
  return d != nullptr && any_of(d->decls(), [this](const Decl* each) {
           const auto* v = dyn_cast<VarDecl>(each);
           return v != nullptr && v->hasLocalStorage() && types_.type_of(v) != nullptr;
         });
}

/// Returns the variable, or static member, that an expression names; nullptr if it names none.
const VarDecl* reducers::variable_named(const Stmt* s) {
  if (const auto* r = dyn_cast<DeclRefExpr>(s)) return dyn_cast<VarDecl>(r->getDecl());
  if (const auto* m = dyn_cast<MemberExpr>(s)) return dyn_cast<VarDecl>(m->getMemberDecl());
  return nullptr;
}

/// Rewrites all uses of reducers in `s`. Returns what takes its place, which may be the same.
Stmt* reducers::rewrite(Stmt* s) {
  if (s == nullptr) return nullptr;
  if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, ConstantExpr, CXXDefaultArgExpr,
          CXXDefaultInitExpr>(s))
    return s;
  if (auto* t = dyn_cast<CXXTypeidExpr>(s); t != nullptr && !t->isPotentiallyEvaluated()) return s;
  look_at_bound(s);
  if (auto* c = dyn_cast<CallExpr>(s)) look_at_arguments(c);
  if (auto* c = dyn_cast<CompoundStmt>(s)) return compound(c);
  if (auto* l = dyn_cast<LambdaExpr>(s)) {
    lambda(l);
    return s;
  }
  // A part that has been rewritten may be reached again by another way.
  if (const StringRef name = called_name(s);
      name == "__nopal_view" || name == "__nopal_static_view" || name == "__nopal_reducer_begin")
    return s;
  if (auto* c = dyn_cast<CallExpr>(s);
      c != nullptr && c->getBuiltinCallee() == Builtin::BI__builtin_addressof)
    return s;  // __builtin_addressof means the leftmost view.
  auto* e = dyn_cast<Expr>(s);
  if (const VarDecl* v = variable_named(s))
    if (const reducer_type* type = types_.type_of(v); type != nullptr && !is_copy(v))
      return look_up(e, v, *type);
  if (declares_reducer(s)) make_.error(s->getBeginLoc(), "a reducer must be declared in a block");
  if (auto* list = dyn_cast<InitListExpr>(s); list != nullptr && list->getSemanticForm() != nullptr)
    s = list->getSemanticForm();
  const unsigned before = look_ups_;
  for (Stmt*& child : s->children()) child = rewrite(child);
  if (auto* d = dyn_cast<DeclStmt>(s))
    for (Decl* each : d->decls())
      if (auto* v = dyn_cast<VarDecl>(each); v != nullptr && v->hasInit())
        look_at_static(v, before);
  return e != nullptr ? e : s;
}

/// The body of a lambda looks views up anew. What a lambda captures by value is a copy of a view.
void reducers::lambda(LambdaExpr* l) {
  look_at_captures(l);
  Expr** init = l->capture_init_begin();
  for (const LambdaCapture& c : l->captures()) {
    Expr*& e = *init++;
    const bool by_reference = c.capturesVariable() && c.getCaptureKind() == LCK_ByRef &&
                              !c.getCapturedVar()->isInitCapture();
    if (e != nullptr && !by_reference) e = cast<Expr>(rewrite(e));
  }
  function(l->getCallOperator());
}

/// Rewrites a block. A declaration of reducers becomes several statements.
Stmt* reducers::compound(CompoundStmt* s) {
  SmallVector<Stmt*, 16> out;
  bool changed = false;
  for (Stmt* child : s->body()) {
    if (declares_reducer(child)) {
      declaration(cast<DeclStmt>(child), out);
      changed = true;
      continue;
    }
    out.push_back(rewrite(child));
    changed |= out.back() != child;
  }
  if (!changed) return s;
  return CompoundStmt::Create(make_.context, out, s->getStoredFPFeaturesOrDefault(),
                              s->getLBracLoc(), s->getRBracLoc());
}

/// Each reducer begins behind its own declaration, and ends before the variables do that are
/// declared before it.
void reducers::declaration(DeclStmt* s, statements& out) {
  begins_ = true;
  for (Decl* d : s->decls()) {
    const SourceLocation at = d->getLocation();
    Stmt* alone = make_.declare(d, at);
    auto* v = dyn_cast<VarDecl>(d);
    const bool begins = declares_reducer(alone);
    if (v != nullptr && v->hasInit()) {
      if (UnaryOperator* spawn = spawn_in(v->getInit(), make_.context); begins && spawn != nullptr)
        make_.error(spawn->getOperatorLoc(),
                    "cilk_spawn cannot initialize a reducer; assign to it");
      const unsigned before = look_ups_;
      v->setInit(cast<Expr>(rewrite(v->getInit())));
      look_at_static(v, before);
    }
    out.push_back(alone);
    if (!begins) continue;
    v->setReferenced();
    v->markUsed(make_.context);
    VarDecl* mark = make_.variable(in_, make_.context.VoidPtrTy, begin(v, *types_.type_of(v)), at,
                                   "__nopal_reducer_end");
    out.push_back(make_.declare(mark, at));
  }
}

Expr* reducers::begin(VarDecl* v, const reducer_type& type) {
  return call("__nopal_reducer_begin", make_.name(v, v->getLocation()), v->getType(), type);
}

/// Returns the look-up that takes the place of `use`, a use of the reducer `v`.
Expr* reducers::look_up(Expr* use, const VarDecl* v, const reducer_type& type) {
  ++look_ups_;
  const QualType view = v->getType().getUnqualifiedType();
  Expr* found =
      call(v->hasLocalStorage() ? "__nopal_view" : "__nopal_static_view", use, view, type);
  return make_.pointee(make_.cast_pointer(found, make_.context.getPointerType(view)));
}

/// Returns a call of a marker, which tells the variable, its size and the functions of its type.
Expr* reducers::call(StringRef marker, Expr* variable, QualType view, const reducer_type& type) {
  const SourceLocation at = variable->getBeginLoc();
  ASTContext& c = make_.context;
  auto pointer = [&](FunctionDecl* f) -> Expr* {
    Expr* name = DeclRefExpr::Create(c, NestedNameSpecifierLoc(), SourceLocation(), f, false, at,
                                     f->getType(), VK_LValue);
    return ImplicitCastExpr::Create(c, c.getPointerType(f->getType()), CK_FunctionToPointerDecay,
                                    name, nullptr, VK_PRValue, FPOptionsOverride());
  };
  return make_.call(marker,
                    {make_.cast_pointer(make_.address(variable), c.VoidPtrTy),
                     make_.number(c.getTypeSizeInChars(view).getQuantity(), at),
                     make_.cast_pointer(pointer(type.identity), c.VoidPtrTy),
                     make_.cast_pointer(pointer(type.reduce), c.VoidPtrTy)},
                    at);
}

namespace {

/// Finds which reducers have begun at a jump and at its target: those that are declared before it
/// in the blocks around it.
struct jumps {
  jumps(builder& b, llvm::function_ref<bool(Stmt*)> d) : make(b), declares(d) {}

  /// Notes the jumps and labels in `s`, and reports jumps whose target nobody can tell.
  void walk(Stmt* s) {
    if (s == nullptr || isa<LambdaExpr, BlockExpr>(s)) return;
    if (auto* l = dyn_cast<LabelStmt>(s)) labels[l->getDecl()] = begun;
    if (auto* g = dyn_cast<GotoStmt>(s)) gotos.push_back({g, begun});
    if (isa<IndirectGotoStmt>(s))
      make.error(s->getBeginLoc(), "a computed goto has no place in a function with a reducer");
    if (isa<SwitchCase>(s) && begun.size() > in_switch)
      make.error(s->getBeginLoc(), "this case is behind the declaration of a reducer");
    const std::size_t outer = begun.size();
    const std::size_t outer_switch = in_switch;
    if (isa<SwitchStmt>(s)) in_switch = outer;
    for (Stmt* child : s->children()) {
      walk(child);
      if (isa<CompoundStmt>(s) && declares(child)) begun.push_back(child);
    }
    begun.resize(outer);
    in_switch = outer_switch;
  }
  /// Reports the jumps past a reducer's declaration, after walk().
  void check() {
    for (auto& [g, from] : gotos) {
      const path& to = labels[g->getLabel()];
      if (to.size() > from.size() || !std::equal(to.begin(), to.end(), from.begin()))
        make.error(g->getGotoLoc(), "this goto jumps past the declaration of a reducer");
    }
  }

  using path = SmallVector<const Stmt*, 4>;
  builder& make;
  llvm::function_ref<bool(Stmt*)> declares;
  path begun;
  std::size_t in_switch = 0;
  llvm::DenseMap<const LabelDecl*, path> labels;
  SmallVector<std::pair<const GotoStmt*, path>, 4> gotos;
};

}  // namespace

void check_jumps(Stmt* body, builder& make, llvm::function_ref<bool(Stmt*)> declares) {
  jumps all(make, declares);
  all.walk(body);
  all.check();
}

namespace {

/// All places where a type of reducers is written, and those where it may be: in a variable, in a
/// typedef, and in sizeof.
struct mentions : RecursiveASTVisitor<mentions> {
  explicit mentions(reducer_types& t) : types(t) {}
  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitAttributedTypeLoc(AttributedTypeLoc t) { return note(t); }
  bool VisitTypedefTypeLoc(TypedefTypeLoc t) { return note(t); }
  bool VisitUsingTypeLoc(UsingTypeLoc t) { return note(t); }
  bool VisitTemplateSpecializationTypeLoc(TemplateSpecializationTypeLoc t) { return note(t); }
  bool VisitDecltypeTypeLoc(DecltypeTypeLoc t) {
    return note_type_of(t.getUnderlyingExpr(), t.getBeginLoc());
  }
  bool VisitTypeOfExprTypeLoc(TypeOfExprTypeLoc t) {
    return note_type_of(t.getUnderlyingExpr(), t.getBeginLoc());
  }
  bool VisitVarDecl(VarDecl* v) {
    if (!isa<ParmVarDecl>(v) && v->getTypeSourceInfo() != nullptr)
      right.insert(reducer_types::written_at(v->getTypeSourceInfo()->getTypeLoc()));
    if (!v->getDeclContext()->isDependentContext()) types.type_of(v);
    return true;
  }
  bool VisitTypedefNameDecl(TypedefNameDecl* d) {
    right.insert(reducer_types::written_at(d->getTypeSourceInfo()->getTypeLoc()));
    return true;
  }
  bool VisitUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr* e) {
    if (e->isArgumentType())
      right.insert(reducer_types::written_at(e->getArgumentTypeInfo()->getTypeLoc()));
    return true;
  }

  /// Notes a place where a type of reducers is written. What visits returns true: go on.
  bool note(TypeLoc t) {
    const SourceLocation at = reducer_types::written_at(t);
    if (at.isValid()) all.insert(at);
    return true;
  }
  bool note_type_of(Expr* e, SourceLocation at) {
    auto* r = dyn_cast<DeclRefExpr>(e->IgnoreParens());
    auto* v = r != nullptr ? dyn_cast<VarDecl>(r->getDecl()) : nullptr;
    if (v != nullptr && types.type_of(v) != nullptr) all.insert(at);
    return true;
  }

  reducer_types& types;
  llvm::SetVector<SourceLocation> all;
  llvm::DenseSet<SourceLocation> right;
};

}  // namespace

void reducers::check(Decl* d) {
  mentions m(types_);
  m.TraverseDecl(d);
  for (const SourceLocation at : m.all)
    if (!m.right.contains(at) && reported_.insert(at).second)
      make_.error(at, "only a variable can be a reducer; no pointer, array, member or parameter");
}

}  // namespace nopal_cilk
