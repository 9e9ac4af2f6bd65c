/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks for events: no thread sleeps in the kernel with a file that the program has closed.
 * Implemented in src/io/poller.cpp (wait, wait_alone, look, ask_no_more).
 *
 * Modelled: one file of which one event is asked, once; the poller's thread, which waits for a
 * while or alone; a worker that looks; the program, which closes the file when it has the event or
 * when a stop has ended its request; and epoll as Linux 6.10 and later have it. A look takes the
 * list of files that were told of, holds the file while it examines it, and forgets what was asked
 * when it has found the event. A file that is told of meanwhile is listed when the look ends. The
 * file is freed by its last holder: the program at once, a look when it leaves the kernel.
 *
 * Abstracted: the event may not be there although the file was told of, as with a change of state.
 * The lock of the backend is held for the one step that it guards.
 *
 * Checked: the poller's thread does not go to sleep without a limit while it is to free the file.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_NOT_ALONE        workers look while the poller's thread waits without a limit
 *   MUTATION_LOOKS_UNCOUNTED  the poller's thread does not ask whether a worker is looking
 *   MUTATION_ASKS_FIRST       it asks before it says that it is alone
 *   MUTATION_NO_FIRST_LOOK    it waits without having looked
 *   MUTATION_ASKED_STILL      a request that is refused leaves its event asked for
 */

bool asked = true;       /* epoll tells of the event, once */
bool listed = false;     /* the file is in the list of those that were told of */
bool scanning = false;   /* a look has the list */
bool told_meanwhile = false;
bool there = false;      /* the event */
byte holders = 1;        /* the program's descriptor, and looks */
bool known = true;       /* epoll knows the file */

bool alone = false;
byte looking = 0;
bool found_by_any = false;

/* The file is told of: by its event, or by something else. */
inline tell() {
  if
  :: known && asked && scanning -> told_meanwhile = true
  :: known && asked && !scanning -> listed = true
  :: else
  fi
}

/* A look. `late` if the thread is to free the file when it leaves the kernel. */
inline scan(found, late) {
  atomic { !scanning -> scanning = true; taken = listed; listed = false };
  found = false;
  if
  :: atomic { taken && known && holders > 0 -> holders++ };
     if
     :: atomic { there && asked -> found = true }
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

active proctype peer() {
  atomic { tell() };                /* of something else */
  atomic { there = true; tell() };
  atomic { tell() }
}

active proctype program() {
  if
  :: atomic { found_by_any -> skip }
  :: atomic { !found_by_any ->      /* the stop, under the lock of the backend */
#ifndef MUTATION_ASKED_STILL
       !scanning -> known = false; asked = false; listed = false
#else
       skip
#endif
     }
  fi;
  atomic {                          /* close */
    holders--;
    if
    :: holders == 0 -> known = false; listed = false
    :: else
    fi
  }
}

active proctype worker() {
  bool found, late, taken;
  byte times = 0;
  do
  :: times < 2 ->
     times++;
#ifndef MUTATION_LOOKS_UNCOUNTED
     looking++;
#endif
#ifndef MUTATION_NOT_ALONE
     if
     :: alone -> skip
     :: else ->
#endif
        scan(found, late);
        leave_kernel(late);
        if
        :: found -> found_by_any = true
        :: else
        fi
#ifndef MUTATION_NOT_ALONE
     fi
#endif
     ;
#ifndef MUTATION_LOOKS_UNCOUNTED
     looking--
#endif
  :: break
  od
}

active proctype poller() {
  bool found, late, taken, free_to_wait;
  byte times = 0;
  do
  :: times < 2 ->                   /* for a while: it leaves the kernel whatever it finds */
     times++;
     scan(found, late);
     leave_kernel(late);
     if
     :: found -> found_by_any = true
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
        scan(found, late);
        leave_kernel(late);
#endif
        if
        :: !found ->
           do
           :: scan(found, late);
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
     :: found -> found_by_any = true
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
