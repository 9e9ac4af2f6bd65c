// SPDX-License-Identifier: Apache-2.0
// The half of the plugin that works on the syntax tree, before code is generated from it.
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "keywords.hpp"
#include "rewriter.hpp"

using namespace clang;

namespace nopal_cilk {
namespace {

/// Shows the rewriter every function with a body, those of classes and lambdas included.
struct functions : RecursiveASTVisitor<functions> {
  explicit functions(rewriter& r) : rewrite(r) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(FunctionDecl* f) {
    const auto* method = dyn_cast<CXXMethodDecl>(f);
    if (method == nullptr || !method->getParent()->isLambda()) rewrite.function(f);
    return true;
  }
  bool VisitParmVarDecl(ParmVarDecl* p) {
    if (p->hasDefaultArg() && !p->hasUninstantiatedDefaultArg() && !p->hasUnparsedDefaultArg())
      rewrite.inspect(p->getDefaultArg());
    return true;
  }
  bool VisitFieldDecl(FieldDecl* f) {
    if (f->hasInClassInitializer() && !f->getDeclContext()->isDependentContext())
      rewrite.inspect(f->getInClassInitializer());
    return true;
  }
  bool VisitVarDecl(VarDecl* v) {
    if (v->isFileVarDecl() && v->hasInit() && !v->getDeclContext()->isDependentContext())
      rewrite.inspect(v->getInit());
    return true;
  }
  rewriter& rewrite;
};

class consumer : public ASTConsumer {
 public:
  explicit consumer(CompilerInstance& c) : compiler_(c) {}

  bool HandleTopLevelDecl(DeclGroupRef all) override {
    if (!has_keywords()) return true;
    for (Decl* d : all) functions(*rewriter_).TraverseDecl(d);
    return true;
  }
  void HandleInlineFunctionDefinition(FunctionDecl* f) override {
    if (has_keywords()) rewriter_->function(f);
  }

 private:
  /// Whether cilk.h has been read.
  bool has_keywords() {
    if (rewriter_ == nullptr && builder(compiler_.getSema()).function("__nopal_sync") != nullptr)
      rewriter_ = std::make_unique<rewriter>(compiler_.getSema());
    return rewriter_ != nullptr;
  }

  CompilerInstance& compiler_;
  std::unique_ptr<rewriter> rewriter_;
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
