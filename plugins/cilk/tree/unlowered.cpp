// SPDX-License-Identifier: Apache-2.0
#include "unlowered.hpp"

#include "builder.hpp"
#include "clang/AST/RecursiveASTVisitor.h"
#include "keywords.hpp"

using namespace clang;

namespace nopal_cilk {
namespace {

/// Finds each cilk_spawn, wherever it stands. It does not share the rewriters' way through the
/// tree.
struct remaining : RecursiveASTVisitor<remaining> {
  remaining(builder& b, const rewriter* r) : make(b), keywords(r) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }  // The rewriter's variables are implicit.

  bool TraverseDecl(Decl* d) {
    if (was_lowered_before(d)) return true;
    const bool around = std::exchange(of_template, d != nullptr && is_of_template(*d));
    const bool goes_on = RecursiveASTVisitor::TraverseDecl(d);
    of_template = around;
    return goes_on;
  }
  bool TraverseLambdaExpr(LambdaExpr* l) {
    const bool around = std::exchange(of_template, is_of_template(*l->getCallOperator()));
    const bool goes_on = RecursiveASTVisitor::TraverseLambdaExpr(l);
    of_template = around;
    return goes_on;
  }
  bool VisitUnaryOperator(UnaryOperator* u) {
    if (spawn_node(u, make.context) == nullptr) return true;
    met.insert(u->getOperatorLoc());
    if (!of_template && (keywords == nullptr || !keywords->has_lowered(u)))
      report(u->getOperatorLoc());
    return true;
  }
  /// Whether no code is made of `d` itself, but only of its instances. A lambda among the
  /// parameters of a template is templated, and may have code all the same.
  static bool is_of_template(const Decl& d) {
    const auto* f = dyn_cast<FunctionDecl>(&d);
    return f != nullptr ? f->isDependentContext() : d.isTemplated();
  }
  static bool was_lowered_before(Decl* d) {
    if (d == nullptr || !d->isFromASTFile()) return false;
    if (const auto* v = dyn_cast<VarDecl>(d)) return has_markers(v->getInit());
    return has_markers(d->getBody());
  }
  void report(SourceLocation at) {
    if (reported.insert(at).second)
      make.error(at, "cilk_spawn cannot be lowered here; spawn in the body of a function");
  }

  builder& make;
  const rewriter* keywords;
  bool of_template = false;
  llvm::DenseSet<SourceLocation> met;
  llvm::DenseSet<SourceLocation> reported;
};

}  // namespace

void report_unlowered(Sema& s, ArrayRef<Decl*> seen, const rewriter* keywords) {
  if (spawns_read().empty()) return;
  builder make(s);
  remaining all(make, keywords);
  for (Decl* d : seen) all.TraverseDecl(d);
  for (const SourceLocation at : spawns_read())
    if (!all.met.contains(at)) all.report(at);
}

}  // namespace nopal_cilk
