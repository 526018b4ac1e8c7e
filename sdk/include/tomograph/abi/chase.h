/* The chase: the standard experiment for all questions about caches and TLBs.
 *
 * A chase program consists of arrays, rings of pointers over them, actors that follow rings, and phases
 * that run one after the other. A ring node is an aligned 8-byte slot of its array. It holds the place of
 * the next node, so following a ring is a chain of dependent 8-byte loads.
 *
 * A node holds an address, an index or an offset, depending on the load path. So the actors that follow a
 * ring are either all on global paths or all on the same other path. Actors on different paths can share
 * lines but not nodes: their rings use different slots of the same lines.
 *
 * Experiment id "tomograph.chase/1". Parameters are I64 arrays; those marked * may be absent, with the
 * default given. Columns of one prefix have one element per array, ring, actor or phase.
 *
 *   array.bytes      size of the array, at most 2^40. Arrays start at a multiple of 2 MiB
 *   array.alias*     -1, or the number of an earlier array of the same size whose physical memory this
 *                    array maps a second time at other addresses
 *   array.space*     its memory space, TOMOGRAPH_GLOBAL_MEMORY and so on. The device limits constant memory (on CUDA,
 *                    an array has at most 65,280 B and all arrays together at most four times as much). The carve-out
 *                    limits shared memory. Instruction memory is code: each node is a block of instructions of which
 *                    the last leads to the next node.
 *                    Arrays in spaces other than global memory start at a multiple of 256 B and have no aliases
 *   array.width*     TOMOGRAPH_TEXTURE_MEMORY: bytes of a row; the offset o of a node stands for the texel
 *                    (o % width / 8, o / width), wherever the device's layout puts it. Else 0
 *   ring.array       the array it runs over
 *   ring.start       byte offset of node 0
 *   ring.stride      bytes from node to node, in address order
 *   ring.count       nodes
 *   ring.order*      TOMOGRAPH_SEQUENTIAL: by address; TOMOGRAPH_SHUFFLED: one random cycle over all nodes
 *   ring.seed*       of the shuffle, 0
 *   ring.nodes*      explicit byte offsets of all rings, one after the other. A ring with stride 0 takes the
 *                    next `count` entries, in the order of the visit
 *   actor.sm*        -1: any SM (the same for all actors with -1); else the number of the SM
 *   actor.path       load path, TOMOGRAPH_GLOBAL_CA and so on; it must be one for the space of the array
 *   actor.warp*      number of the warp, within its CTA, whose first lane the actor is, 0. All actors on one
 *                    SM belong to one CTA. Actors with more than one thread choose their warps themselves
 *   actor.threads*   1. With more, that many threads follow the ring at the same time, each with its share of
 *                    the loads from an evenly spaced first node. It loads much memory fast; not for `each`
 *   phase.actor, phase.ring
 *   phase.first*     node that the first load reads, 0
 *   phase.loads      number of loads; after its last node a ring continues at node 0
 *   phase.timing     TOMOGRAPH_UNTIMED, TOMOGRAPH_TIMED_TOTAL, TOMOGRAPH_TIMED_EACH
 *   carveout*        bytes of shared memory to ask for beside the L1 cache; -1: the device's default
 *   alone*           1: no other program of the batch may run at the same time, 0
 *   trial*           distinguishes repetitions, 0
 *
 * A load on path TOMOGRAPH_INSTRUCTION executes the block of code at its node. Its latency is the time from the start
 * of the previous block to the start of this one: the time to fetch and execute the instructions. Code cannot be
 * moved, so a device may support few strides, and only rings that visit blocks in ascending order. It refuses others
 * as unsupported. CUDA supports strides 128 and 1024 over 256 KiB, where a node is the block of 128 bytes around it,
 * together with constant paths only. The first load of a phase and of each lap of a ring also includes the jump into
 * the code.
 *
 * No two nodes of the program may overlap. When a program starts, private caches hold nothing of its arrays.
 * The state of caches shared by SMs is unspecified; a program that depends on it must establish it.
 *
 * Answer:
 *   latency          U32, raw cycles of each load of the `each` phases, phase after phase
 *   node             U32, number of the node that each of these loads reads
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
