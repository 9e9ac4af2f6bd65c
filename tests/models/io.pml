/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call that waits: who ends it.
 * Implemented in src/io/backend.cpp and request.cpp.
 *
 * Modelled: one request that reads one byte from a pipe, from its first attempt to the end of its
 * frame. The poller's thread, or a worker that looks for events, tries it when the pipe is not empty. A helper thread may have it first (a
 * connection, which is begun there and polled later), or the kernel, in the ring. A stop comes at any moment, also before the
 * request has begun; a deadline may come, too. A rival reads from the same pipe. What the lock of
 * the backend guards is one atomic step each.
 *
 * Abstracted: lists hold one request, so that `listed` is the list. epoll tells of a byte as long as
 * it is there. A callback that is registered after the stop runs at once, in the strand.
 *
 * Checked: the waiter goes on once; nobody touches the request after its frame has ended; the byte
 * is read by the request, by the rival, or left in the pipe; a call that is refused has read
 * nothing; and the strand always goes on, since the stop comes (no deadlock).
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_REFUSES_TRIED        a stop ends a request that the poller is trying
 *   MUTATION_REFUSES_TAKEN        a stop ends a request that a helper thread has taken
 *   MUTATION_REFUSES_ENDED        a stop ends a request that has ended
 *   MUTATION_TIMER_LEFT           the frame ends while the request is among the timers
 *   MUTATION_EXPIRY_LEFT          the frame ends while its timer expires
 *   MUTATION_STAYS_LISTED         a request that is refused stays in its list
 *   MUTATION_CALLBACK_LEFT        the frame ends while the callback of the stop runs
 *   MUTATION_STOP_BEFORE_BEGIN    begin does not look whether a stop has come
 *   MUTATION_STOP_WHILE_TRIED     a request is listed again although a stop has come
 *   MUTATION_STOP_WINS            a stop makes the result of a call that was made void
 *   MUTATION_GOES_ON_EARLY        the waiter goes on before the request has left the timers
 *   MUTATION_CANCELS_ONCE         the kernel is asked once to break a call off
 *   MUTATION_REFUSES_IN_RING      a stop ends a request that the kernel has
 *   MUTATION_TAKEN_WITHOUT_LOCK   who finds a request listed takes it in a later critical section
 *   MUTATION_TOUCHED_AFTER_BEGIN  begin counts in the request when the lock is free again
 */

mtype = { nowhere, polled, tried, queued, in_ring, ended };

mtype stage = nowhere;
bool listed = false;
bool timed = false;
bool refused = false;
bool connecting = false;    /* what the helper thread begins, the poller ends */

bool armed = false;         /* in the ring: the kernel waits for events */
bool completed = false;     /* the result is in the ring */
bool made = false;          /* and it is the byte */

bool alive = true;          /* the frame of the request */
bool by_thread = false;     /* a helper thread must begin it */
bool by_kernel = false;     /* it goes into the ring */
bool left = false;          /* the strand has left its stack */
bool stays = false;         /* it need not wait, and goes on at once */
byte went_on = 0;
bool has_byte = false;      /* the result: the request has read the byte */
bool is_refused = false;    /* the result: a stop or the deadline */

byte in_pipe = 0;
bool written = false;
bool rival_has = false;

bool stop_requested = false;
bool registered = false;
bool in_callback = false;
bool expires = false;       /* the function of the timer runs */

#define touch assert(alive)

#ifdef MUTATION_STOP_WHILE_TRIED
#define SEES_STOP false
#else
#define SEES_STOP refused
#endif

inline end_it() {
  touch;
#ifndef MUTATION_REFUSES_ENDED
  assert(stage != ended);
#endif
  stage = ended
}

inline go_on() {
  assert(went_on == 0);
  went_on++
}

/* Under the lock. Sets `by_this` if the caller has ended the request. */
inline refuse_now(by_this) {
  touch;
  by_this = false;
  if
  :: stage == polled -> by_this = true
#ifdef MUTATION_REFUSES_TRIED
  :: stage == tried -> by_this = true
#endif
#ifdef MUTATION_REFUSES_ENDED
  :: stage == ended -> by_this = true
#endif
#ifdef MUTATION_REFUSES_IN_RING
  :: stage == in_ring -> by_this = true
#else
  :: stage == in_ring ->
     refused = true;
     if
     :: armed -> armed = false; completed = true
     :: else                /* missed: it is just about to make the call */
     fi;
#ifndef MUTATION_CANCELS_ONCE
     timed = true           /* to ask again */
#else
     skip
#endif
#endif
#ifdef MUTATION_REFUSES_TAKEN
  :: stage == queued -> by_this = true
#else
  :: stage == queued && listed -> by_this = true
#endif
  :: else -> if :: stage != ended -> refused = true :: else fi
  fi;
  if
  :: by_this ->
#ifndef MUTATION_STAYS_LISTED
     listed = false;
#endif
     end_it();
     is_refused = true
  :: else
  fi
}

