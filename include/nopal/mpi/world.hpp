// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <source_location>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/async/pending.hpp"
#include "nopal/async/task_scope.hpp"
#include "nopal/detail/mpi/hub.hpp"
#include "nopal/detail/mpi/root.hpp"
#include "nopal/detail/mpi/tree.hpp"
#include "nopal/detail/mpi/trees.hpp"
#include "nopal/mpi/archive.hpp"
#include "nopal/mpi/channel.hpp"
#include "nopal/mpi/error.hpp"
#include "nopal/mpi/function.hpp"
#include "nopal/mpi/options.hpp"
#include "nopal/mpi/statistics.hpp"
#include "nopal/runtime.hpp"

namespace nopal::mpi {

/// All processes of a program that MPI has started, each with a runtime of its own. Inside of a
/// process work is divided as ever; between processes whole pieces of it move, while it runs. Needs
/// the CMake target nopal::mpi. docs/mpi.md says how to start such a program, and how it works.
/// \code
/// int main_of_each_rank(int argc, char** argv) {
///   nopal::mpi::world world(argc, argv);
///   const double sum = world.fold_range(1, 1'000'000, 0.0, std::plus<>(),
///                                       [](int i) { return 1.0 / i; });
///   if (world.rank() == 0) std::printf("%.15f\n", sum);
///   return 0;
/// }
/// \endcode
///
/// Calls marked as collective are made by all ranks, in the same order, with the same arguments
/// unless said otherwise; each rank uses its own copies of functions and of what these refer to.
/// One collective call at a time.
///
/// What travels between ranks is turned into bytes by an archive (output_archive), so ranks must be
/// machines of one kind.
///
/// If MPI has been initialized, it stays so, and must be for MPI_THREAD_SERIALIZED or more; calls
/// of MPI by the program beside a world need MPI_THREAD_MULTIPLE. Otherwise the world initializes
/// MPI, and ends it.
///
/// Thread-safety: one thread of a rank at a time makes collective calls; any strand or thread may
/// make the others, also while one is made.
class world {
 public:
  /// Collective.
  /// \param argc, argv  those of main, from which MPI may take what is its own.
  /// \throws nopal::mpi::error if MPI does not do what is needed; std::system_error if a thread
  /// cannot be started.
  world(int& argc, char**& argv, const options& o = {})
      : hub_(std::make_unique<detail::mpi::hub>(&argc, &argv, o.patience)) {}
  /// Collective.
  explicit world(const options& o = {})
      : hub_(std::make_unique<detail::mpi::hub>(nullptr, nullptr, o.patience)) {}
  /// Collective: waits until all ranks come here. If an exception ends the scope of the world, the
  /// other ranks might never come; so the whole run then ends, with a message.
  ~world();
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  /// The number of this process, from 0.
  [[nodiscard]] int rank() const noexcept { return hub_->rank(); }
  /// How many processes there are.
  [[nodiscard]] int size() const noexcept { return hub_->size(); }
  /// What this rank has sent and got until now.
  [[nodiscard]] statistics counts() const { return hub_->counts(); }

  /// Collective. Returns when all ranks have called this. Other collective calls return as soon as
  /// their result is there, which may be before others have begun them.
  void barrier() { hub_->barrier(); }

  /// Collective. Runs a tree: expand(node, emit) returns the value of a node, and calls emit(child)
  /// for each of its children before it returns. The result of a node is op(op(value, result of the
  /// first child), result of the second) and so on; that of the root is returned.
  /// \code
  /// int nodes(nopal::mpi::world& world) {
  ///   return world.fold_tree(
  ///       12,  // a node of which 12 generations descend
  ///       [](int n, const auto& emit) {
  ///         for (int child = 0; child < n; ++child) emit(child);
  ///         return 1;
  ///       },
  ///       std::plus<>());
  /// }
  /// \endcode
  ///
  /// The brackets are those of the tree, on any number of ranks and workers: the result is the same
  /// bit for bit each time.
  /// \param root  counts on rank 0. A node is what an archive takes.
  /// \param expand, op  called by several workers at once, as const.
  /// \param where  tells operations apart that are saved.
  /// \returns the result, on all ranks. An archive takes it.
  /// \throws on rank 0 what expand or op throws there; elsewhere, and if it was thrown elsewhere,
  /// nopal::mpi::error with the number of the rank and the text of the exception. nopal::stopped on
  /// rank 0 if a stop comes to the caller's scope there; it reaches the other ranks too, which
  /// throw nopal::mpi::error.
  /// Complexity: a fork for each node. A rank without work asks others, at random, and gets half of
  /// the subtrees that are left on the way from the root to a node that is run there.
  template <class Node, class Expand, class Op>
  auto fold_tree(Node root, Expand expand, Op op,
                 const std::source_location& where = std::source_location::current()) {
    const auto none = [](const Node&) {};
    using result = std::decay_t<std::invoke_result_t<const Expand&, const Node&, decltype(none)>>;
    using tree = detail::mpi::given_tree<Node, result, Expand, Op>;
    return run<tree>(tree{expand, op}, std::move(root), where);
  }

