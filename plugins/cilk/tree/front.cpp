// SPDX-License-Identifier: Apache-2.0
// The half of the plugin that works on the syntax tree, before code is generated from it.
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "keywords.hpp"
#include "reducer.hpp"
#include "rewriter.hpp"
#include "unlowered.hpp"

using namespace clang;

namespace nopal_cilk {
namespace {

/// The two classes that change the tree.
struct rewriters {
  explicit rewriters(Sema& s) : reduced(s), keywords(s) {}
  // These rewrite a function's body, and initial values of variables, parameters and members. What
  // has been rewritten already is left alone.
  void function(FunctionDecl* f) {
    // The declaration of a template's instance may come from a file, and its body be new.
    if (f->isFromASTFile() && f->doesThisDeclarationHaveABody() && has_markers(f->getBody()))
      return;
    reduced.function(f);
    keywords.function(f);
  }
  void variable(VarDecl* v) {
    if (v->isFromASTFile() && has_markers(v->getInit())) return;
    reduced.initializer(v);
    keywords.inspect(v->getInit());
  }
  void expression(const Decl* of, Expr* e) {
    if ((of->isFromASTFile() && has_markers(e)) || !expressions.insert(e).second) return;
    reduced.expression(e);
    keywords.inspect(e);
  }
  reducers reduced;
  rewriter keywords;
  llvm::DenseSet<const Expr*> expressions;
};

/// Shows the rewriters the initial values of parameters and members, in which a lambda may have
/// keywords, and lambdas that are called.
template <class Derived>
struct initializers : RecursiveASTVisitor<Derived> {
  explicit initializers(rewriters& r) : rewrite(r) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitParmVarDecl(ParmVarDecl* p) {
    if (p->hasDefaultArg() && !p->hasUninstantiatedDefaultArg() && !p->hasUnparsedDefaultArg())
      rewrite.expression(p, p->getDefaultArg());
    return true;
  }
  bool VisitFieldDecl(FieldDecl* f) {
    if (f->hasInClassInitializer() && !f->getDeclContext()->isDependentContext())
      rewrite.expression(f, f->getInClassInitializer());
    return true;
  }
  /// A lambda of which only the type is written is met where it is called.
  bool VisitDeclRefExpr(DeclRefExpr* e) {
    if (auto* m = dyn_cast<CXXMethodDecl>(e->getDecl())) called(m);
    return true;
  }
  bool VisitMemberExpr(MemberExpr* e) {
    if (auto* m = dyn_cast<CXXMethodDecl>(e->getMemberDecl())) called(m);
    return true;
  }
  void called(CXXMethodDecl* m) {
    if (!m->getParent()->isLambda()) return;
    rewrite.function(m->getParent()->getLambdaCallOperator());
    rewrite.function(m);
  }
  rewriters& rewrite;
};

/// The initial values of a template's instance are made where they are first used. Code for lambdas
/// is generated after all that was handed over, so the end of the file is early enough.
struct late_initializers : initializers<late_initializers> {
  using initializers::initializers;
};

/// Shows the rewriters every function with a body as well, including those of classes and lambdas.
struct functions : initializers<functions> {
  using initializers::initializers;
  bool VisitFunctionDecl(FunctionDecl* f) {
    // The function of a lambda comes with the function around it, but the instances of a generic
    // lambda do not.
    const auto* method = dyn_cast<CXXMethodDecl>(f);
    if (method == nullptr || !method->getParent()->isLambda() || f->isTemplateInstantiation())
      rewrite.function(f);
    else
      rewrite.reduced.function(f);
    return true;
  }
  bool VisitVarDecl(VarDecl* v) {
    if (v->isFileVarDecl() && v->hasInit() && !v->isTemplated()) rewrite.variable(v);
    return true;
  }
};

class consumer : public ASTConsumer {
 public:
  explicit consumer(CompilerInstance& c) : compiler_(c) {}

  bool HandleTopLevelDecl(DeclGroupRef all) override {
    for (Decl* d : all) {
      if (!header_is_there() || !may_have_keywords(d)) continue;
      rewriters_->reduced.check(d);
      functions(*rewriters_).TraverseDecl(d);
      seen_.push_back(d);
    }
    keywords_before_ = keywords_read();
    return true;
  }
  void HandleInlineFunctionDefinition(FunctionDecl* f) override {
    if (header_is_there()) rewriters_->function(f);
  }
  /// A static member of a template: code is generated for it at once.
  void HandleCXXStaticMemberVarInstantiation(VarDecl* v) override {
    if (!header_is_there() || !v->hasInit()) return;
    rewriters_->variable(v);
    seen_.push_back(v);
  }
  /// An instance of a template from a precompiled header or a module, the declaration of which is
  /// not handed over.
  void HandleTagDeclDefinition(TagDecl* t) override {
    const auto* record = dyn_cast<CXXRecordDecl>(t);
    const CXXRecordDecl* pattern =
        record != nullptr ? record->getTemplateInstantiationPattern() : nullptr;
    if (pattern != nullptr && pattern->isFromASTFile() && header_is_there() &&
        may_have_keywords(pattern))
      seen_.push_back(t);
  }
  /// The last step before code is generated for what was kept back till now.
  void HandleTranslationUnit(ASTContext&) override {
    if (rewriters_ != nullptr)
      for (Decl* d : seen_) late_initializers(*rewriters_).TraverseDecl(d);
    if (compiler_.getDiagnostics().hasErrorOccurred()) return;
    report_unlowered(compiler_.getSema(), seen_,
                     rewriters_ != nullptr ? &rewriters_->keywords : nullptr);
  }

 private:
  /// There are no keywords before cilk.h. The header may be included behind other declarations,
  /// among those of extern "C", or in a precompiled header, none of whose declarations are handed
  /// over.
  bool header_is_there() {
    if (rewriters_ == nullptr && builder(compiler_.getSema()).function("__nopal_sync") != nullptr)
      rewriters_ = std::make_unique<rewriters>(compiler_.getSema());
    return rewriters_ != nullptr;
  }

  /// Most of a program is declarations of system headers, which are passed over. An instance of a
  /// template is not, because it comes later than its keywords.
  bool may_have_keywords(const Decl* d) const {
    const auto* f = dyn_cast<FunctionDecl>(d);
    const bool instance = f != nullptr && f->isTemplateInstantiation();
    const bool preprocessed = compiler_.getFrontendOpts().Inputs.front().getKind().isPreprocessed();
    return instance || preprocessed || reducer_named() || keywords_before_ != keywords_read() ||
           !compiler_.getSourceManager().isInSystemHeader(d->getLocation());
  }

  CompilerInstance& compiler_;
  std::unique_ptr<rewriters> rewriters_;
  SmallVector<Decl*, 64> seen_;
  unsigned keywords_before_ = 0;
};

class action : public PluginASTAction {
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& c, StringRef) override {
    add_pragmas(c);
    return std::make_unique<consumer>(c);
  }
  bool ParseArgs(const CompilerInstance&, const std::vector<std::string>&) override { return true; }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

const FrontendPluginRegistry::Add<action> enrolled("nopal", "the keywords of Cilk");

}  // namespace
}  // namespace nopal_cilk
