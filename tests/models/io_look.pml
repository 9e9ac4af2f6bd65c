/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks for events: no thread sleeps in the kernel with a file that the program has closed.
 * Implemented in src/io/poller.cpp (wait, wait_alone, look, ask, first_ready, ask_again,
 * ask_no_more).
 *
 * Modelled: one file; two calls on it, one after the other, each of which asks for an event, which
 * is told once; the poller's thread, which waits for a while or alone; a worker that looks; the
 * program, which may stop each call, and closes the file when the second has ended; and epoll as
 * Linux 6.10 and later have it. A look takes the list of files that were told of, holds the file
 * while it examines it, and forgets what was asked when it has found the event. A file that is told
 * of meanwhile is listed when the look ends. The file is freed by its last holder: the program at
 * once, a look when it leaves the kernel. A thread that has found an event serves it later. By then
 * the first call may have been stopped, and the second may wait: the event is an older one.
 *
 * Abstracted: the event may not be there although the file was told of, as with a change of state,
 * and another may take it before the call is tried. The lock of the backend is held for the one
 * step that it guards.
 *
 * Checked: the poller's thread does not go to sleep without a limit while it is to free the file.
 * The second call ends with nothing asked for.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_NOT_ALONE        workers look while the poller's thread waits without a limit
 *   MUTATION_LOOKS_UNCOUNTED  the poller's thread does not ask whether a worker is looking
 *   MUTATION_ASKS_FIRST       it asks before it says that it is alone
 *   MUTATION_NO_FIRST_LOOK    it waits without having looked
 *   MUTATION_ASKED_STILL      a request that is refused leaves its event asked for
 *   MUTATION_OLDER_FORGETS    an older event is taken for that which is asked for now
 *   MUTATION_TURN_LEAVES      a turn after which nobody waits leaves the event asked for
 */

#define waits 0          /* the call is in the list of its descriptor */
#define tried 1          /* a thread has taken it from there, and makes it */
#define ended 2

byte stage = waits;      /* of the call */
bool refused = false;    /* it has been stopped while it was tried */
bool noted = true;       /* the backend takes the event for asked */
byte asks = 1;           /* how often epoll has been asked */

bool asked = true;       /* epoll tells of the event, once */
bool listed = false;     /* the file is in the list of those that were told of */
bool scanning = false;   /* a look has the list */
bool told_meanwhile = false;
bool there = false;      /* the event */
byte holders = 1;        /* the program's descriptor, and looks */
bool known = true;       /* epoll knows the file */

bool alone = false;
byte looking = 0;

/* The file is told of: by its event, or by something else. */
inline tell() {
  if
  :: known && asked && scanning -> told_meanwhile = true
  :: known && asked && !scanning -> listed = true
  :: else
  fi
}

/* A look. `late` if the thread is to free the file when it leaves the kernel. */
inline scan(found, late, answered) {
  atomic { !scanning -> scanning = true; taken = listed; listed = false };
  found = false;
  if
  :: atomic { taken && known && holders > 0 -> holders++ };
     if
     :: atomic { there && asked -> found = true; answered = asks }
     :: atomic { !(there && asked) -> skip }
     fi;
     if
     :: found -> asked = false
     :: else
     fi;
     atomic {
       holders--;
       if
       :: holders == 0 -> late = true
       :: else
       fi
     }
  :: else
  fi;
  atomic {
    if
    :: told_meanwhile && known -> listed = true
    :: else
    fi;
    told_meanwhile = false;
    scanning = false
  }
}

inline leave_kernel(late) {
  if
  :: atomic { late -> late = false; known = false; listed = false }
  :: else
  fi
}

/* What follows is done under the lock of the backend. Epoll is changed between two looks. */

/* ask() */
inline ask() {
  if
  :: !noted ->
     noted = true; asks++; asked = true; known = true;
     if
     :: there -> listed = true
     :: else
     fi
  :: else
  fi
}

