// SPDX-License-Identifier: Apache-2.0
// The types that cilk_reducer makes: a type of values with the functions of its monoid.
#pragma once

#include <optional>

#include "builder.hpp"
#include "clang/AST/Attr.h"
#include "clang/AST/TypeLoc.h"
#include "llvm/ADT/DenseMap.h"

namespace nopal_cilk {

/// The functions that a declaration names.
struct reducer_type {
  clang::FunctionDecl* identity = nullptr;
  clang::FunctionDecl* reduce = nullptr;
  bool operator==(const reducer_type&) const = default;
};

/// cilk_reducer(identity, reduce) is an attribute of the type that stands before it. It is sugar to
/// clang: it changes nothing, and is lost wherever a type is deduced. So it is looked for where a
/// type is written, through typedefs and templates of aliases.
class reducer_types {
 public:
  explicit reducer_types(builder& make) : make_(make) {}

  /// Returns the reducer type of `v`, or nullptr if `v` is no reducer. The first call for a
  /// declaration reports what is wrong with it, also if it differs from an earlier declaration. All
  /// that rewrite or check uses of reducers (reducer.cpp) ask this.
  const reducer_type* type_of(const clang::VarDecl* v);

  /// The place where a type of reducers is written, if `type` as a whole is one; not valid
  /// otherwise.
  static clang::SourceLocation written_at(clang::TypeLoc type);

 private:
  /// The attribute of a type, and the templates on the way to it, whose arguments are to be put in.
  struct origin {
    const clang::AnnotateTypeAttr* attribute = nullptr;
    const clang::NamedDecl* owner = nullptr;
    llvm::SmallVector<clang::TemplateSpecializationTypeLoc, 2> aliases;
  };

  static origin find(clang::TypeLoc type, const clang::NamedDecl* owner);
  std::optional<reducer_type> make(const clang::VarDecl* v, const origin& from);
  bool is_allowed(const clang::VarDecl* v, clang::SourceLocation at);
  clang::Expr* substituted(clang::Expr* e, const origin& from, clang::SourceLocation at);
  clang::FunctionDecl* callback(clang::Expr* e, unsigned parameters);

  builder& make_;
  llvm::DenseMap<const clang::VarDecl*, std::optional<reducer_type>> known_;
};

}  // namespace nopal_cilk
