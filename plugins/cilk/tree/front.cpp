// SPDX-License-Identifier: Apache-2.0
// The half of the plugin that works on the syntax tree, before code is generated from it.
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "keywords.hpp"
#include "reducer.hpp"
#include "rewriter.hpp"

using namespace clang;

namespace nopal_cilk {
namespace {

/// The two that change the tree.
struct rewriters {
  explicit rewriters(Sema& s) : reduced(s), keywords(s) {}
  void function(FunctionDecl* f) {
    reduced.function(f);
    keywords.function(f);
  }
  reducers reduced;
  rewriter keywords;
};

/// Shows them every function with a body, those of classes and lambdas included.
struct functions : RecursiveASTVisitor<functions> {
  explicit functions(rewriters& r) : rewrite(r) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(FunctionDecl* f) {
    // A lambda's comes with the function around it, but not the instances of a generic one.
    const auto* method = dyn_cast<CXXMethodDecl>(f);
    if (method == nullptr || !method->getParent()->isLambda() || f->isTemplateInstantiation())
      rewrite.function(f);
    else
      rewrite.reduced.function(f);
    return true;
  }
  bool VisitParmVarDecl(ParmVarDecl* p) {
    if (p->hasDefaultArg() && !p->hasUninstantiatedDefaultArg() && !p->hasUnparsedDefaultArg())
      expression(p->getDefaultArg());
    return true;
  }
  bool VisitFieldDecl(FieldDecl* f) {
    if (f->hasInClassInitializer() && !f->getDeclContext()->isDependentContext())
      expression(f->getInClassInitializer());
    return true;
  }
  bool VisitVarDecl(VarDecl* v) {
    if (!v->isFileVarDecl() || !v->hasInit() || v->getDeclContext()->isDependentContext())
      return true;
    rewrite.reduced.initializer(v);
    rewrite.keywords.inspect(v->getInit());
    return true;
  }
  void expression(Expr* e) {
    rewrite.reduced.expression(e);
    rewrite.keywords.inspect(e);
  }
  rewriters& rewrite;
};

class consumer : public ASTConsumer {
 public:
  explicit consumer(CompilerInstance& c) : compiler_(c) {}

  bool HandleTopLevelDecl(DeclGroupRef all) override {
    for (Decl* d : all) {
      look_for_header(d);
      if (rewriters_ == nullptr || !may_have_keywords(d)) continue;
      rewriters_->reduced.check(d);
      functions(*rewriters_).TraverseDecl(d);
    }
    keywords_before_ = keywords_read();
    return true;
  }
  void HandleInlineFunctionDefinition(FunctionDecl* f) override {
    if (rewriters_ != nullptr) rewriters_->function(f);
  }

 private:
  /// There are no keywords before cilk.h, of which a precompiled header shows no declaration.
  void look_for_header(const Decl* d) {
    if (rewriters_ != nullptr) return;
    const auto* f = dyn_cast<FunctionDecl>(d);
    const bool here =
        f != nullptr && f->getIdentifier() != nullptr && f->getName() == "__nopal_sync";
    if (!here && looked_up_) return;
    looked_up_ = true;
    if (here || builder(compiler_.getSema()).function("__nopal_sync") != nullptr)
      rewriters_ = std::make_unique<rewriters>(compiler_.getSema());
  }

  /// Most of a program is declarations of system headers. A template's instance comes later than
  /// its keywords.
  bool may_have_keywords(const Decl* d) const {
    const auto* f = dyn_cast<FunctionDecl>(d);
    const bool instance = f != nullptr && f->isTemplateInstantiation();
    const bool preprocessed = compiler_.getFrontendOpts().Inputs.front().getKind().isPreprocessed();
    return instance || preprocessed || reducer_named() || keywords_before_ != keywords_read() ||
           !compiler_.getSourceManager().isInSystemHeader(d->getLocation());
  }

  CompilerInstance& compiler_;
  std::unique_ptr<rewriters> rewriters_;
  bool looked_up_ = false;
  unsigned keywords_before_ = 0;
};

class action : public PluginASTAction {
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& c, StringRef) override {
    add_pragmas(c.getPreprocessor());
    return std::make_unique<consumer>(c);
  }
  bool ParseArgs(const CompilerInstance&, const std::vector<std::string>&) override { return true; }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

const FrontendPluginRegistry::Add<action> enrolled("nopal", "the keywords of Cilk");

}  // namespace
}  // namespace nopal_cilk