/* ask() for no event */
inline ask_no_more() {
  if
  :: noted -> noted = false; asked = false; known = false; listed = false
  :: else
  fi
}

/* The first step of first_ready(). */
inline hear(answered) {
#ifdef MUTATION_OLDER_FORGETS
  noted = false
#else
  if
  :: answered == asks -> noted = false
  :: else
  fi
#endif
}

/* ask_again(), with no call in the list. */
inline end_turn() {
#ifndef MUTATION_TURN_LEAVES
  ask_no_more()
#else
  skip
#endif
}

/* A turn of a thread that has found an event. */
inline serve(answered) {
  if
  :: atomic { stage == waits -> hear(answered); stage = tried };
     bool has_result;
     atomic {
       if
       :: there -> there = false; has_result = true
       :: there -> there = false; has_result = false
       :: !there -> has_result = false
       fi
     };
     if
     :: atomic { (has_result || refused) && (!scanning || !noted) ->
          stage = ended; hear(answered); end_turn() }
     :: atomic { !(has_result || refused) && !scanning -> stage = waits; hear(answered); ask() }
     fi
  :: atomic { stage != waits && !scanning -> hear(answered); end_turn() }
  fi;
  answered = 0
}

active proctype peer() {
  atomic { tell() };                /* of something else */
  atomic { there = true; tell() };
  atomic { tell() };
  atomic { there = true; tell() }
}

active proctype program() {
  byte calls = 1;
  do
  :: if
     :: stage == ended
     :: atomic { stage == waits && !scanning ->     /* the stop */
          stage = ended;
#ifndef MUTATION_ASKED_STILL
          ask_no_more()
#endif
        }
     :: atomic { stage == tried -> refused = true };
        stage == ended
     fi;
     if
     :: calls == 2 -> break
     :: atomic { calls == 1 && !scanning ->
          calls++; refused = false; stage = waits; ask_no_more(); ask() }
     fi
  od;
  atomic {                          /* close */
    assert(!noted && !asked);
    holders--;
    if
    :: holders == 0 -> known = false; listed = false
    :: else
    fi
  }
}

active proctype worker() {
  bool found, late, taken;
  byte answered;
  byte times = 0;
  do
  :: times < 2 ->
     times++;
     found = false;
#ifndef MUTATION_LOOKS_UNCOUNTED
     looking++;
#endif
#ifndef MUTATION_NOT_ALONE
     if
     :: alone -> skip
     :: else ->
#endif
        scan(found, late, answered);
        leave_kernel(late)
#ifndef MUTATION_NOT_ALONE
     fi
#endif
     ;
#ifndef MUTATION_LOOKS_UNCOUNTED
     looking--;
#endif
     if
     :: found -> serve(answered)
     :: else
     fi
  :: break
  od
}

active proctype poller() {
  bool found, late, taken, free_to_wait;
  byte answered;
  byte times = 0;
  do
  :: times < 2 ->                   /* for a while: it leaves the kernel whatever it finds */
     times++;
     scan(found, late, answered);
     leave_kernel(late);
     if
     :: found -> serve(answered)
     :: else
     fi
  :: true ->
#ifdef MUTATION_ASKS_FIRST
     free_to_wait = (looking == 0);
     alone = true;
#else
     alone = true;
     free_to_wait = (looking == 0);
#endif
     if
     :: free_to_wait ->
        found = false;
#ifndef MUTATION_NO_FIRST_LOOK
        scan(found, late, answered);
        leave_kernel(late);
#endif
        if
        :: !found ->
           do
           :: scan(found, late, answered);
              if
              :: found -> break
              :: else ->
                 assert(!late);     /* it sleeps until the file is told of again */
                 if
                 :: listed
                 :: timeout -> goto over
                 fi
              fi
           od
        :: else
        fi;
        leave_kernel(late)
     :: else
     fi;
     alone = false;
     if
     :: found -> serve(answered)
     :: else
     fi;
     if
     :: times >= 2 -> break
     :: else -> times++
     fi
  od;
over:
  skip
}
