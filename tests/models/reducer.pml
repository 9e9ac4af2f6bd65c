/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How strands leave their views of reducers at a join of many.
 * Implemented in src/join/left_views.cpp, and in src/join/thrown.cpp for the nodes.
 *
 * Modelled: a function that has been stolen CHILDREN times. Its children run in
 * the segments 0 to CHILDREN - 1 and leave their blocks when they end; the
 * function's own segment is the last one. A segment has views or has none, and
 * a child returns or throws. A node holds one list of blocks. A child that finds
 * no node adds one; several may do so at a time. The last strand to arrive takes
 * all blocks, and forms the product.
 *
 * A block is known by its first segment. A list, or what a strand has in its
 * hands, is a set of blocks, since lists are sorted.
 *
 * Abstracted: the product of a row of neighbours is formed in one step, which
 * nobody else can see; memory is sequentially consistent.
 *
 * Checked: no block is merged twice or lost; blocks are merged in their order
 * only; no list holds neighbours when it is put back; the result is that of the
 * serial program, which ends at the first child that throws.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_PUT_BY_STORE      a list is put back over what others have left
 *   MUTATION_TAKEN_BY_LOAD     the list is read, and replaced if it is still the same
 *   MUTATION_ROW_DROPPED       a strand that begins again forgets the row
 *   MUTATION_ANY_NEIGHBOUR     blocks are merged across one that is missing
 *   MUTATION_NOT_MERGED        neighbours stay in the list
 *   MUTATION_LOOKS_ONCE        a product is put back beside its neighbours
 *   MUTATION_LEFT_LATE         a child arrives before it leaves its block
 *   MUTATION_OWN_FIRST         the function's own segment comes first
 *   MUTATION_THROWN_FORGOTTEN  a product does not keep the mark of its right part
 *   MUTATION_THROWN_UNMARKED   a child without views that throws leaves nothing
 *   MUTATION_NODE_BY_STORE     a node takes the place of the others
 */

#ifndef CHILDREN
#define CHILDREN 3
#endif
#define SEGMENTS (CHILDREN + 1)
#define NONE 255
#define BIT(i) (1 << (i))

/* The blocks. */
byte to[SEGMENTS];              /* its last segment */
byte views[SEGMENTS];           /* the segments whose updates it has */
bool thrown[SEGMENTS];
byte alive;                     /* those that have not been merged into another */

/* The nodes, each added by the child of its number. */
byte newest = NONE;
byte next[SEGMENTS] = NONE;
bool whole[SEGMENTS];           /* `next` has been written */
byte list[SEGMENTS];

byte arrived;

/* Ghosts. */
byte expected;                  /* the segments that have views */
byte first_thrown = SEGMENTS;

/* l becomes l · r. */
inline merge(l, r)
{
    assert((alive & BIT(l)) != 0 && (alive & BIT(r)) != 0);
    assert(to[l] < r);
    alive = alive & ~BIT(r);
    if
    :: thrown[l] -> skip
    :: else ->
        views[l] = views[l] | views[r];
#ifndef MUTATION_THROWN_FORGOTTEN
        thrown[l] = thrown[r]
#endif
    fi;
    to[l] = to[r]
}

#ifdef MUTATION_ANY_NEIGHBOUR
#define FOLLOWS(l, r) (true)
#else
#define FOLLOWS(l, r) (to[l] + 1 == r)
#endif

/* Splits `all`: `row` is what has a neighbour in it. */
inline take_neighbours()
{
    row = 0;
    last = NONE;
    i = 0;
    do
    :: i == SEGMENTS -> break
    :: else ->
        if
        :: (all & BIT(i)) != 0 ->
            if
            :: last != NONE && FOLLOWS(last, i) -> row = row | BIT(last) | BIT(i)
            :: else
            fi;
            last = i
        :: else
        fi;
        i++
    od;
    all = all & ~row;
    last = 0;
    i = 0
}

/* Each row of neighbours in `row` becomes one block of `mine`. */
inline merge_rows()
{
    mine = 0;
    last = NONE;
    i = 0;
    do
    :: i == SEGMENTS -> break
    :: else ->
        if
        :: (row & BIT(i)) != 0 ->
            if
            :: last != NONE && FOLLOWS(last, i) -> merge(last, i)
            :: else -> last = i; mine = mine | BIT(i)
            fi
        :: else
        fi;
        i++
    od;
    row = 0;
    last = 0;
    i = 0
}

inline assert_no_neighbours(blocks)
{
    last = NONE;
    i = 0;
    do
    :: i == SEGMENTS -> break
    :: else ->
        if
        :: (blocks & BIT(i)) != 0 -> assert(last == NONE || to[last] + 1 != i); last = i
        :: else
        fi;
        i++
    od;
    last = 0;
    i = 0
}