/* Under the lock: the call has been tried by whoever has it alone. */
inline settle(result, by_this) {
  touch;
  by_this = true;
  if
#ifdef MUTATION_STOP_WINS
  :: refused -> end_it(); is_refused = true
  :: !refused && result -> end_it(); has_byte = true
#else
  :: result -> end_it(); has_byte = true
  :: !result && SEES_STOP -> end_it(); is_refused = true
#endif
  :: else -> stage = polled; listed = true; by_this = false
  fi
}

active proctype strand() {
  bool by_this = false;
  if :: by_thread = false :: by_thread = true :: by_kernel = true fi;
  /* prepare: the first attempt, then the callback of the stop. */
  if
  :: atomic { !by_thread && in_pipe > 0 -> in_pipe--; has_byte = true }; goto conclude
  :: true
  fi;
  atomic {
    registered = true;
    if :: stop_requested -> refuse_now(by_this) :: else fi
  };
  left = true;
  went_on > 0 || stays;
conclude:
  atomic {
#ifndef MUTATION_CALLBACK_LEFT
    !in_callback ->
#endif
    registered = false
  };
#ifndef MUTATION_TIMER_LEFT
  timed = false;
#endif
#ifndef MUTATION_EXPIRY_LEFT
  !expires;
#endif
  assert(has_byte || is_refused);
  alive = false
}

/* begin, by the worker of the strand on its scheduler stack. */
active proctype worker() {
endwait:
  atomic {
    left ->
    touch;
    if
#ifndef MUTATION_STOP_BEFORE_BEGIN
    :: refused -> end_it(); is_refused = true; stays = true
#endif
    :: else ->
       if :: timed = true :: timed = false fi;
       if
       :: by_kernel -> stage = in_ring; armed = true
       :: else -> stage = (by_thread -> queued : polled); listed = true
       fi
    fi
  }
#ifdef MUTATION_TOUCHED_AFTER_BEGIN
  ;
  if :: !stays -> touch :: else fi
#endif
}

/* The poller's thread, and a worker that looks for events. */
active [2] proctype poller() {
  bool by_this;
  bool result;
endwait:
  do
#ifdef MUTATION_TAKEN_WITHOUT_LOCK
  :: stage == polled && listed && in_pipe > 0 ->
     atomic { touch; listed = false; stage = tried };
#else
  :: atomic { stage == polled && listed && in_pipe > 0 ->
       touch; listed = false; stage = tried };
#endif
     atomic { touch; result = (in_pipe > 0); in_pipe = (result -> in_pipe - 1 : in_pipe) };
#ifdef MUTATION_GOES_ON_EARLY
     if :: result -> has_byte = true; go_on() :: else fi;
     atomic { settle(result, by_this); by_this = by_this && !result };
#else
     atomic { settle(result, by_this) };
#endif
     if :: by_this -> go_on() :: else fi
#ifdef MUTATION_STAYS_LISTED
  :: atomic { stage == ended && listed && in_pipe > 0 -> touch; listed = false }
#endif
  od
}

active proctype helper() {
  bool by_this;
endwait:
  do
  :: atomic { stage == queued && listed -> touch; listed = false };
     touch;
     connecting = true;
     atomic { settle(false, by_this) };
     if :: by_this -> go_on() :: else fi
  od
}

/* The kernel reads and writes the buffer, which lies in the frame. */
active proctype kernel() {
endwait:
  do
  :: atomic { armed && in_pipe > 0 -> touch; armed = false };
     atomic {
       touch;
       if
       :: in_pipe > 0 -> in_pipe--; made = true; completed = true
       :: else -> armed = true
       fi
     }
  od
}

active proctype reaper() {
  bool by_this;
endwait:
  atomic { completed -> completed = false; settle(made, by_this); assert(by_this) };
  go_on()
}

active proctype deadline() {
  bool by_this;
endwait:
  do
  :: atomic { timed -> timed = false; expires = true };
     atomic { refuse_now(by_this) };
     if :: by_this -> go_on() :: else fi;
     expires = false
  od
}

active proctype stopper() {
  bool by_this = false;
  atomic { stop_requested = true; in_callback = registered };
  if
  :: in_callback ->
     atomic { refuse_now(by_this) };
     if :: by_this -> go_on() :: else fi;
     touch;
     in_callback = false
  :: else
  fi
}

active proctype writer() {
  if :: atomic { in_pipe++; written = true } :: true fi
}

active proctype rival() {
  if
  :: atomic { in_pipe > 0 -> in_pipe--; rival_has = true }
  :: true
  fi
}

/* In the end: no byte is lost or made. The rest is asserted where it happens. */
active proctype judge() {
endwait:
  timeout ->
  assert(!alive);
  assert(went_on <= 1);
  assert(!(has_byte && is_refused));
  assert((has_byte -> 1 : 0) + (rival_has -> 1 : 0) + in_pipe == (written -> 1 : 0))
}
