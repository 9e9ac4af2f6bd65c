// SPDX-License-Identifier: Apache-2.0
#include "keywords.hpp"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/SetVector.h"

using namespace clang;

namespace nopal_cilk {
namespace {

/// The places of cilk_spawn in what this process compiles. In a precompiled header the keyword is
/// known by the name of the macro instead.
llvm::SetVector<SourceLocation>& spawns() {
  static llvm::SetVector<SourceLocation> all;
  return all;
}

/// Makes a token, one of those that the parser gets in the place of a keyword.
Token token_at(SourceLocation at, tok::TokenKind kind, unsigned length = 1) {
  Token t;
  t.startToken();
  t.setKind(kind);
  t.setLength(length);
  t.setLocation(at);
  return t;
}

/// Makes the token of an identifier.
Token identifier_at(Preprocessor& p, SourceLocation at, StringRef name) {
  IdentifierInfo* id = p.getIdentifierInfo(name);
  Token t = token_at(at, id->getTokenID(), name.size());
  t.setIdentifierInfo(id);
  return t;
}

/// Lets the parser read the tokens next.
void enter(Preprocessor& p, ArrayRef<Token> tokens) {
  auto copy = std::make_unique<Token[]>(tokens.size());
  std::copy(tokens.begin(), tokens.end(), copy.get());
  p.EnterTokenStream(std::move(copy), tokens.size(), /*DisableMacroExpansion=*/true,
                     /*IsReinject=*/false);
}

/// The tokens up to the end of the pragma.
SmallVector<Token, 16> rest_of_pragma(Preprocessor& p) {
  SmallVector<Token, 16> all;
  for (;;) {
    Token t;
    p.Lex(t);
    if (t.isOneOf(tok::eod, tok::eof)) return all;
    all.push_back(t);
  }
}

/// Whether a statement that is no expression begins with `t`.
bool begins_statement(const Token& t) {
  return t.isOneOf(tok::l_brace, tok::semi, tok::kw_if, tok::kw_for, tok::kw_while, tok::kw_do,
                   tok::kw_switch, tok::kw_try, tok::kw_throw, tok::kw_return, tok::kw_break,
                   tok::kw_continue, tok::kw_goto, tok::kw_asm);
}

/// The tokens of `statement (marker(argument...))`.
SmallVector<Token, 24> mark(Preprocessor& p, SourceLocation at, StringRef statement,
                            StringRef marker, ArrayRef<Token> arguments) {
  SmallVector<Token, 24> all = {identifier_at(p, at, statement), token_at(at, tok::l_paren),
                                identifier_at(p, at, marker), token_at(at, tok::l_paren)};
  all.append(arguments.begin(), arguments.end());
  all.append({token_at(at, tok::r_paren), token_at(at, tok::r_paren)});
  return all;
}

struct spawn_pragma : PragmaHandler {
  spawn_pragma() : PragmaHandler("spawn") {}
  void HandlePragma(Preprocessor& p, PragmaIntroducer introducer, Token&) override {
    const SourceLocation at = introducer.Loc;
    rest_of_pragma(p);
    Token next;
    p.Lex(next);
    SmallVector<Token, 24> all;
    if (begins_statement(next)) {
      all = mark(p, at, "if", "__nopal_spawn", {});
      all.append({identifier_at(p, at, "__builtin_unreachable"), token_at(at, tok::l_paren),
                  token_at(at, tok::r_paren), token_at(at, tok::semi),
                  identifier_at(p, at, "else")});
    } else {
      spawns().insert(at);
      all = {identifier_at(p, at, "__extension__")};
    }
    all.push_back(next);
    enter(p, all);
  }
};

/// The pragma in cilk.h. What the header declares is looked for outside of all other declarations,
/// so it must be included there.
struct header_pragma : PragmaHandler {
  explicit header_pragma(CompilerInstance& c) : PragmaHandler("header"), compiler(c) {}
  void HandlePragma(Preprocessor& p, PragmaIntroducer introducer, Token&) override {
    rest_of_pragma(p);
    if (!compiler.hasSema()) return;
    const DeclContext* around = compiler.getSema().CurContext->getRedeclContext();
    if (around->isTranslationUnit()) return;
    DiagnosticsEngine& d = p.getDiagnostics();
    d.Report(introducer.Loc,
             d.getCustomDiagID(DiagnosticsEngine::Fatal,
                               "cilk/cilk.h is included inside of %select{a function|a class|"
                               "a namespace}0; include it outside of all declarations"))
        << (around->isFunctionOrMethod() ? 0
            : around->isRecord()         ? 1
                                         : 2);
  }
  CompilerInstance& compiler;
};

/// #pragma cilk grainsize N, with or without `=` or parentheses.
struct grainsize_pragma : PragmaHandler {
  explicit grainsize_pragma(StringRef name) : PragmaHandler(name) {}
  void HandlePragma(Preprocessor& p, PragmaIntroducer introducer, Token&) override {
    const SourceLocation at = introducer.Loc;
    SmallVector<Token, 16> size = rest_of_pragma(p);
    if (!p.isMacroDefined("__nopal_keywords")) return;  // the serial elision
    if (!size.empty() && size.front().is(tok::equal)) size.erase(size.begin());
    if (size.empty()) {
      DiagnosticsEngine& d = p.getDiagnostics();
      d.Report(at, d.getCustomDiagID(DiagnosticsEngine::Error, "expected a grain size"));
      return;
    }
    enter(p, mark(p, at, "while", "__nopal_grainsize", size));
  }
};

unsigned& expansions() {
  static unsigned n = 0;
  return n;
}
bool& a_reducer_was_named() {
  static bool any = false;
  return any;
}

struct counting : PPCallbacks {
  void MacroExpands(const Token& name, const MacroDefinition&, SourceRange,
                    const MacroArgs*) override {
    const StringRef keyword = name.getIdentifierInfo()->getName();
    if (is_keyword(keyword)) ++expansions();
    if (keyword == "_Hyperobject") a_reducer_was_named() = true;
  }
};

/// Says what to write in the place of a header of Cilk Plus that is not there.
struct advising : PPCallbacks {
  explicit advising(Preprocessor& p) : preprocessor(p) {}
  bool FileNotFound(StringRef name) override {
    DiagnosticsEngine& d = preprocessor.getDiagnostics();
    if (name.starts_with("cilk/reducer_"))
      d.Report(d.getCustomDiagID(DiagnosticsEngine::Error,
                                 "the reducers of Cilk Plus are not there; include "
                                 "cilk/reducer.h, and declare a variable as 'long "
                                 "cilk_reducer(identity, reduce) x = 0;'"));
    return false;
  }
  Preprocessor& preprocessor;
};

/// Gives a file that writes `_Cilk_` its keywords. They need no header in OpenCilk. A file that
/// another process has preprocessed has no path for headers.
void include_keywords(CompilerInstance& c) {
  const SourceManager& sources = c.getSourceManager();
  const auto main = sources.getBufferOrNone(sources.getMainFileID());
  const bool preprocessed = c.getFrontendOpts().Inputs.front().getKind().isPreprocessed();
  if (!main || preprocessed || !main->getBuffer().contains("_Cilk_")) return;
  Preprocessor& p = c.getPreprocessor();
  p.setPredefines(p.getPredefines() + "#include <cilk/keywords.h>\n");
}

}  // namespace

bool is_keyword(StringRef macro) {
  return macro.starts_with("cilk_") || macro.starts_with("_Cilk_") || macro == "_Hyperobject";
}

unsigned keywords_read() { return expansions(); }

ArrayRef<SourceLocation> spawns_read() { return spawns().getArrayRef(); }

bool reducer_named() { return a_reducer_was_named(); }

void add_pragmas(CompilerInstance& c) {
  spawns().clear();  // forgets the file before, if one process compiles several
  Preprocessor& p = c.getPreprocessor();
  p.addPPCallbacks(std::make_unique<counting>());
  p.addPPCallbacks(std::make_unique<advising>(p));
  p.AddPragmaHandler("nopal", new spawn_pragma);
  p.AddPragmaHandler("nopal", new header_pragma(c));
  p.AddPragmaHandler("cilk", new grainsize_pragma("grainsize"));
  p.AddPragmaHandler("cilk", new grainsize_pragma("grain_size"));
  include_keywords(c);
}

UnaryOperator* spawn_node(Expr* e, const ASTContext& c) {
  auto* u = dyn_cast_or_null<UnaryOperator>(e);
  if (u == nullptr || u->getOpcode() != UO_Extension) return nullptr;
  const SourceLocation at = u->getOperatorLoc();
  if (spawns().contains(at)) return u;
  const SourceManager& sources = c.getSourceManager();
  if (!at.isMacroID()) return nullptr;
  return Lexer::getImmediateMacroName(at, sources, c.getLangOpts()) == "_Cilk_spawn" ? u : nullptr;
}

UnaryOperator* spawn_in(Expr* e, const ASTContext& c) {
  while (e != nullptr) {
    if (UnaryOperator* u = spawn_node(e, c)) return u;
    if (auto* full = dyn_cast<FullExpr>(e)) {
      e = full->getSubExpr();
    } else if (auto* cast = dyn_cast<CastExpr>(e)) {
      e = cast->getSubExpr();
    } else if (auto* paren = dyn_cast<ParenExpr>(e)) {
      e = paren->getSubExpr();
    } else if (auto* temporary = dyn_cast<MaterializeTemporaryExpr>(e)) {
      e = temporary->getSubExpr();
    } else if (auto* bound = dyn_cast<CXXBindTemporaryExpr>(e)) {
      e = bound->getSubExpr();
    } else if (auto* made = dyn_cast<CXXConstructExpr>(e)) {
      const bool one = made->getNumArgs() == 1 ||
                       (made->getNumArgs() > 1 && made->getArg(1)->isDefaultArgument());
      e = one ? made->getArg(0) : nullptr;
    } else if (auto* list = dyn_cast<InitListExpr>(e)) {
      e = list->getNumInits() == 1 && !list->getType()->isAggregateType() ? list->getInit(0)
                                                                          : nullptr;
    } else if (auto* call = dyn_cast<CXXMemberCallExpr>(e);
               call != nullptr && isa_and_nonnull<CXXConversionDecl>(call->getMethodDecl())) {
      e = call->getImplicitObjectArgument();
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

bool spawns(Stmt* s, const ASTContext& c) {
  if (s == nullptr || isa<LambdaExpr, BlockExpr>(s)) return false;
  if (called_name(s) == "__nopal_spawn") return true;
  auto* e = dyn_cast<Expr>(s);
  return (e != nullptr && spawn_node(e, c) != nullptr) ||
         any_of(s->children(), [&c](Stmt* child) { return spawns(child, c); });
}

Expr* inside(Expr* e) {
  for (Expr* before = nullptr; before != e;) {
    before = e;
    e = e->IgnoreParenImpCasts();
    if (auto* full = dyn_cast<FullExpr>(e)) e = full->getSubExpr();
    if (auto* bound = dyn_cast<CXXBindTemporaryExpr>(e)) e = bound->getSubExpr();
    if (auto* temporary = dyn_cast<MaterializeTemporaryExpr>(e)) e = temporary->getSubExpr();
  }
  return e;
}

Expr* what_is_called(Expr* e) {
  for (e = inside(e); isa<CastExpr>(e);) e = inside(cast<CastExpr>(e)->getSubExpr());
  if (auto* fresh = dyn_cast<CXXNewExpr>(e))
    return fresh->isArray() ? nullptr : const_cast<CXXConstructExpr*>(fresh->getConstructExpr());
  return isa<CallExpr, CXXConstructExpr>(e) ? e : nullptr;
}

bool is_call(Expr* e) {
  const Expr* called = what_is_called(e);
  if (const auto* made = dyn_cast_or_null<CXXConstructExpr>(called))
    return !made->getConstructor()->isTrivial();
  const auto* call = dyn_cast_or_null<CallExpr>(called);
  if (call == nullptr || isa<UserDefinedLiteral>(call)) return false;
  const auto* callee = dyn_cast<CastExpr>(call->getCallee());
  return callee == nullptr || callee->getCastKind() != CK_BuiltinFnToFnPtr;
}

bool calls(Expr* e) { return isa<CXXNewExpr>(inside(e)) || what_is_called(e) != nullptr; }

bool has_markers(const Stmt* s) {
  if (s == nullptr) return false;
  StringRef name = called_name(s);
  if (name.consume_front("__nopal_") &&
      !is_contained({"sync", "scope", "for", "spawn", "grainsize"}, name))
    return true;
  return any_of(s->children(), has_markers);
}

StringRef called_name(const Stmt* s) {
  const auto* e = dyn_cast_or_null<Expr>(s);
  if (e == nullptr) return {};
  const auto* call = dyn_cast<CallExpr>(e->IgnoreParenImpCasts());
  const FunctionDecl* f = call != nullptr ? call->getDirectCallee() : nullptr;
  return f != nullptr && f->getDeclName().isIdentifier() ? f->getName() : StringRef();
}

}  // namespace nopal_cilk
