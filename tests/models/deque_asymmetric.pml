/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default deque: Chase-Lev, with the fence of pop moved to the thief.
 * Implemented in include/nopal/detail/deque_asymmetric.hpp.
 *
 * Modelled: x86-TSO. The owner's plain stores go to a FIFO store buffer and
 * reach memory at any later moment; its loads do not wait for them. `top` and
 * `wanted` are written by locked compare-and-swap only, so thieves need no
 * store buffer.
 * The array is circular and the owner replaces it once by one of twice the
 * size; the old array stays readable. The owner pushes and pops in every
 * properly nested order, THIEVES thieves steal as often as they like. The
 * owner pops at the position of the push or at the end, as it likes: after
 * steals the two differ, as for a strand that left the worker and came back.
 * It also takes the oldest element itself, as before it waits for another
 * runtime.
 *
 * Abstracted: elements are numbers; indices do not overflow; machines that
 * also reorder stores with stores or loads with loads (there the release and
 * acquire orders in the source do what TSO does by itself).
 *
 * Checked: no element is taken twice and none is lost; a successful pop gives
 * the element pushed last; a failed pop means that this element and all that
 * were pushed before it have been stolen; a slot is never read before it is
 * written.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_NO_HEAVY_FENCE       the thief leaves out the heavy fence
 *   MUTATION_PEEK_ONLY            the thief trusts the bottom read before it
 *   MUTATION_NO_LAST_CAS          the owner takes the last element without CAS
 *                                 even where a thief has announced that it wants it
 *   MUTATION_NO_ANNOUNCEMENT      the thief does not announce what it wants
 *   MUTATION_ANNOUNCED_LATE       it does after the heavy fence
 *   MUTATION_ANNOUNCED_OVER       it does even where another thief wants a later one
 *   MUTATION_WANTED_READ_EARLY    pop's load of wanted moves above its store
 *   MUTATION_NO_COMPILER_BARRIER  pop's load of top moves above its store
 *   MUTATION_ARRAY_BEFORE_BOTTOM  the thief reads the array pointer too early
 *   MUTATION_PUBLISH_BEFORE_COPY  growth publishes the new array before filling it
 *   MUTATION_BOTTOM_LEFT_BEHIND   a pop that fails leaves bottom where the push was
 *   MUTATION_OLDEST_WITHOUT_CAS   the owner takes the oldest element without CAS
 */

#ifndef PUSHES
#define PUSHES 3                /* elements are 1 .. PUSHES */
#endif
#ifndef THIEVES
#define THIEVES 2
#endif
#ifndef BUFFER
#define BUFFER 4                /* a full store buffer stalls the owner */
#endif
#define SMALL_SIZE 2            /* slots before growth, twice as many after */

/* Addresses of the words that the owner writes with plain stores. */
#define BOTTOM 0
#define ARRAY 1                 /* 0: the small array, 1: the large one */
#define SLOT(array, index) (2 + (array) * SMALL_SIZE + (index) % (SMALL_SIZE * (1 + (array))))
#define WORDS (2 + 3 * SMALL_SIZE)

byte memory[WORDS];
byte top;
byte wanted;                    /* one past the newest position that a thief has tried to take */
chan store_buffer = [BUFFER] of { byte, byte };

/* What has been taken, as a bit set: only the specification reads it. */
byte taken;
#define bit_of(element) (1 << ((element) - 1))
#define is_taken(element) (taken & bit_of(element))

inline take(element)
{
    assert(element != 0);       /* else the slot was read before it was written */
    assert(!is_taken(element));
    taken = taken | bit_of(element)
}

/* The hardware: the oldest store becomes visible. */
active proctype memory_system()
{
    byte address, value;
end_flush:
    do
    :: d_step { store_buffer ? address, value -> memory[address] = value; address = 0; value = 0 }
    od
}

/* The owner alone writes these words, so forwarding from its store buffer
   always gives it the value that it stored last: its own copy. */
#define own_bottom own[BOTTOM]
#define own_array own[ARRAY]

inline store(address, value)
{
    d_step { store_buffer ! address, value; own[address] = value }
}

