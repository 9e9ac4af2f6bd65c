// SPDX-License-Identifier: Apache-2.0
#include "io/ring.hpp"

#ifdef NOPAL_HAS_URING

#include <liburing.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {
namespace {

constexpr unsigned submissions = 256;
constexpr unsigned completions = 8192;  ///< The kernel keeps more until there is room.

/// Whether the kernel knows each call that a ring is given. If not, no ring is used.
bool knows_all_calls(io_uring& ring) noexcept {
  io_uring_probe* probe = io_uring_get_probe_ring(&ring);
  if (probe == nullptr) return false;
  const std::array all{IORING_OP_READ,   IORING_OP_READV,   IORING_OP_WRITE,       IORING_OP_WRITEV,
                       IORING_OP_ACCEPT, IORING_OP_CONNECT, IORING_OP_ASYNC_CANCEL};
  const bool knows =
      std::ranges::all_of(all, [&](int op) { return io_uring_opcode_supported(probe, op) != 0; });
  io_uring_free_probe(probe);
  return knows;
}

/// Returns the length, or the most that the kernel transfers at once anyhow.
unsigned length_of(const io_call& c) noexcept {
  return static_cast<unsigned>(std::min<std::size_t>(c.length, 0x7ffff000));
}

/// Writes the call into a submission, for submit().
void describe(io_uring_sqe* s, const io_call& c) noexcept {
  const auto offset = static_cast<std::uint64_t>(c.offset);
  switch (c.operation) {
    case io_operation::read:
      return io_uring_prep_read(s, c.fd, c.address, length_of(c), offset);
    case io_operation::readv:
      return io_uring_prep_readv(s, c.fd, static_cast<const iovec*>(c.address), length_of(c),
                                 offset);
    case io_operation::write:
      return io_uring_prep_write(s, c.fd, c.address, length_of(c), offset);
    case io_operation::writev:
      return io_uring_prep_writev(s, c.fd, static_cast<const iovec*>(c.address), length_of(c),
                                  offset);
    case io_operation::accept:
      return io_uring_prep_accept(s, c.fd, nullptr, nullptr, c.flags);
    case io_operation::connect:
      return io_uring_prep_connect(s, c.fd, static_cast<const sockaddr*>(c.address),
                                   static_cast<socklen_t>(c.length));
    default:
      break;  // it is not for the ring
  }
  __builtin_unreachable();
}

}  // namespace

io_ring::io_ring() noexcept = default;
io_ring::~io_ring() {
  if (is_open()) close();
}

bool io_ring::open() noexcept {
  if (is_open()) return true;
  std::unique_ptr<io_uring> ring(new (std::nothrow) io_uring{});
  if (ring == nullptr) return false;
  io_uring_params p{};
  p.flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
  p.cq_entries = completions;
  if (io_uring_queue_init_params(submissions, ring.get(), &p) != 0) return false;
  constexpr unsigned needed = IORING_FEAT_NODROP | IORING_FEAT_FAST_POLL | IORING_FEAT_RW_CUR_POS;
  if ((p.features & needed) != needed || !knows_all_calls(*ring)) {
    io_uring_queue_exit(ring.get());
    return false;
  }
  ring_ = std::move(ring);
  return true;
}

int io_ring::descriptor() const noexcept { return ring_->ring_fd; }

void io_ring::close() noexcept {
  io_uring_queue_exit(ring_.get());
  ring_.reset();
}

/// Returns a free entry of the queue, or nullptr. Entries that the kernel has refused fill the
/// queue.
static io_uring_sqe* entry_of(io_uring& ring) noexcept {
  if (io_uring_sqe* s = io_uring_get_sqe(&ring)) return s;
  io_uring_submit(&ring);
  return io_uring_get_sqe(&ring);
}

/// Returns whether the kernel has taken `s`, the last entry of the queue. If not, the entry is made
/// empty, and is taken some time later.
static bool taken(io_uring& ring, io_uring_sqe* s) noexcept {
  io_uring_submit(&ring);
  if (io_uring_sq_ready(&ring) == 0) return true;
  io_uring_prep_nop(s);
  io_uring_sqe_set_data(s, nullptr);
  return false;
}

bool io_ring::submit(io_request& r) noexcept {
  io_uring_sqe* s = entry_of(*ring_);
  if (s == nullptr) return false;
  describe(s, r.call);
  io_uring_sqe_set_data(s, &r);
  return taken(*ring_, s);
}

void io_ring::cancel(io_request& r) noexcept {
  io_uring_sqe* s = entry_of(*ring_);
  if (s == nullptr) return;
  io_uring_prep_cancel(s, &r, 0);
  io_uring_sqe_set_data(s, nullptr);
  taken(*ring_, s);
}

io_request* io_ring::reap(std::int64_t& result) noexcept {
  for (;;) {
    io_uring_cqe* c = nullptr;
    if (io_uring_peek_cqe(ring_.get(), &c) != 0 || c == nullptr) return nullptr;
    auto* r = static_cast<io_request*>(io_uring_cqe_get_data(c));
    result = c->res;
    io_uring_cqe_seen(ring_.get(), c);
    if (r != nullptr) return r;  // an empty entry or a cancel() has none
  }
}

}  // namespace nopal::detail

#else

struct io_uring {};

namespace nopal::detail {

io_ring::io_ring() noexcept = default;
io_ring::~io_ring() = default;
bool io_ring::open() noexcept { return false; }
int io_ring::descriptor() const noexcept { return -1; }
void io_ring::close() noexcept {}
bool io_ring::submit(io_request&) noexcept { return false; }
void io_ring::cancel(io_request&) noexcept {}
io_request* io_ring::reap(std::int64_t&) noexcept { return nullptr; }

}  // namespace nopal::detail

#endif