  /// Collective. Returns init op f(first) op f(first + 1) op … op f(last - 1), as
  /// nopal::fold(first, last, init, op, f) does, bit for bit.
  /// \param first, last  integers.
  /// \param op, f  called by several workers at once, as const.
  /// \returns the result, on all ranks. An archive takes it.
  /// \throws as fold_tree.
  /// Complexity: a 64th of what falls to a rank moves at once; each such piece is cut as by
  /// nopal::fold.
  template <std::integral N, class T, class Op, class F = std::identity>
  auto fold_range(N first, N last, T init, Op op, F f = {},
                  const std::source_location& where = std::source_location::current()) {
    const auto numbers = std::views::iota(first, std::max(first, last));
    using iterator = std::ranges::iterator_t<decltype(numbers)>;
    using U = algorithm_detail::folded_type<T, iterator, Op, F>;
    using tree = detail::mpi::range_tree<U, iterator, Op, F>;
    const auto n = static_cast<std::ptrdiff_t>(numbers.size());
    if (n == 0) return static_cast<U>(std::move(init));
    U all = run<tree>(tree(numbers.begin(), n, size(), op, f), {0, n}, where);
    return algorithm_detail::combined<U>(op, static_cast<U>(std::move(init)), std::move(all));
  }

  /// Collective. Returns f(input) for each input, in order, on rank 0; elsewhere an empty vector.
  /// \code
  /// std::vector<std::size_t> lengths(nopal::mpi::world& world, std::vector<std::string> names) {
  ///   return world.map(names, [](const std::string& name) { return name.size(); });
  /// }
  /// \endcode
  /// \param all  counts on rank 0; elsewhere it may be empty. An archive takes inputs and results.
  /// \param f  called by several workers at once, as const.
  /// \throws as fold_tree.
  /// Complexity: a 64th of what falls to a rank moves at once, and its results come back.
  template <class Input, class F>
  auto map(const std::vector<Input>& all, F f,
           const std::source_location& where = std::source_location::current()) {
    using result = std::decay_t<std::invoke_result_t<const F&, const Input&>>;
    using tree = detail::mpi::map_tree<Input, result, F>;
    const auto n = static_cast<std::ptrdiff_t>(all.size());
    const std::ptrdiff_t alone =
        std::max<std::ptrdiff_t>(1, n / (detail::mpi::pieces_of_rank * size()));
    return run<tree, false>(tree{f}, {0, n, alone, all.data(), {}}, where);
  }

  /// Lets what is left of the work be saved from time to time, so that a run which is ended early
  /// can go on: if the file is there, the operations of this world begin with what it has. The next
  /// run is of the same program, which makes the same collective calls with the same arguments; it
  /// may have other numbers of ranks and workers.
  /// \code
  /// double sum(nopal::mpi::world& world) {
  ///   world.save_every(std::chrono::minutes(10), "sum.saved");
  ///   return world.fold_range(1LL, 1LL << 40, 0.0, std::plus<>(),
  ///                           [](long long i) { return std::sin(1.0 / i); });
  /// }
  /// \endcode
  /// Each piece of the work counts once in the result, whenever the runs before have ended. Nodes
  /// that have been run since the last save are run again; their side effects are made twice.
  ///
  /// To save, all strands end the nodes that they have begun, and begin no others; rank 0 gets what
  /// is left, and writes it to a new file, which then replaces the old one. The results of
  /// operations that have ended are in the file too. It is removed when the world ends, unless an
  /// operation has failed, or has not been made that the file has.
  /// \param period  from the end of a save to the begin of the next one, 1 ms or more.
  /// \param file  counts on rank 0, which alone reads and writes it. A file that cannot be written
  /// later is a message on stderr, and the work goes on.
  /// \throws nopal::mpi::error if there is a file that no run has saved, or this has been called
  /// before; std::invalid_argument for a period that is no time; std::system_error if the file
  /// cannot be read, or none can be made there. Operations throw nopal::mpi::error if the file is
  /// another program's.
  /// Thread-safety: called before the operations that are to be saved, and while none is made.
  void save_every(std::chrono::milliseconds period, const std::filesystem::path& file) {
    hub_->save_every(period, file);
  }