active proctype owner()
{
    byte own[WORDS];
    byte pushed;                /* how many so far */
    byte open[PUSHES];          /* pushed, not yet popped: the forks still open */
    byte position[PUSHES];      /* where they were pushed */
    byte depth;
    byte b, t, w, i, element;
    bool won;

    do
    :: pushed < PUSHES && depth < 2 * SMALL_SIZE ->     /* push */
        d_step { pushed++; open[depth] = pushed; position[depth] = own_bottom; depth++; t = top };
        if
        :: own_array == 0 && own_bottom - t >= SMALL_SIZE ->
#ifdef MUTATION_PUBLISH_BEFORE_COPY
            store(ARRAY, 1);
#endif
            i = t;
            do
            :: i < own_bottom -> store(SLOT(1, i), own[SLOT(0, i)]); i++
            :: else -> break
            od;
            i = 0;
#ifndef MUTATION_PUBLISH_BEFORE_COPY
            store(ARRAY, 1)
#endif
        :: else
        fi;
        store(SLOT(own_array, own_bottom), pushed);
        store(BOTTOM, own_bottom + 1)

    :: depth > 0 ->                                     /* pop */
        d_step { depth--; element = open[depth]; open[depth] = 0 };
        if
        :: b = position[depth]
        :: own_bottom > 0 -> b = own_bottom - 1
        fi;
        position[depth] = 0;
#ifdef MUTATION_NO_COMPILER_BARRIER
        t = top;
        store(BOTTOM, b);
#else
#ifdef MUTATION_WANTED_READ_EARLY
        w = wanted;
#endif
        store(BOTTOM, b);
        t = top;
#endif
        if
        :: t < b ->             /* more than one: no thief can reach slot b */
            d_step {
                assert(own[SLOT(own_array, b)] == element);
                take(element)
            }
        :: t == b ->            /* the last one: thieves may want it too */
#ifdef MUTATION_NO_LAST_CAS
            d_step { take(element); top = t + 1; won = true };
            store(BOTTOM, b + 1);
#else
#ifndef MUTATION_WANTED_READ_EARLY
            w = wanted;
#endif
            if
            :: w <= b ->        /* none does, and who will sees bottom = b first */
                d_step {
                    assert(own[SLOT(own_array, b)] == element);
                    take(element);
                    won = true
                }
            :: else ->
                atomic {
                    empty(store_buffer);    /* a locked instruction drains it */
                    if
                    :: top == t ->
                        top = t + 1;
                        won = true;
                        assert(own[SLOT(own_array, b)] == element);
                        take(element)
                    :: else -> won = false
                    fi
                };
                store(BOTTOM, b + 1)
            fi;
#endif
            assert(won || is_taken(element))
        :: t > b ->             /* it was stolen */
#ifdef MUTATION_BOTTOM_LEFT_BEHIND
            store(BOTTOM, b + 1);
#else
            store(BOTTOM, t);
#endif
            d_step {
                assert(is_taken(element));
                /* and so were all outer ones: thieves take the oldest first */
                i = 0;
                do
                :: i < depth -> assert(is_taken(open[i])); i++
                :: else -> break
                od;
                i = 0
            }
        fi;
        d_step { b = 0; t = 0; w = 0; element = 0; won = false }

    :: depth > 0 && top < own_bottom ->                 /* the oldest */
        t = top;
        empty(store_buffer);
        if
        :: t < own_bottom ->
            element = own[SLOT(own_array, t)];
#ifdef MUTATION_OLDEST_WITHOUT_CAS
            d_step { take(element); top = t + 1 }
#else
            d_step {
                if
                :: top == t -> top = t + 1; take(element)
                :: else
                fi
            }
#endif
        :: else
        fi;
        d_step { t = 0; element = 0 }

    :: pushed == PUSHES && depth == 0 -> break
    od;
    assert(taken == (1 << PUSHES) - 1)
}

inline announce(position)
{
    d_step {
        if
#ifdef MUTATION_ANNOUNCED_OVER
        :: wanted = position + 1
#else
        :: wanted <= position -> wanted = position + 1
        :: else
#endif
        fi
    }
}

active [THIEVES] proctype thief()
{
    byte t, b, array, element;

end_look:
    do
    :: t = top;
#ifdef MUTATION_ARRAY_BEFORE_BOTTOM
        array = memory[ARRAY];
#endif
        b = memory[BOTTOM];     /* a peek: costs the owner nothing */
        if
        :: t >= b -> goto next
        :: else
        fi;
#if !defined(MUTATION_NO_ANNOUNCEMENT) && !defined(MUTATION_ANNOUNCED_LATE)
        announce(t);
#endif
#ifndef MUTATION_NO_HEAVY_FENCE
        /* membarrier: at some moment between call and return the owner goes
           through a full barrier. Stores drain at any moment anyway, so a
           moment at which the buffer is empty is that moment. */
        empty(store_buffer);
#endif
#ifdef MUTATION_ANNOUNCED_LATE
        announce(t);
#endif
#ifndef MUTATION_PEEK_ONLY
        b = memory[BOTTOM];
#endif
        if
        :: t >= b -> goto next
        :: else
        fi;
#ifndef MUTATION_ARRAY_BEFORE_BOTTOM
        array = memory[ARRAY];  /* after bottom: element t may be only in the new one */
#endif
        element = memory[SLOT(array, t)];
        d_step {                /* CAS(top, t, t + 1) */
            if
            :: top == t -> top = t + 1; take(element)
            :: else
            fi
        };
next:
        skip;
        d_step { t = 0; b = 0; array = 0; element = 0 }
    od
}
