/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A channel from several ranks to one. Implemented in src/mpi/channels.cpp and
 * include/nopal/detail/mpi/channel_calls.hpp.
 *
 * Modelled: SENDERS ranks, each with a strand that sends ELEMENTS elements and then
 * closes, a strand that may close at any time, and a thread that takes letters; and a
 * rank with two strands that receive, of which one may close early, and a thread that takes
 * letters. A sender may throw once, when it has a credit. Letters of one rank to another come
 * in order, those of several ranks in any. Each rank makes its end at any moment.
 *
 * Abstracted: what is sent by the rank that receives needs no letter; what the mutex
 * of an end guards is atomic, and so are semaphores and channels of one process
 * (channel_select.pml); limits, which end a wait that has taken nothing; letters of a
 * rank whose handles are gone, which has closed before; the end of the world, which
 * closes early and at any time.
 *
 * Checked: elements of a rank are received in order, and once; no more than the
 * capacity have been sent and not received, and an element that comes has room; unless
 * the channel was closed early all that was sent is received; unless somebody else closes,
 * each rank sends all; and everybody goes on.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_CREDIT_TWICE       an element gives back a credit, and so does its batch
 *   MUTATION_CREDIT_EARLY       a credit is given back for an element that has come
 *   MUTATION_CREDITS_KEPT       the last credits of a window are not given back
 *   MUTATION_CREDIT_LOST        a sender that throws keeps its credit
 *   MUTATION_CLOSE_OVERTAKES    an element is sent after a look whether it is closed
 *   MUTATION_WAITERS_LEFT       whoever waits for a credit is not told of a close
 *   MUTATION_CLOSED_BY_FIRST    the first rank that closes ends the channel
 *   MUTATION_REST_LOST          a close drops what has not been received
 *   MUTATION_EARLY_UNTOLD       who closes early tells nobody
 *   MUTATION_EARLY_PUT          an element that comes after that is put into the channel
 *   MUTATION_DROPPED            a letter that comes before the end was made is dropped
 */

#ifndef SENDERS
#define SENDERS 1
#endif
#ifndef WINDOW
#define WINDOW 3
#endif
#ifndef ELEMENTS
#define ELEMENTS 6
#endif
#define CAPACITY (SENDERS * WINDOW)
#ifdef MUTATION_CREDITS_KEPT
#define BATCH (WINDOW + 1)
#else
#define BATCH ((WINDOW + 1) / 2)
#endif

mtype = { element, credit, closed };
chan to_receiver[SENDERS] = [WINDOW + 1] of { mtype, byte };
chan to_sender[SENDERS] = [ELEMENTS + 1] of { mtype, byte };

/* The ranks that send. */
bool made[SENDERS];
byte credits[SENDERS] = WINDOW;
bool is_closed[SENDERS];
/* The rank that receives. */
bool made_there;
chan elements = [CAPACITY] of { byte, byte };
bool is_over;                   /* its channel of elements is closed */
bool is_receiving = true;
byte senders = SENDERS;         /* that have not closed */
byte owed[SENDERS];

/* Ghosts. */
byte sent[SENDERS], taken[SENDERS], received[SENDERS];
byte on_the_way;                /* sent, and not received */
bool closed_early, closed_between;
bool may_throw = true;
byte done;                      /* strands */

inline post_closed(r)
{
    is_closed[r] = true;
    to_receiver[r]!closed(0)
}

proctype sending(byte r)
{
    made[r] = true;
    do
    :: sent[r] < ELEMENTS ->
        atomic {
#ifdef MUTATION_WAITERS_LEFT
            credits[r] > 0;
#else
            credits[r] > 0 || is_closed[r];
#endif
            if
            :: is_closed[r] -> skip    /* there is no end of credits */
            :: else -> credits[r]--
            fi
        }
        if
        :: atomic { may_throw ->
            may_throw = false;
#ifndef MUTATION_CREDIT_LOST
            credits[r]++
#endif
           }
        :: atomic { !is_closed[r] ->
#ifdef MUTATION_CLOSE_OVERTAKES
            skip
           }
           atomic {
#endif
            to_receiver[r]!element(sent[r]);
            sent[r]++;
            on_the_way++;
            assert(on_the_way <= CAPACITY)
           }
        :: is_closed[r] -> break
        fi
    :: else -> break
    od;
    atomic {
        if
        :: !is_closed[r] -> post_closed(r)
        :: else
        fi;
        done++
    }
}

