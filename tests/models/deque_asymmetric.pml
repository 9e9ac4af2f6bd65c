/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default deque: Chase-Lev, with the fence of pop moved to the thief, who
 * first asks the owner to do without it.
 * Implemented in include/nopal/detail/deque/deque_asymmetric.hpp and
 * src/deque/deque_asymmetric.cpp.
 *
 * Modelled: x86-TSO. The owner's plain stores go to a FIFO store buffer and
 * reach memory at any later moment; its loads do not wait for them. `top`,
 * `wanted` and `floor` are written by locked compare-and-swap only, so thieves
 * need no store buffer.
 * The array is circular and the owner replaces it once by one of twice the
 * size; the old array stays readable. The owner pushes and pops in every
 * properly nested order, THIEVES thieves steal as often as they like. The
 * owner pops at the position of the push or at the end, as it likes: after
 * steals the two differ, as for a strand that left the worker and came back.
 * It also takes the oldest element itself, as before it waits for another
 * runtime. With NEXT, it may promise the next position when the deque is empty.
 * With AGAIN, it may push again, by bottom alone, what it has popped.
 * With MOVED, a strand may come from another worker, on whose deque it has
 * pushed something that was stolen, at a position which is free here: the
 * owner moves the empty deque up. With UNPUSHED, it may find the deque full,
 * and pops later what was not pushed.
 *
 * Abstracted: the numbers by which thieves ask, all different: `asked` says
 * whether one has asked since the owner looked. How long a thief waits for a
 * promise: it may at any time do without. Elements are numbers; indices do not overflow; machines that
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
 *   MUTATION_FLOOR_NOT_RAISED     it does not raise the floor
 *   MUTATION_FLOOR_RAISED_FIRST   it does before it announces what it wants
 *   MUTATION_FLOOR_LOWERED_ANYHOW the owner lowers it where a thief has asked again
 *   MUTATION_FLOOR_BELOW_TOP      it does below what has been taken
 *   MUTATION_WANTED_READ_FIRST    what the owner lowers it to was read before it
 *   MUTATION_PROMISED_UNWANTED    the owner promises what nobody has announced
 *   MUTATION_PROMISED_EARLY       its promise overtakes its store of bottom
 *   MUTATION_PROMISED_BEYOND      the owner promises the next position where it does not
 *                                 pop the oldest element
 *   MUTATION_FLOOR_BELOW_PROMISED it lowers the floor below what it has promised
 *   MUTATION_NEXT_ABOVE_FLOOR     it promises the next position without raising the floor
 *   MUTATION_NEXT_OF_MORE         it does so where the deque is not empty
 *   MUTATION_ANY_PROMISE          the thief takes an older promise for its own
 *   MUTATION_NO_COMPILER_BARRIER  pop's load of the floor moves above its store
 *   MUTATION_ARRAY_BEFORE_BOTTOM  the thief reads the array pointer too early
 *   MUTATION_PUBLISH_BEFORE_COPY  growth publishes the new array before filling it
 *   MUTATION_BOTTOM_LEFT_BEHIND   a pop that fails leaves bottom where the push was
 *   MUTATION_AGAIN_ELSEWHERE      the owner pushes again by bottom alone what it has
 *                                 popped by CAS
 *   MUTATION_OLDEST_WITHOUT_CAS   the owner takes the oldest element without CAS
 *   MUTATION_OLDEST_UNANNOUNCED   it does not announce that
 *   MUTATION_NOT_MOVED            the deque stays where it is when a strand comes
 *   MUTATION_MOVED_UNANNOUNCED    moving it up does not raise the floor
 *   MUTATION_BOTTOM_MOVED_FIRST   bottom moves up before top
 *   MUTATION_UNPUSHED_EMPTIES     the pop of what was not pushed leaves bottom at top
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
#define PROMISED 2              /* one past the newest position promised */
#define SLOT(array, index) (3 + (array) * SMALL_SIZE + (index) % (SMALL_SIZE * (1 + (array))))
#define WORDS (3 + 3 * SMALL_SIZE)

byte memory[WORDS];
byte top;
byte wanted;                    /* one past the newest position that a thief has tried to take */
#define ASKING 255
byte floor;                     /* positions from here on are the owner's; or ASKING */
bool asked;                     /* since the owner last looked */
chan store_buffer = [BUFFER] of { byte, byte };

