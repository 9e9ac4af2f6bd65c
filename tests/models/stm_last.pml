/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last version of an object: who may destroy it, and what others find.
 * Implemented in src/stm/transaction_core.cpp: add_destroyed(),
 * give_last_version(), meet_destroyed(); src/stm/commit.cpp: take_locks(),
 * mark_last().
 *
 * Modelled: TRANSACTIONS transactions with ATTEMPTS attempts each, an object
 * with a lock of its own, and the only pointer to it, with a lock as well. An
 * attempt does one of the following.
 *   It reads the pointer, and ends if that is null. Else it reads the object,
 *   or it destroys the object, before which it may write to it, and sets the
 *   pointer to null.
 *   With KEPT, for a program that has kept a pointer to the object: it destroys
 *   the object without a look at the pointer, and may write to it before; or it
 *   only writes to it.
 *
 * Abstracted: an attempt that finds a lock held ends; how a version is extended
 * (stm_commit.pml): an attempt that meets a newer version ends. Memory is
 * sequentially consistent, as in stm_commit.pml.
 *
 * Checked: the object is destroyed once; without KEPT no transaction takes what
 * it meets for a mistake of the program; and an object that has been destroyed
 * keeps its mark.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_NOT_MARKED          a commit gives the lock back with no mark
 *   MUTATION_ONE_LOOK            a commit does not look for the mark again
 *   MUTATION_OWN_NOT_LOOKED_AT   nor where it has the lock already
 *   MUTATION_OWN_NOT_MARKED      nor marks the lock where it has it already
 *   MUTATION_MARK_LOST           a late write gives the lock back with no mark
 *   MUTATION_ANY_IS_MISTAKE      a newer mark counts as a mistake of the program
 */

#ifndef TRANSACTIONS
#define TRANSACTIONS 2
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 2
#endif

#define HELD 128                /* HELD + me: held by this transaction */
#define LAST 64                 /* the mark */
#define is_held(w) ((w) >= HELD)
#define is_last(w) (!is_held(w) && (w) >= LAST)
#define version_in(w) ((w) % LAST)

#define POINTER 0
#define OBJECT 1

byte clock;
byte lock[2];
bool reachable = true;
byte destroyed;                 /* ghost: by how many commits */

/* Reads the lock of location l as a read or destroy does, and ends the attempt
 * that cannot go on. */
inline look(l)
{
    seen = lock[l];
    if
    :: is_held(seen) -> goto again
    :: is_last(seen) ->
#ifndef MUTATION_ANY_IS_MISTAKE
        if
        :: version_in(seen) > version -> goto again
        :: else
        fi;
#endif
        /* std::logic_error */
#ifndef KEPT
        assert(false);
#endif
        goto again
    :: !is_held(seen) && !is_last(seen) && seen > version -> goto again
    :: else
    fi
}

/* Takes the lock of location l for a write. */
inline take(l, destroying)
{
    atomic {
        if
        :: lock[l] == HELD + me ->      /* a write to the same object came first */
            if
            :: destroying ->
#ifndef MUTATION_OWN_NOT_LOOKED_AT
                if
                :: is_last(before[l]) -> fails = true
                :: else
                fi;
#endif
#ifndef MUTATION_OWN_NOT_MARKED
                mark[l] = LAST
#else
                skip
#endif
            :: else
            fi
        :: is_held(lock[l]) && lock[l] != HELD + me -> fails = true
        :: else ->
            if
#ifndef MUTATION_ONE_LOOK
            :: destroying && is_last(lock[l]) -> fails = true
            :: !(destroying && is_last(lock[l])) ->
#else
            :: true ->
#endif
                before[l] = lock[l];
                mark[l] = 0;
                if
#ifndef MUTATION_NOT_MARKED
                :: destroying -> mark[l] = LAST
#endif
#ifndef MUTATION_MARK_LOST
                :: !destroying && is_last(lock[l]) -> mark[l] = LAST
#endif
                :: else
                fi;
                lock[l] = HELD + me;
                has[l] = true
            fi
        fi
    }
}

inline give_back(l, w)
{
    atomic {
        if
        :: has[l] -> has[l] = false; lock[l] = w
        :: else
        fi
    }
}

proctype transaction(byte me)
{
    byte version, commit, seen, attempt;
    byte before[2], mark[2];
    bool has[2];
    bool found, destroys, writes, reads_pointer, fails;

again:
    atomic {
        commit = 0; seen = 0; found = false; fails = false;
        destroys = false; writes = false; reads_pointer = false;
        before[0] = 0; before[1] = 0; mark[0] = 0; mark[1] = 0;
        attempt++
    };
    if
    :: attempt > ATTEMPTS -> goto leave
    :: else
    fi;
    version = clock;
    if
    :: reads_pointer = true
#ifdef KEPT
    :: destroys = true
    :: d_step { destroys = true; writes = true }
    :: writes = true
#endif
    fi;
    if
    :: reads_pointer ->
        look(POINTER);
        found = reachable;
        if
        :: lock[POINTER] != seen -> goto again
        :: else
        fi;
        if
        :: !found -> goto again
        :: else
        fi;
        if
        :: look(OBJECT); goto again     /* it only reads the object */
        :: destroys = true
        :: d_step { destroys = true; writes = true }
        fi
    :: else
    fi;
    if
    :: destroys ->                      /* give_last_version() */
        seen = lock[OBJECT];
        if
        :: is_last(seen) -> look(OBJECT)
        :: else
        fi
    :: else
    fi;

    if
    :: writes -> take(OBJECT, false)
    :: else
    fi;
    if
    :: destroys && !fails -> take(OBJECT, true)
    :: else
    fi;
    if
    :: reads_pointer && !fails -> take(POINTER, false)
    :: else
    fi;
    if
    :: fails -> goto give_up
    :: else
    fi;
    d_step { clock++; commit = clock };
    if
    :: reads_pointer && before[POINTER] > version -> goto give_up
    :: else
    fi;
    if
    :: reads_pointer -> reachable = false
    :: else
    fi;
    d_step {
        if
        :: destroys -> destroyed++; assert(destroyed == 1)
        :: else
        fi
    };
    give_back(OBJECT, commit + mark[OBJECT]);
    give_back(POINTER, commit + mark[POINTER]);
    goto again;

give_up:
    give_back(OBJECT, before[OBJECT]);
    give_back(POINTER, before[POINTER]);
    goto again;

leave:
    atomic {
        if
        :: destroyed == 1 && !is_held(lock[OBJECT]) -> assert(is_last(lock[OBJECT]))
        :: else
        fi
    }
}

init
{
    atomic {
        byte i;
        for (i : 0 .. TRANSACTIONS - 1) { run transaction(i) }
    }
}
