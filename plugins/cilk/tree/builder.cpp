// SPDX-License-Identifier: Apache-2.0
#include "builder.hpp"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "keywords.hpp"

using namespace clang;

namespace nopal_cilk {

FunctionDecl* builder::function(StringRef name) {
  for (NamedDecl* d : context.getTranslationUnitDecl()->lookup(&context.Idents.get(name)))
    if (auto* f = dyn_cast<FunctionDecl>(d)) return f;
  return nullptr;
}

CallExpr* builder::call(StringRef name, ArrayRef<Expr*> arguments, SourceLocation at) {
  FunctionDecl* f = function(name);
  f->setReferenced();
  f->markUsed(context);
  auto* callee = DeclRefExpr::Create(context, NestedNameSpecifierLoc(), SourceLocation(), f, false,
                                     at, f->getType(), VK_LValue);
  auto* pointer = ImplicitCastExpr::Create(context, context.getPointerType(f->getType()),
                                           CK_FunctionToPointerDecay, callee, nullptr, VK_PRValue,
                                           FPOptionsOverride());
  return CallExpr::Create(context, pointer, arguments, f->getReturnType(), VK_PRValue, at,
                          FPOptionsOverride());
}

VarDecl* builder::variable(DeclContext* in, QualType type, Expr* init, SourceLocation at,
                           StringRef cleanup) {
  auto* v = VarDecl::Create(context, in, at, at, &context.Idents.get("__nopal_variable"), type,
                            context.getTrivialTypeSourceInfo(type, at), SC_None);
  v->setImplicit();
  v->addAttr(NoDebugAttr::CreateImplicit(context));
  v->setReferenced();
  v->markUsed(context);
  if (init != nullptr) v->setInit(init);
  if (!cleanup.empty()) {
    FunctionDecl* f = function(cleanup);
    f->setReferenced();
    f->markUsed(context);
    v->addAttr(CleanupAttr::CreateImplicit(context, f));
  }
  return v;
}

DeclStmt* builder::declare(Decl* d, SourceLocation at) {
  return new (context) DeclStmt(DeclGroupRef(d), at, at);
}

CompoundStmt* builder::block(ArrayRef<Stmt*> statements, SourceLocation at) {
  return CompoundStmt::Create(context, statements, FPOptionsOverride(), at, at);
}

Expr* builder::name(VarDecl* v, SourceLocation at) {
  return DeclRefExpr::Create(context, NestedNameSpecifierLoc(), SourceLocation(), v, false, at,
                             v->getType().getNonReferenceType(), VK_LValue);
}

Expr* builder::value(Expr* lvalue) {
  return ImplicitCastExpr::Create(context, lvalue->getType().getUnqualifiedType(),
                                  CK_LValueToRValue, lvalue, nullptr, VK_PRValue,
                                  FPOptionsOverride());
}

Expr* builder::address(Expr* lvalue) {
  return UnaryOperator::Create(context, lvalue, UO_AddrOf,
                               context.getPointerType(lvalue->getType()), VK_PRValue, OK_Ordinary,
                               lvalue->getBeginLoc(), false, FPOptionsOverride());
}

Expr* builder::pointee(Expr* pointer) {
  return UnaryOperator::Create(context, pointer, UO_Deref, pointer->getType()->getPointeeType(),
                               VK_LValue, OK_Ordinary, pointer->getBeginLoc(), false,
                               FPOptionsOverride());
}

Expr* builder::cast_pointer(Expr* pointer, QualType to) {
  return ImplicitCastExpr::Create(context, to, CK_BitCast, pointer, nullptr, VK_PRValue,
                                  FPOptionsOverride());
}

Expr* builder::text(StringRef s, SourceLocation at) {
  const QualType type = context.getStringLiteralArrayType(context.CharTy.withConst(), s.size());
  auto* literal = StringLiteral::Create(context, s, StringLiteralKind::Ordinary, false, type, at);
  return ImplicitCastExpr::Create(context, context.getPointerType(context.CharTy.withConst()),
                                  CK_ArrayToPointerDecay, literal, nullptr, VK_PRValue,
                                  FPOptionsOverride());
}

Expr* builder::number(std::uint64_t n, SourceLocation at) {
  return IntegerLiteral::Create(context, llvm::APInt(64, n), context.UnsignedLongTy, at);
}

DiagnosticBuilder builder::error(SourceLocation at, StringRef text) {
  return report(DiagnosticIDs::Error, at, text);
}

DiagnosticBuilder builder::warning(SourceLocation at, StringRef text) {
  return report(DiagnosticIDs::Warning, at, text);
}

DiagnosticBuilder builder::report(DiagnosticIDs::Level level, SourceLocation at, StringRef text) {
  DiagnosticsEngine& d = sema.getDiagnostics();
  const SourceManager& sources = context.getSourceManager();
  // The error is reported where the keyword stands, and not in the header, which defines it.
  while (at.isMacroID() &&
         is_keyword(Lexer::getImmediateMacroName(at, sources, context.getLangOpts())))
    at = sources.getImmediateMacroCallerLoc(at);
  return d.Report(at, d.getDiagnosticIDs()->getCustomDiagID(level, text));
}

}  // namespace nopal_cilk