/* What has been taken, as a bit set: only the specification reads it. */
byte taken;
#define bit_of(element) (1 << ((element) - 1))
#define ELSEWHERE 100           /* what the strand has pushed on another worker, and thieves have */
#define is_taken(element) ((element) == ELSEWHERE || (taken & bit_of(element)))

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

inline raise_floor()
{
#ifdef MUTATION_FLOOR_NOT_RAISED
    skip
#else
    d_step { floor = ASKING; asked = true }
#endif
}

inline announce(position)
{
#ifdef MUTATION_FLOOR_RAISED_FIRST
    raise_floor();
#endif
    d_step {
        if
#ifdef MUTATION_ANNOUNCED_OVER
        :: wanted = position + 1
#else
        :: wanted <= position -> wanted = position + 1
        :: else
#endif
        fi
    };
#ifndef MUTATION_FLOOR_RAISED_FIRST
    raise_floor()
#endif
}

/* The owner, with f == ASKING. */
inline answer()
{
    t = top;
#ifndef MUTATION_WANTED_READ_FIRST
    w = wanted;
#endif
    if
#ifdef MUTATION_PROMISED_UNWANTED
    :: true ->
#else
    :: w > t ->
#endif
#ifdef MUTATION_PROMISED_EARLY
        d_step { memory[PROMISED] = t + 1; own[PROMISED] = t + 1 }
#else
        if
#ifdef MUTATION_PROMISED_BEYOND
        :: true -> store(PROMISED, t + 2)
#else
        :: t == own_bottom -> store(PROMISED, t + 2)    /* this pop empties the deque */
#endif
        :: t != own_bottom -> store(PROMISED, t + 1)
        fi
#endif
    :: else
    fi;
#ifndef MUTATION_FLOOR_BELOW_PROMISED
    if
    :: w < own[PROMISED] -> w = own[PROMISED]
    :: else
    fi;
#endif
#ifndef MUTATION_FLOOR_BELOW_TOP
    if
    :: w < t -> w = t
    :: else
    fi;
#endif
    atomic {
        empty(store_buffer);            /* a locked instruction drains it */
        if
#ifdef MUTATION_FLOOR_LOWERED_ANYHOW
        :: true -> floor = w; f = w
#else
        :: !asked -> floor = w; f = w
        :: else
#endif
        fi
    }
}

active proctype owner()
{
    byte own[WORDS];
    byte pushed;                /* how many so far */
    byte open[PUSHES + 1];      /* pushed, not yet popped: the forks still open */
    byte position[PUSHES + 1];  /* where they were pushed */
    byte depth;
    byte b, t, f, w, i, element;
    bool won;
#if defined(MOVED) || defined(UNPUSHED)
    bool once;                  /* whether the strand has come, or the deque was full */
    byte unpushed;              /* one past the depth at which the deque was full, or 0 */
#endif

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

#ifdef MOVED
    :: !once && top == own_bottom ->                    /* a strand comes */
        once = true;
        if
        :: b = own_bottom
        :: b = own_bottom + 1
        fi;
        t = top;
        empty(store_buffer);
#ifndef MUTATION_NOT_MOVED
#ifndef MUTATION_MOVED_UNANNOUNCED
        announce(b);
#endif
#ifdef MUTATION_BOTTOM_MOVED_FIRST
        store(BOTTOM, b + 1);
#endif
        atomic { empty(store_buffer); assert(top == t); top = b + 1 };
#ifndef MUTATION_BOTTOM_MOVED_FIRST
        store(BOTTOM, b + 1);
#endif
#endif
        d_step { open[depth] = ELSEWHERE; position[depth] = b; depth++; b = 0; t = 0 }
#endif

#ifdef UNPUSHED
    :: !once ->                                         /* the deque is full */
        d_step { once = true; position[depth] = own_bottom; depth++; unpushed = depth }
    :: unpushed != 0 && unpushed == depth ->            /* pop of what was not pushed */
        d_step { unpushed = 0; depth--; b = position[depth]; position[depth] = 0 };
        store(BOTTOM, 0);
        t = top;
#ifdef MUTATION_UNPUSHED_EMPTIES
        store(BOTTOM, t);
#else
        if
        :: b < t -> b = t
        :: else
        fi;
        store(BOTTOM, b);
#endif
        d_step { b = 0; t = 0 }
    :: depth > 0 && unpushed != depth ->                /* pop */
#else
    :: depth > 0 ->                                     /* pop */
#endif
        d_step { depth--; element = open[depth]; open[depth] = 0 };
        if
        :: b = position[depth]
        :: own_bottom > 0 -> b = own_bottom - 1
        fi;
        position[depth] = 0;
#ifdef FENCED
        store(BOTTOM, b);
        empty(store_buffer);
        f = wanted;
#else
#ifdef MUTATION_NO_COMPILER_BARRIER
        d_step { f = floor; asked = false };
        store(BOTTOM, b);
#else
        store(BOTTOM, b);
#ifdef MUTATION_WANTED_READ_FIRST
        w = wanted;
#endif
        d_step { f = floor; asked = false };
#endif
        if
        :: f == ASKING -> answer()
        :: else
        fi;
#endif
        if
        :: f <= b ->            /* no thief wants b or what is above */
            d_step {
                assert(own[SLOT(own_array, b)] == element);
                take(element)
            };
            goto popped
        :: else
        fi;
        t = top;
        if
        :: t < b ->             /* more than one: no thief can reach slot b */
            d_step {
                assert(own[SLOT(own_array, b)] == element);
                take(element)
            }
        :: t == b ->            /* the last one: thieves may want it too */
#ifdef MUTATION_NO_LAST_CAS
            d_step { take(element); top = t + 1; won = true };
#else
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
#endif
            store(BOTTOM, b + 1);
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
                :: i < depth -> assert(open[i] == 0 || is_taken(open[i])); i++
                :: else -> break
                od;
                i = 0
            }
        fi;
