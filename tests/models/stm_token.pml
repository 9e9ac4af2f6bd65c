/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The token: a transaction that has it commits, and no other does meanwhile.
 * Implemented in src/stm/token.cpp and token.hpp, and in begin() and
 * enter_commit(), src/stm/commit.cpp.
 *
 * Modelled: transaction 0 and, with ASKERS=2, also transaction 1 ask for the
 * token; the others commit, each ROUNDS times, or (ENDLESS) again and again. A
 * transaction that commits announces that by a store, which lies in its store
 * buffer until that empties: at any time, or when the one that has taken the
 * token executes its process-wide fence. Then it looks at the token, and waits
 * in line where it is taken.
 *
 * Abstracted: the mutex of the line is one step; what a commit does.
 *
 * Checked: while a transaction has the token, and has looked at all, no other
 * is in its commit; nobody waits for ever (the model ends); and with weak
 * fairness those that ask get the token though others commit endlessly.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_TOKEN_IGNORED     a transaction commits though it is taken
 *   MUTATION_ANNOUNCED_LATE    it looks at the token, then announces itself
 *   MUTATION_NO_HEAVY_FENCE    the holder looks at the others without a fence
 *   MUTATION_NO_DRAIN          the holder does not look at the others
 *   MUTATION_NOBODY_WOKEN      the holder gives the token back and wakes nobody
 *   MUTATION_FREE_AND_HANDED   the token is handed over and marked as free
 *   MUTATION_LOOKED_OUTSIDE    whoever waits in line does not look again whether
 *                              the token is taken
 */

#ifndef TRANSACTIONS
#define TRANSACTIONS 3
#endif
#ifndef ASKERS
#define ASKERS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

#define asks(i) ((i) < ASKERS)

bool taken;
bool announced[TRANSACTIONS];
bool on_its_way[TRANSACTIONS];  /* the announcement is in the store buffer */
chan line = [TRANSACTIONS] of { byte };
bool woken[TRANSACTIONS];

/* Ghosts. */
bool commits[TRANSACTIONS];
bool is_alone;                  /* somebody has the token and has looked at all */
byte got_token;

inline flush_all()
{
    d_step {
        k = 0;
        do
        :: k == TRANSACTIONS -> break
        :: else ->
            if :: on_its_way[k] -> announced[k] = true; on_its_way[k] = false :: else fi;
            k++
        od;
        k = 0
    }
}

inline wait_in_line()
{
#ifdef MUTATION_LOOKED_OUTSIDE
    seen = taken;
#else
    atomic {                    /* with the mutex */
        seen = taken;
#endif
        if
        :: seen -> line!me
        :: !seen && asks(me) -> taken = true
        :: else
        fi
#ifndef MUTATION_LOOKED_OUTSIDE
    }
#endif
    ;
    if
    :: seen -> woken[me]; woken[me] = false
    :: else
    fi
}

inline give_back()
{
    atomic {                    /* with the mutex */
#ifdef MUTATION_NOBODY_WOKEN
        taken = false;
#else
        handed_over = false;
        do
        :: !handed_over && nempty(line) ->
            line?k;
            woken[k] = true;
            handed_over = asks(k)
        :: else -> break
        od;
        k = 0;
#ifdef MUTATION_FREE_AND_HANDED
        taken = false;
#else
        if
        :: !handed_over -> taken = false
        :: else
        fi;
#endif
        handed_over = false
#endif
    }
}

proctype asker(byte me)
{
    byte k;
    bool seen, handed_over;

    wait_in_line();
#ifndef MUTATION_NO_HEAVY_FENCE
    flush_all();
#endif
#ifndef MUTATION_NO_DRAIN
    k = 0;
    do
    :: k == TRANSACTIONS -> break
    :: else -> !announced[k]; k++
    od;
    k = 0;
#endif
    d_step {
        assert(!is_alone && !commits[TRANSACTIONS - 1] && !commits[TRANSACTIONS - 2]);
        is_alone = true
    };
    d_step { is_alone = false; got_token++ };
    give_back()
}

proctype committer(byte me)
{
    byte round;
    bool seen;

#ifdef ENDLESS
end:
#endif
again:
#ifndef ENDLESS
    if
    :: round == ROUNDS -> goto leave
    :: else
    fi;
#endif
#ifdef MUTATION_ANNOUNCED_LATE
    seen = taken;
    on_its_way[me] = true;
#else
    on_its_way[me] = true;
#ifdef MUTATION_TOKEN_IGNORED
    seen = false;
#else
    seen = taken;
#endif
#endif
    if
    :: !seen ->
        d_step { assert(!is_alone); commits[me] = true };
        d_step { assert(!is_alone); commits[me] = false }
    :: else
    fi;
    atomic { !on_its_way[me] -> announced[me] = false };    /* in the order of its stores */
    if
    :: seen -> wait_in_line()
    :: else -> round++
    fi;
#ifdef ENDLESS
    round = 0;
#endif
    goto again;

leave:
    skip
}

proctype buffers()
{
    byte k;

end:
    do
    :: on_its_way[TRANSACTIONS - 1] || on_its_way[TRANSACTIONS - 2] -> flush_all()
    od
}

init
{
    atomic {
        byte i;
        for (i : 0 .. TRANSACTIONS - 1) {
            if
            :: asks(i) -> run asker(i)
            :: else -> run committer(i)
            fi
        }
        run buffers()
    }
}

#ifdef LIVENESS
ltl askers_get_it { <> (got_token == ASKERS) }
#endif