  /// Has a rank call a function, with copies of these arguments, and goes on.
  /// \code
  /// int twice(int x) { return 2 * x; }
  /// int ask_the_last(nopal::mpi::world& world) {
  ///   nopal::pending<int> p = world.run_on(world.size() - 1, nopal::mpi::function<&twice>, 21);
  ///   return p.get();
  /// }
  /// \endcode
  /// The rank calls it on a worker of its default runtime, as soon as one is free, whatever else it
  /// does. It may be this rank.
  /// \returns the result that is to come. pending::get() throws nopal::mpi::error with the number
  /// of the rank and the text of what the function has thrown.
  /// \throws std::out_of_range if there is no such rank, std::bad_alloc.
  template <auto F, class... A>
  pending<typename function_type<F>::result> run_on(int rank, function_type<F> /*f*/,
                                                    A&&... arguments) {
    using function = function_type<F>;
    using result = typename function::result;
    hub_->check_rank(rank, "run_on");
    output_archive out;
    out(typename function::arguments(std::forward<A>(arguments)...));
    return hub_->calls().async([this, rank, sent = out.take()]() -> result {
      const detail::mpi::outcome o = hub_->call(rank, function::number(), sent);
      if (o.failed) throw error(o.text());
      if constexpr (!std::is_void_v<result>) return input_archive(o.data).next<result>();
    });
  }

#ifndef NOPAL_SERIAL  // see channel.hpp
  /// Makes a channel through which all ranks send elements to one of them. All ranks call this, in
  /// the same order, by one thread at a time. They do not wait for each other: what is sent to a
  /// rank before it has its channel is kept there.
  /// \param receiver  the rank that receives; the same on all ranks, as `capacity` is.
  /// \param capacity  how many elements there may be that have been sent and not received. Each
  /// rank has an equal share of it, and at least one element.
  /// \returns a handle.
  /// \throws std::out_of_range if there is no such rank, std::invalid_argument if the capacity is
  /// 0, std::bad_alloc.
  /// Complexity: room for as many elements' addresses as the capacity, on the rank that receives.
  template <class T>
  mpi::channel<T> channel(int receiver, std::size_t capacity) {
    return mpi::channel<T>(hub_->open_channel(receiver, capacity));
  }
#endif

 private:
  /// \tparam Everywhere  whether all ranks get the result.
  template <class Tree, bool Everywhere = true>
  typename Tree::result run(const Tree& tree, typename Tree::node root,
                            const std::source_location& where) {
    using result = typename Tree::result;
    detail::mpi::tree_operation<Tree> op(*hub_, tree);
    detail::mpi::root_of_tree<Tree> left(hub_->saved(), std::move(root), where);
    std::exception_ptr thrown_here;
    const auto run_root = [&]() -> bytes {
      output_archive out;
      try {
        left.run(op);
        hub_->save_if_due();
        out(left.is_done());
        if (Everywhere && left.is_done() && size() > 1) out(left.result());
      } catch (const error&) {
        throw;
      } catch (...) {
        // What another rank has thrown stops what runs here.
        if (op.cause().empty()) thrown_here = std::current_exception();
        throw;
      }
      return out.take();
    };
    for (;;) {
      const detail::mpi::outcome o = hub_->run(op, run_root);
      if (thrown_here != nullptr) std::rethrow_exception(thrown_here);
      if (o.failed) throw error(o.text());
      input_archive in(o.data);
      if (!in.next<bool>()) continue;  // what is left has been saved
      if (rank() == 0) return std::move(left.result());
      if constexpr (Everywhere)
        return in.next<result>();
      else
        return {};
    }
  }

  std::unique_ptr<detail::mpi::hub> hub_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace nopal::mpi
