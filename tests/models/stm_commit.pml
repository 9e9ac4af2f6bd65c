/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How transactions read and commit: versions, locks, the clock, validation.
 * Implemented in include/nopal/detail/stm/transaction_core.hpp and
 * src/stm/transaction_core.cpp and commit.cpp.
 *
 * Modelled: TRANSACTIONS transactions with ATTEMPTS attempts each read both of
 * two locations in any order, and write neither, one or both. A location has a
 * lock, which is its version or says who holds it. What is written is the
 * version of the commit, so that each value says which commit it comes from.
 *
 * Abstracted: what wakes or frees (stm_wait.pml, stm_reclaim.pml), the token
 * (stm_token.pml); an attempt that finds a lock held ends. Memory is
 * sequentially consistent: each pair of accesses whose order counts is a
 * release and an acquire, so that what they order is the order of the steps
 * here. The mutations that swap two steps stand for an order that is missing.
 *
 * Checked: at every read, of an attempt that fails too, all that the attempt
 * has read was there at one moment; and what a commit that writes has read is
 * what was there right before it.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_NO_FIRST_LOOK           a read takes any version
 *   MUTATION_NO_SECOND_LOOK          a read does not look at the lock again
 *   MUTATION_CLOCK_BEFORE_LOCKS      a commit advances the clock, then locks
 *   MUTATION_VALIDATED_BEFORE_LOCKS  a commit validates, then locks
 *   MUTATION_LOCKED_IS_VALID         validation accepts a lock that is held
 *   MUTATION_RELEASED_BEFORE_DATA    a commit gives locks back, then writes
 *   MUTATION_OLD_VERSION             locks get their old versions back
 *   MUTATION_SKIPPED_TOO_OFTEN       no validation if one other committed
 *   MUTATION_EXTENDED_LATE           an extension validates, then reads the clock
 *   MUTATION_NOT_VALIDATED           an extension does not validate
 */

#ifndef TRANSACTIONS
#define TRANSACTIONS 2
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 2
#endif

#define HELD 100                /* HELD + me: held by this transaction */
#define is_held(w) ((w) >= HELD)

byte clock;
byte lock[2];
byte value[2];

/* Ghost: the versions at which each location was written, as bits. */
short written[2];

#define bit(v) (1 << (v))
/* No commit has written location l after version v and up to version u. */
#define is_latest(l, v, u) ((written[l] & (bit((u) + 1) - bit((v) + 1))) == 0)

/* Has this attempt read what was there at one moment? */
inline check_snapshot()
{
    d_step {
        if
        :: has_read[0] && has_read[1] ->
            if
            :: got[0] > got[1] -> assert(is_latest(1, got[1], got[0]))
            :: else -> assert(is_latest(0, got[0], got[1]))
            fi
        :: else
        fi
    }
}

/* Looks at the lock of location l, where it has been read. */
inline validate(l)
{
    atomic {
        if
        :: has_read[l] ->
            if
            :: lock[l] <= version
            :: lock[l] == HELD + me && before[l] <= version
#ifdef MUTATION_LOCKED_IS_VALID
            :: is_held(lock[l])
#endif
            :: else -> fails = true
            fi
        :: else
        fi
    }
}

inline take_lock(l)
{
    atomic {
        if
        :: writes[l] && !is_held(lock[l]) -> before[l] = lock[l]; lock[l] = HELD + me
        :: writes[l] && is_held(lock[l]) -> fails = true
        :: else
        fi
    }
}

inline give_lock(l, v)
{
    atomic {
        if
        :: writes[l] && lock[l] == HELD + me -> lock[l] = v
        :: else
        fi
    }
}

inline advance()
{
    d_step {
        clock++;
        commit = clock;
        if :: writes[0] -> written[0] = written[0] | bit(commit) :: else fi;
        if :: writes[1] -> written[1] = written[1] | bit(commit) :: else fi
    }
}

inline store(l)
{
    if
    :: writes[l] -> value[l] = commit
    :: else
    fi
}

proctype transaction(byte me)
{
    byte version, commit, seen, now, l, attempt;
    byte got[2], before[2];
    bool has_read[2], writes[2];
    bool fails;

again:
    atomic {
        fails = false; commit = 0; seen = 0; now = 0;
        has_read[0] = false; has_read[1] = false;
        writes[0] = false; writes[1] = false;
        got[0] = 0; got[1] = 0; before[0] = 0; before[1] = 0;
        attempt++
    };
    if
    :: attempt > ATTEMPTS -> goto leave
    :: else
    fi;
    version = clock;
    if
    :: l = 0
    :: l = 1
    fi;

read:
    seen = lock[l];
#ifndef MUTATION_NO_FIRST_LOOK
    if
    :: is_held(seen) -> goto again
    :: seen > version && !is_held(seen) ->
#ifdef MUTATION_EXTENDED_LATE
        validate(0);
        validate(1);
        now = clock;
#else
        now = clock;
#ifndef MUTATION_NOT_VALIDATED
        validate(0);
        validate(1);
#endif
#endif
        if
        :: fails -> goto again
        :: else -> version = now; goto read
        fi
    :: else
    fi;
#endif
    got[l] = value[l];
#ifndef MUTATION_NO_SECOND_LOOK
    if
    :: lock[l] != seen -> goto read
    :: else
    fi;
#endif
    has_read[l] = true;
    check_snapshot();
    if
    :: !has_read[1 - l] -> l = 1 - l; goto read
    :: else
    fi;

    if
    :: goto again                       /* it has only read */
    :: writes[0] = true
    :: writes[1] = true
    :: d_step { writes[0] = true; writes[1] = true }
    fi;

#ifdef MUTATION_CLOCK_BEFORE_LOCKS
    advance();
#endif
#ifdef MUTATION_VALIDATED_BEFORE_LOCKS
    validate(0);
    validate(1);
#endif
    take_lock(0);
    take_lock(1);
    if
    :: fails -> goto give_up
    :: else
    fi;
#ifndef MUTATION_CLOCK_BEFORE_LOCKS
    advance();
#endif
#ifndef MUTATION_VALIDATED_BEFORE_LOCKS
    if
    :: commit == version + 1
#ifdef MUTATION_SKIPPED_TOO_OFTEN
    :: commit == version + 2
#endif
    :: else ->
        validate(0);
        validate(1)
    fi;
#endif
    if
    :: fails -> goto give_up
    :: else
    fi;
    d_step {
        assert(is_latest(0, got[0], commit - 1));
        assert(is_latest(1, got[1], commit - 1))
    };
#ifdef MUTATION_OLD_VERSION
    store(0);
    store(1);
    give_lock(0, before[0]);
    give_lock(1, before[1]);
#else
#ifdef MUTATION_RELEASED_BEFORE_DATA
    give_lock(0, commit);
    give_lock(1, commit);
    store(0);
    store(1);
#else
    store(0);
    store(1);
    give_lock(0, commit);
    give_lock(1, commit);
#endif
#endif
    goto again;

give_up:
    atomic {                            /* it has written nothing */
        if
        :: commit != 0 ->
            written[0] = written[0] & ~bit(commit);
            written[1] = written[1] & ~bit(commit)
        :: else
        fi
    };
    give_lock(0, before[0]);
    give_lock(1, before[1]);
    goto again;

leave:
    skip
}

init
{
    atomic {
        byte i;
        for (i : 0 .. TRANSACTIONS - 1) { run transaction(i) }
    }
}
