/* The chase: the standard experiment that answers all cache and TLB questions.
 *
 * A chase program names arrays, rings of pointers over them, actors that follow rings, and phases that
 * run one after the other. A ring node is an aligned 8-byte slot of its array that holds where the next
 * node is; following a ring is a chain of dependent 8-byte loads.
 *
 * How a node says where the next one is depends on the load path (an address, an index, an offset), so
 * all actors that follow a ring are on global paths, or all are on the same other path. Actors on
 * different paths share lines, not nodes: their rings run through other slots of the same lines.
 *
 * Experiment id "tomograph.chase/1". Parameters are I64 arrays; those marked * may be absent, with the
 * default given. Columns of one prefix have one element per array, ring, actor or phase.
 *
 *   array.bytes      size of the array, at most 2^40. Arrays start at a multiple of 2 MiB
 *   array.alias*     -1, or the number of an earlier array of the same size whose physical memory this
 *                    array maps a second time at other addresses
 *   array.space*     where it lies, TOMOGRAPH_GLOBAL_MEMORY and so on. A program has constant memory as far as
 *                    the device has it (on CUDA arrays of up to 65,280 B, which together take four times as much at
 *                    most), and shared memory as far as the carve-out goes. Instruction memory is code: each node is
 *                    a block of instructions of which the last leads to the next node
 *                    Arrays in spaces other than global memory start at a multiple of 256 B and have no aliases
 *   array.width*     TOMOGRAPH_TEXTURE_MEMORY: bytes of a row; the offset o of a node stands for the texel
 *                    (o % width / 8, o / width), wherever the device's layout puts it. Else 0
 *   ring.array       the array it runs over
 *   ring.start       byte offset of node 0
 *   ring.stride      bytes from node to node, in address order
 *   ring.count       nodes
 *   ring.order*      TOMOGRAPH_SEQUENTIAL: by address; TOMOGRAPH_SHUFFLED: one random cycle over all nodes
 *   ring.seed*       of the shuffle, 0
 *   ring.nodes*      explicit byte offsets, those of all rings one after the other: a ring whose stride is
 *                    0 takes its next `count` entries from here, in the order of the visit
 *   actor.sm*        -1: any SM (the same for all actors with -1); else the number of the SM
 *   actor.path       load path, TOMOGRAPH_GLOBAL_CA and so on; it must be one for the space of the array
 *   actor.warp*      number of the warp, within its CTA, whose first lane the actor is, 0. All actors on one
 *                    SM belong to one CTA. Actors with more than one thread choose their warps themselves
 *   actor.threads*   1; more: that many threads follow the ring at the same time, each its share of the
 *                    loads from an evenly spaced first node. For covering ground fast, not for `each`
 *   phase.actor, phase.ring
 *   phase.first*     node that the first load reads, 0
 *   phase.loads      number of loads; past the end a ring goes on at its node 0
 *   phase.timing     TOMOGRAPH_UNTIMED, TOMOGRAPH_TIMED_TOTAL, TOMOGRAPH_TIMED_EACH
 *   carveout*        bytes of shared memory to ask for beside the L1 cache; -1: the device's default
 *   alone*           1: no other program of the batch may run at the same time, 0
 *   trial*           distinguishes repetitions, 0
 *
 * A load on path TOMOGRAPH_INSTRUCTION executes the block of code at its node. It takes what the instructions take, and
 * longer where they are not near: latencies are from the beginning of the block before to that of this one. Code lies
 * where it was compiled to, so a device may have blocks in a few distances only, and rings that visit them in ascending
 * order (on CUDA rings of stride 128 or 1024 over 256 KiB, a node being the block of 128 bytes that it lies in, and no
 * other paths beside but constant ones); it refuses others as unsupported. The first load of a phase and of each lap of
 * a ring also finds the way into the code.
 *
 * No two nodes of the program may overlap. A program starts with private caches that hold nothing of its
 * arrays; the state of caches shared by SMs is unspecified, a program that depends on it brings it about.
 *
 * Answer:
 *   latency          U32, raw cycles of each load of the `each` phases, phase after phase
 *   node             U32, number of the node that each of these loads read
 *   total            F64, raw cycles of each `total` phase, in phase order
 *   overhead.each    F64, cycles of the timing itself in every `latency` entry (subtract it), on the load path of
 *                    the first `each` phase
 *   overhead.total   F64, cycles of the timing itself in every `total` entry (subtract it), on the load path of the
 *                    first `total` phase
 *   sm               I64, the SM that each actor ran on
 *   kernel_shared    I64, bytes of shared memory that the program itself took beside the L1 cache
 */
#ifndef TOMOGRAPH_ABI_CHASE_H
#define TOMOGRAPH_ABI_CHASE_H

#define TOMOGRAPH_CHASE_ID "tomograph.chase/1"

enum { TOMOGRAPH_SEQUENTIAL = 0, TOMOGRAPH_SHUFFLED = 1 };

/* Memory spaces. Values are frozen. */
enum {
  TOMOGRAPH_GLOBAL_MEMORY = 0,
  TOMOGRAPH_TEXTURE_MEMORY = 1, /* a two-dimensional array in the device's own layout */
  TOMOGRAPH_CONSTANT_MEMORY = 2,
  TOMOGRAPH_SHARED_MEMORY = 3,
  TOMOGRAPH_INSTRUCTION_MEMORY = 4
};

/* Load paths. Values are frozen. */
enum {
  TOMOGRAPH_GLOBAL_CA = 0,  /* global memory, ld.global.ca */
  TOMOGRAPH_GLOBAL_CG = 1,  /* global memory, ld.global.cg */
  TOMOGRAPH_GLOBAL_NC = 2,  /* global memory, ld.global.nc */
  TOMOGRAPH_TEXTURE = 3,    /* global memory as a linear texture, tex.1d.v4.u32.s32 (tex1Dfetch) */
  TOMOGRAPH_TEXTURE_2D = 4, /* texture memory, tex.2d.v4.u32.s32 with texel coordinates */
  TOMOGRAPH_CONSTANT = 5,   /* constant memory, ld.const */
  TOMOGRAPH_SHARED = 6,     /* shared memory, ld.shared */
  TOMOGRAPH_INSTRUCTION = 7 /* instruction memory, executed */
};

enum { TOMOGRAPH_UNTIMED = 0, TOMOGRAPH_TIMED_TOTAL = 1, TOMOGRAPH_TIMED_EACH = 2 };

#endif
