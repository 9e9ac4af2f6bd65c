// SPDX-License-Identifier: Apache-2.0
#include "reducer_type.hpp"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/Template.h"

using namespace clang;

namespace nopal_cilk {
namespace {

constexpr unsigned most_align = 64;  // the alignment of the views that the library makes

/// The typedef that `type` names, by its own name or by that of a using-declaration.
const TypedefNameDecl* typedef_of(TypeLoc type) {
  if (auto t = type.getAs<TypedefTypeLoc>()) return t.getTypedefNameDecl();
  if (auto u = type.getAs<UsingTypeLoc>())
    return dyn_cast<TypedefNameDecl>(u.getFoundDecl()->getTargetDecl());
  return nullptr;
}

/// Returns the alias template of which a type, as it is written, is an instance, or nullptr.
const TypeAliasTemplateDecl* alias_of(TypeLoc type) {
  auto t = type.getAs<TemplateSpecializationTypeLoc>();
  if (t.isNull()) return nullptr;
  return dyn_cast_or_null<TypeAliasTemplateDecl>(
      t.getTypePtr()->getTemplateName().getAsTemplateDecl());
}

/// Returns `type` without what it says about its qualifiers and the scope of its name. Whoever
/// looks for an attribute or an alias calls this first.
TypeLoc without_scope(TypeLoc type) {
  for (;;) {
    if (auto q = type.getAs<QualifiedTypeLoc>())
      type = q.getUnqualifiedLoc();
    else if (auto e = type.getAs<ElaboratedTypeLoc>())
      type = e.getNamedTypeLoc();
    else if (auto p = type.getAs<ParenTypeLoc>())
      type = p.getInnerLoc();
    else if (auto m = type.getAs<MacroQualifiedTypeLoc>())
      type = m.getInnerLoc();
    else
      return type;
  }
}

/// Returns the attribute by which a type, as it is written, is that of a reducer, or nullptr.
const AnnotateTypeAttr* attribute_of(TypeLoc type) {
  auto a = type.getAs<AttributedTypeLoc>();
  if (a.isNull()) return nullptr;
  const auto* is = a.getAttrAs<AnnotateTypeAttr>();
  return is != nullptr && is->getAnnotation() == "nopal reducer" ? is : nullptr;
}

}  // namespace

/// Finds the attribute of a type, through typedefs and templates of aliases. There is none if the
/// type is not that of a reducer.
reducer_types::origin reducer_types::find(TypeLoc type, const NamedDecl* owner) {
  origin o;
  o.owner = owner;
  while (!type.isNull()) {
    type = without_scope(type);
    if (const AnnotateTypeAttr* a = attribute_of(type)) {
      o.attribute = a;
      return o;
    }
    if (auto attributed = type.getAs<AttributedTypeLoc>()) {
      type = attributed.getModifiedLoc();
    } else if (const TypedefNameDecl* d = typedef_of(type)) {
      o.owner = d;
      type = d->getTypeSourceInfo()->getTypeLoc();
    } else if (const TypeAliasTemplateDecl* a = alias_of(type)) {
      o.aliases.push_back(type.castAs<TemplateSpecializationTypeLoc>());
      o.owner = nullptr;
      type = a->getTemplatedDecl()->getTypeSourceInfo()->getTypeLoc();
    } else {
      return o;
    }
  }
  return o;
}

SourceLocation reducer_types::written_at(TypeLoc type) {
  const origin o = find(type, nullptr);
  if (o.attribute == nullptr) return {};
  type = without_scope(type);
  while (attribute_of(type) == nullptr && type.getAs<AttributedTypeLoc>())
    type = without_scope(type.castAs<AttributedTypeLoc>().getModifiedLoc());
  return attribute_of(type) != nullptr ? o.attribute->getLocation() : type.getBeginLoc();
}

const reducer_type* reducer_types::type_of(const VarDecl* v) {
  if (isa<ParmVarDecl>(v) || v->getTypeSourceInfo() == nullptr || v->isTemplated()) return nullptr;
  auto known = known_.find(v);
  if (known == known_.end()) {
    const origin o = find(v->getTypeSourceInfo()->getTypeLoc(), v);
    const std::optional<reducer_type> made =
        o.attribute != nullptr ? make(v, o) : std::optional<reducer_type>();
    if (const VarDecl* before = v->getPreviousDecl()) {
      const reducer_type* other = type_of(before);
      const bool same = other == nullptr ? o.attribute == nullptr : made && *made == *other;
      if (!same && (made || o.attribute == nullptr))
        make_.error(v->getLocation(),
                    "another declaration of this variable is of another reducer, "
                    "or of none");
    }
    known = known_.try_emplace(v, made).first;
  }
  return known->second ? &*known->second : nullptr;
}

/// Whether a reducer may be declared as `v` is. If not, it reports why.
bool reducer_types::is_allowed(const VarDecl* v, SourceLocation at) {
  const QualType type = v->getType();
  auto wrong = [&](StringRef text) {
    make_.error(at, text);
    return false;
  };
  if (type.isNull() || type->isDependentType() || v->isInvalidDecl()) return false;
  if (type.hasQualifiers() || v->isConstexpr())
    return wrong("a reducer cannot be const, volatile or restrict");
  if (type->isReferenceType()) return wrong("a reducer cannot be a reference");
  if (type->isVariablyModifiedType()) return wrong("a reducer cannot be of variable size");
  if (v->getTLSKind() != VarDecl::TLS_None) return wrong("a reducer cannot be thread-local");
  if (type->isIncompleteType()) return wrong("a reducer must be of a complete type");
  if (make_.context.getDeclAlign(v).getQuantity() > most_align)
    return wrong("a reducer can be aligned to 64 bytes at most");
  return true;
}

/// Returns the type of a reducer's declaration, or nothing if something is wrong, which it reports.
std::optional<reducer_type> reducer_types::make(const VarDecl* v, const origin& from) {
  const SourceLocation at = written_at(v->getTypeSourceInfo()->getTypeLoc());
  if (!is_allowed(v, at)) return std::nullopt;
  SmallVector<Expr*, 2> functions(from.attribute->args_begin(), from.attribute->args_end());
  if (make_.context.getLangOpts().CPlusPlus) {
    // The attribute has a call of __nopal_callbacks, which has converted the functions.
    Expr* e = functions.size() == 1 ? substituted(functions.front(), from, at) : nullptr;
    auto* call = e != nullptr ? dyn_cast<CallExpr>(e->IgnoreImplicit()) : nullptr;
    if (call == nullptr) return std::nullopt;  // reported
    functions.assign(call->arg_begin(), call->arg_end());
  }
  if (functions.size() != 2) {
    make_.error(at, "cilk_reducer needs two functions, the identity and the reduction");
    return std::nullopt;
  }
  const reducer_type made{callback(functions[0], 1), callback(functions[1], 2)};
  if (made.identity == nullptr || made.reduce == nullptr) return std::nullopt;
  return made;
}

/// Puts the arguments of the templates around the attribute into what the attribute says.
Expr* reducer_types::substituted(Expr* e, const origin& from, SourceLocation at) {
  Sema& sema = make_.sema;
  if (auto* constant = dyn_cast<ConstantExpr>(e)) e = constant->getSubExpr();
  auto substitute = [&](const MultiLevelTemplateArgumentList& arguments) {
    const ExprResult r = sema.SubstExpr(e, arguments);
    e = r.isUsable() ? r.get() : nullptr;
  };
  for (TemplateSpecializationTypeLoc t : llvm::reverse(from.aliases)) {
    if (e == nullptr || !e->isInstantiationDependent()) return e;
    auto* alias = const_cast<TypeAliasTemplateDecl*>(alias_of(t));
    TemplateArgumentListInfo written(t.getLAngleLoc(), t.getRAngleLoc());
    for (unsigned i = 0; i < t.getNumArgs(); ++i) written.addArgument(t.getArgLoc(i));
    SmallVector<TemplateArgument, 4> sugared;
    SmallVector<TemplateArgument, 4> canonical;
    if (sema.CheckTemplateArgumentList(alias, at, written, false, sugared, canonical))
      return nullptr;
    if (alias->getInstantiatedFromMemberTemplate() != nullptr) {
      make_.error(at, "a reducer cannot be named by an alias template of a class template");
      return nullptr;
    }
    MultiLevelTemplateArgumentList arguments;
    arguments.addOuterTemplateArguments(alias, canonical, true);
    arguments.addOuterRetainedLevels(alias->getTemplateParameters()->getDepth());
    substitute(arguments);
  }
  if (e != nullptr && e->isInstantiationDependent() && from.owner != nullptr) {
    Sema::ContextRAII context(sema, const_cast<DeclContext*>(from.owner->getDeclContext()));
    substitute(sema.getTemplateInstantiationArgs(from.owner));
  }
  if (e != nullptr && e->isInstantiationDependent()) {
    if (!e->containsErrors()) make_.error(at, "the functions of this reducer are not known");
    return nullptr;
  }
  return e;
}

/// The function that `e` names. Its type is checked, because another would be called wrongly.
FunctionDecl* reducer_types::callback(Expr* e, unsigned parameters) {
  ASTContext& c = make_.context;
  SmallVector<QualType, 2> types(parameters, c.VoidPtrTy);
  const QualType type = c.getFunctionType(c.VoidTy, types, FunctionProtoType::ExtProtoInfo());
  Expr::EvalResult value;
  const bool constant = e->EvaluateAsRValue(value, c) && value.Val.isLValue();
  const auto* named = constant ? value.Val.getLValueBase().dyn_cast<const ValueDecl*>() : nullptr;
  auto* f = const_cast<FunctionDecl*>(dyn_cast_or_null<FunctionDecl>(named));
  const bool right =
      f != nullptr && (c.getLangOpts().CPlusPlus || c.typesAreCompatible(f->getType(), type));
  if (!right) {
    make_.error(e->getBeginLoc(), parameters == 1
                                      ? "the identity of a reducer must be a function of type "
                                        "'void (void *)'"
                                      : "the reduction of a reducer must be a function of type "
                                        "'void (void *, void *)'");
    return nullptr;
  }
  make_.sema.MarkFunctionReferenced(e->getBeginLoc(), f);
  return f;
}

}  // namespace nopal_cilk