popped:
#ifdef AGAIN
        if
#ifdef MUTATION_AGAIN_ELSEWHERE
        :: pushed < PUSHES && (own_bottom == b || won) ->
#else
        :: pushed < PUSHES && own_bottom == b -> /* no CAS: push again, the slot as it is */
#endif
            d_step {
                pushed++;           /* in place of another element */
                taken = (taken & ~bit_of(element)) | bit_of(pushed);
                open[depth] = element; position[depth] = own_bottom; depth++
            };
            store(BOTTOM, own_bottom + 1)
        :: true
        fi;
#else
        skip;
#endif
        d_step { b = 0; t = 0; f = 0; w = 0; element = 0; won = false }

    :: depth > 0 && top < own_bottom ->                 /* the oldest */
        t = top;
        empty(store_buffer);
        if
        :: t < own_bottom ->
#ifndef MUTATION_OLDEST_UNANNOUNCED
            announce(t);
#endif
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

#ifdef NEXT
#ifdef MUTATION_NEXT_OF_MORE
    :: own[PROMISED] <= own_bottom && pushed < PUSHES ->
#else
    :: own[PROMISED] <= own_bottom && pushed < PUSHES && top == own_bottom ->
#endif                                                  /* promise the next position */
        store(PROMISED, own_bottom + 1);
#ifndef MUTATION_NEXT_ABOVE_FLOOR
        if
        :: floor > own_bottom -> skip
        :: atomic { empty(store_buffer); floor <= own_bottom -> floor = own_bottom + 1 }
        fi
#endif
#endif

    :: pushed == PUSHES && depth == 0 -> break
    od;
    assert(taken == (1 << PUSHES) - 1)
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
        if
#ifdef MUTATION_ANY_PROMISE
        :: memory[PROMISED] > 0 -> goto ordered
#else
        :: memory[PROMISED] > t -> goto ordered
#endif
        :: else
        fi;
#if !defined(MUTATION_NO_ANNOUNCEMENT) && !defined(MUTATION_ANNOUNCED_LATE)
        announce(t);
#endif
#ifndef MUTATION_NO_HEAVY_FENCE
        /* It waits for a promise, and may do without it. membarrier: at some
           moment between call and return the owner goes through a full
           barrier. Stores drain at any moment anyway, so a moment at which the
           buffer is empty is that moment. */
        if
        :: d_step { memory[PROMISED] > t -> t = memory[PROMISED] - 1 }
        :: empty(store_buffer) -> skip
        fi;
#endif
#ifdef MUTATION_ANNOUNCED_LATE
        announce(t);
#endif
ordered:
        skip;
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