/* The strand that goes on, with its own segment in its hands. */
inline form_product()
{
    atomic {
        mine = BIT(CHILDREN);
        at = newest;
        do
        :: at == NONE -> break
        :: else ->
            assert(whole[at]);
            mine = mine | list[at];
            list[at] = 0;
            at = next[at]
        od;
        assert(mine == alive);  /* nothing is lost */
#ifdef MUTATION_OWN_FIRST
        last = CHILDREN;
#else
        last = NONE;
#endif
        i = 0;
        do
        :: i == SEGMENTS -> break
        :: else ->
            if
            :: (mine & BIT(i)) != 0 && i != last ->
                if
                :: last == NONE -> last = i
                :: else -> merge(last, i)
                fi
            :: else
            fi;
            i++
        od;
        assert(views[last] == (expected & (BIT(first_thrown + 1) - 1)))
    }
}

proctype child(byte me)
{
    byte mine, all, row, at, last, i;
#ifdef MUTATION_TAKEN_BY_LOAD
    byte seen;
#endif
    bool throws, put, is_last;

    atomic {
#ifdef PLAIN
        expected = expected | BIT(me);
        views[me] = BIT(me);
#else
        if
        :: expected = expected | BIT(me); views[me] = BIT(me)
        :: skip
        fi;
        if
        :: throws = true; if :: first_thrown > me -> first_thrown = me :: else fi
        :: skip
        fi;
#endif
        thrown[me] = throws
    };
#ifdef MUTATION_LEFT_LATE
    atomic { arrived++; is_last = (arrived == SEGMENTS) };
#endif

    /* Find the newest node, as far as the list of nodes is whole. */
    at = newest;
    if
#ifdef MUTATION_THROWN_UNMARKED
    :: views[me] == 0 && (at == NONE || list[at] == 0) -> goto arrive
#else
    :: views[me] == 0 && !throws && (at == NONE || list[at] == 0) -> goto arrive    /* a gap */
#endif
    :: else
    fi;
    if
    :: at == NONE ->
#ifdef MUTATION_NODE_BY_STORE
        atomic { newest = me; next[me] = NONE; whole[me] = true; at = me };
#else
        atomic { next[me] = newest; newest = me };      /* an exchange; next is not yet seen */
        at = me;
        whole[me] = true;
#endif
    :: else
    fi;
    atomic { alive = alive | BIT(me); to[me] = me; mine = BIT(me) };
again:
    skip;
#ifdef MUTATION_TAKEN_BY_LOAD
    atomic { seen = list[at]; all = seen | mine; take_neighbours() };
#else
    atomic { all = list[at] | mine; list[at] = 0; take_neighbours() };
#endif
#ifdef MUTATION_NOT_MERGED
    atomic { all = all | row; row = 0 };
#endif
    if
    :: all != 0 ->
        atomic {
#ifdef MUTATION_PUT_BY_STORE
            put = true;
#elif defined(MUTATION_TAKEN_BY_LOAD)
            put = (list[at] == seen);
#else
            put = (list[at] == 0);
#endif
            if
            :: put -> list[at] = all; assert_no_neighbours(list[at])
            :: else
#ifdef MUTATION_ROW_DROPPED
                mine = all
#else
                mine = all | row
#endif
            fi
        };
        if
        :: !put -> goto again
        :: else
        fi
    :: else
    fi;
    if
    :: row != 0 ->
        atomic { merge_rows() };
#ifdef MUTATION_LOOKS_ONCE
        atomic { list[at] = list[at] | mine; assert_no_neighbours(list[at]) };
        goto arrive
#else
        goto again
#endif
    :: else
    fi;

arrive:
    atomic { mine = 0; all = 0; row = 0; at = 0; put = false };
#ifndef MUTATION_LEFT_LATE
    atomic { arrived++; is_last = (arrived == SEGMENTS) };
#endif
    if
    :: is_last -> form_product()
    :: else
    fi
}

proctype parent()
{
    byte mine, at, last, i;
    bool is_last;

    atomic {
        alive = alive | BIT(CHILDREN);
        to[CHILDREN] = CHILDREN;
        views[CHILDREN] = BIT(CHILDREN);
        expected = expected | BIT(CHILDREN)
    };
    atomic { arrived++; is_last = (arrived == SEGMENTS) };
    if
    :: is_last -> form_product()
    :: else
    fi
}

init {
    byte n;
    atomic {
        n = 0;
        do
        :: n == CHILDREN -> break
        :: else -> run child(n); n++
        od;
        run parent()
    }
}
