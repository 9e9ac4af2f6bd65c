/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forks of a scope that are left to all workers: a list, of which one entry is in an inbox.
 * Implemented in src/scheduler/leave_in_scope.cpp.
 *
 * Modelled: ADDERS that leave a fork each, ROUNDS times, and TAKERS that take the entry from the
 * inbox, take one fork, and put the entry back if others are left. A fork may be left again once
 * it has begun.
 *
 * Abstracted: the inbox is a flag; memory is sequentially consistent.
 *
 * Checked: the entry is in the inbox once at most; nobody writes it while it is there; each fork
 * begins once; all begin (else an invalid end state).
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_EACH_PUTS        whoever leaves a fork puts the entry into the inbox, always
 *   MUTATION_NOT_PUT_BACK     whoever has taken a fork never puts the entry back
 *   MUTATION_PUT_BACK_FIRST   the entry is put back before a fork is taken
 *   MUTATION_PUT_BACK_EMPTY   the entry is put back though the list is empty
 *   MUTATION_TAKEN_BY_STORE   a fork is taken by a load and a store
 */

#ifndef ADDERS
#define ADDERS 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define TAKERS 2
#define NONE ADDERS

byte newest = NONE;
byte next[ADDERS];
bool in_inbox;

/* Ghosts. */
bool is_left[ADDERS];
byte begun;

inline put_entry() {
    assert(!in_inbox);
    in_inbox = true
}

proctype adder(byte me)
{
    byte seen, round;

    do
    :: round == ROUNDS -> break
    :: else ->
        atomic { !is_left[me]; is_left[me] = true };
        seen = newest;
        do
        :: next[me] = seen;
           atomic {
               if
               :: newest == seen -> newest = me; break
               :: else -> seen = newest
               fi
           }
        od;
        round++;
#ifdef MUTATION_EACH_PUTS
        atomic { put_entry() }
#else
        atomic {
            if
            :: seen == NONE -> put_entry()
            :: else
            fi
        }
#endif
    od
}

active [TAKERS] proctype taker()
{
    byte one;
    bool more;

end:
    do
    :: atomic { in_inbox -> in_inbox = false };
#ifdef MUTATION_PUT_BACK_FIRST
        atomic { put_entry() };
#endif
        one = newest;
        assert(one != NONE);
        do
        :: true ->
#ifdef MUTATION_TAKEN_BY_STORE
            newest = next[one]; break
#else
            atomic {
                if
                :: newest == one -> newest = next[one]; break
                :: else -> one = newest
                fi
            }
#endif
        od;
        more = (next[one] != NONE);
#if !defined(MUTATION_NOT_PUT_BACK) && !defined(MUTATION_PUT_BACK_FIRST)
#ifdef MUTATION_PUT_BACK_EMPTY
        more = true;
#endif
        if
        :: more -> atomic { put_entry() }
        :: else
        fi;
#endif
        atomic {
            assert(is_left[one]);
            is_left[one] = false;
            begun++
        }
    od
}

init {
    byte i;
    atomic {
        for (i : 0 .. ADDERS - 1) { run adder(i) }
    };
    begun == ADDERS * ROUNDS
}
