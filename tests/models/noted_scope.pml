/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scopes that are noted beside the slots of a deque.
 * Implemented in include/nopal/detail/deque/deque_asymmetric.hpp (set_scope(), push_slowly(),
 * take_at()) and src/deque/deque_asymmetric.cpp (note_scopes()).
 *
 * Modelled: an owner that makes STEPS steps, each a push, a pop, the begin of a scope or its end,
 * as functions do that are nested in each other; and a thief. The deque is that of
 * deque_asymmetric.pml, as far as it is needed here: a pop of what a thief wants is a
 * compare-and-swap of top.
 *
 * Abstracted: the thief's fence is one step with its announcement; the array does not grow;
 * memory is sequentially consistent.
 *
 * Checked: whoever takes an element gets the scope in which it was pushed; N1 of docs/stop.md at
 * each push.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_UNNOTED_BEGIN    the limit stays when a scope begins
 *   MUTATION_UNNOTED_END      the limit stays when a scope ends
 *   MUTATION_UNNOTED_LIMIT    nothing is noted when the limit is raised
 *   MUTATION_ONE_TOO_FEW      the position at bottom is left out
 *   MUTATION_NOTED_FROM_TOP   what is there already is noted anew
 *   MUTATION_READ_AFTER       the thief loads the scope after its compare-and-swap
 */

#ifndef STEPS
#define STEPS 6
#endif
#define SIZE  4     /* slots; positions are taken modulo SIZE */
#define AHEAD 2
#define DEPTH 3     /* of functions */

byte top, bottom;
byte wanted;        /* one more than the newest position that the thief wants */
byte limit;
byte scope;
byte noted[SIZE];

/* Ghosts. */
byte pushed_in[SIZE];

inline note() {
    /* The deque has SIZE slots from top on, of which AHEAD are noted. */
    limit = (bottom + AHEAD < top + SIZE -> bottom + AHEAD : top + SIZE);
#ifdef MUTATION_NOTED_FROM_TOP
    i = top;
#elif defined(MUTATION_ONE_TOO_FEW)
    i = bottom + 1;
#else
    i = bottom;
#endif
    do
    :: i < limit -> noted[i % SIZE] = scope; i++
    :: else -> break
    od;
    i = 0
}

active proctype owner()
{
    byte i, steps, scopes, depth;
    /* What the functions that are nested have done: 1 has forked, 2 has begun a scope. */
    byte done[DEPTH];
    byte at[DEPTH];         /* the position, or the scope around */

    atomic { limit = SIZE };
    do
    :: steps < STEPS && depth < DEPTH ->           /* fork */
        steps++;
        atomic {
            if
            :: bottom >= limit ->
#ifdef MUTATION_UNNOTED_LIMIT
                limit = top + SIZE
#else
                note()
#endif
            :: else
            fi
        };
        if
        :: bottom < limit ->
            atomic {
                assert(noted[bottom % SIZE] == scope);
                pushed_in[bottom % SIZE] = scope
            };
            done[depth] = 1;
            at[depth] = bottom;
            depth++;
            bottom++
        :: else                                    /* it is full */
        fi
    :: steps < STEPS && depth < DEPTH ->           /* a scope begins */
        steps++;
        done[depth] = 2;
        at[depth] = scope;
        depth++;
        scopes++;
        scope = scopes;
#ifndef MUTATION_UNNOTED_BEGIN
        limit = bottom
#endif
    :: depth > 0 && done[depth - 1] == 2 ->        /* a scope ends */
        depth--;
        scope = at[depth];
#ifndef MUTATION_UNNOTED_END
        limit = bottom
#endif
    :: depth > 0 && done[depth - 1] == 1 ->        /* join */
        depth--;
        bottom = at[depth];
        if
        :: wanted > bottom ->
            atomic {
                if
                :: top == bottom -> top = bottom + 1; bottom = top      /* taken */
                :: top > bottom -> bottom = top                         /* stolen */
                :: top < bottom
                fi
            }
        :: else
        fi
    :: steps == STEPS && depth == 0 -> break
    od
}

active proctype thief()
{
    byte t, b, its;

end:
    do
    :: top < bottom ->
       t = top;
       atomic { wanted = t + 1 };
       b = bottom;
       if
       :: t < b ->
#ifndef MUTATION_READ_AFTER
           its = noted[t % SIZE];
#endif
           atomic {
               if
               :: top == t ->
                   top = t + 1;
#ifndef MUTATION_READ_AFTER
                   assert(its == pushed_in[t % SIZE]);
#else
                   b = pushed_in[t % SIZE];
#endif
                   t = 0; its = 0
               :: else
               fi
           };
#ifdef MUTATION_READ_AFTER
           its = noted[t % SIZE];
           assert(its == b);
#endif
       :: else
       fi
    od
}