/* Another strand of the rank. */
proctype closing(byte r)
{
    if
    :: atomic { made[r] && !is_closed[r] -> closed_between = true; post_closed(r); done++ }
    :: done++
    fi
}

proctype letters_to_sender(byte r)
{
    byte n;
end:
    do
    :: atomic { made[r] && nempty(to_sender[r]) ->
        if
        :: to_sender[r]?credit(n) ->
            if
            :: !is_closed[r] -> credits[r] = credits[r] + n
            :: else
            fi
        :: to_sender[r]?closed(_) -> is_closed[r] = true
        fi;
        n = 0 }
#ifdef MUTATION_DROPPED
    :: atomic { !made[r] && nempty(to_sender[r]) -> to_sender[r]?_, _ }
#endif
    od
}

inline give_back(r, n)
{
    to_sender[r]!credit(n)
}

inline hand_on(r)
{
    if
    :: to_receiver[r]?element(n) ->
        if
#ifdef MUTATION_EARLY_PUT
        :: true ->
#else
        :: is_receiving ->
#endif
            assert(nfull(elements) && !is_over);
            elements!r, n;
#ifdef MUTATION_CREDIT_EARLY
            give_back(r, 1)
#endif
        :: else
        fi
    :: to_receiver[r]?closed(_) ->
        senders--;
#ifdef MUTATION_CLOSED_BY_FIRST
        is_over = true
#else
        is_over = is_over || senders == 0
#endif
    fi;
    n = 0
}

proctype letters_to_receiver()
{
    byte n;
end:
    do
    :: atomic { made_there && nempty(to_receiver[0]) -> hand_on(0) }
#if SENDERS > 1
    :: atomic { made_there && nempty(to_receiver[1]) -> hand_on(1) }
#endif
#ifdef MUTATION_DROPPED
    :: atomic { !made_there && nempty(to_receiver[0]) -> to_receiver[0]?_, _ }
#endif
    od
}

proctype receiving(bool may_close)
{
    byte from;
    byte n;
    bool closes;
    atomic {
        made_there = true;
        if
        :: may_close -> closes = true
        :: true
        fi
    };
    do
    :: atomic { nempty(elements) ->
        elements?from, n;
        assert(n == taken[from]);
        taken[from]++;
        n = 0 }
       atomic {
        received[from]++;
        on_the_way--;
        if
        :: is_receiving ->
            owed[from]++;
#ifdef MUTATION_CREDIT_TWICE
            give_back(from, 1);
#endif
#ifdef MUTATION_CREDIT_EARLY
            owed[from] = 0;
#endif
            if
            :: owed[from] >= BATCH -> give_back(from, owed[from]); owed[from] = 0
            :: else
            fi
        :: else
        fi;
        from = 0 }
#ifdef MUTATION_REST_LOST
    :: is_over -> break
#else
    :: atomic { is_over && empty(elements) -> break }
#endif
    :: atomic { closes && is_receiving ->
        is_receiving = false;
        is_over = true;
        closed_early = true;
        do
        :: elements?_, _ -> on_the_way--
        :: empty(elements) -> break
        od;
#ifndef MUTATION_EARLY_UNTOLD
        do
        :: n < SENDERS -> to_sender[n]!closed(0); n++
        :: else -> break
        od;
        n = 0
#endif
       }
    od;
    done++
}

init
{
    byte r;
    atomic {
        do
        :: r < SENDERS ->
            run sending(r);
            run closing(r);
            run letters_to_sender(r);
            r++
        :: else -> break
        od;
        run letters_to_receiver();
        run receiving(false);
        run receiving(true);
        r = 0
    }
    done == 2 * SENDERS + 2;
    do
    :: r < SENDERS ->
        assert(closed_early || received[r] == sent[r]);
        assert(closed_early || closed_between || sent[r] == ELEMENTS);
        r++
    :: else -> break
    od
}
