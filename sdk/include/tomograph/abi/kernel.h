/* Kernel: a kernel as data. Warps execute a loop of instructions whose addresses follow patterns.
 *
 * The kernel has `ctas` CTAs of `warps` warps. Each SM that takes part has `ctas_per_sm` places, and each place holds
 * one CTA at a time. With S SMs there are P = S x ctas_per_sm places; place p is on SM number p mod S of `sm`. Place p
 * executes the CTAs p, p + P, p + 2P, ... one after the other. All places start together. A warp executes its list of
 * instructions `iterations` times, in order. It waits for a result where an instruction needs it. At the end of each
 * iteration it also waits for the results that nothing needs. Nothing comes back from an atomic whose result nothing
 * needs: it is a reduction.
 *
 * Experiment id "tomograph.kernel/1". Parameters are I64 arrays. Those marked * are optional and have the given
 * default. One element:
 *
 *   warps            warps of a CTA, 1 to 32
 *   ctas             CTAs, 1 to 2^24
 *   ctas_per_sm      CTAs that an SM holds at the same time, 1 to 64
 *   iterations       of the loop, 1 to 2^24
 *   footprint        bytes of memory, a multiple of 4. Word number j (of 4 bytes) holds mix(j), unless the kernel
 *                    itself writes it
 *   warm_passes*     how often all SMs together read the whole footprint through L2 beforehand, 0 to 1024: 1. Before
 *                    that, L2 holds hardly any of it
 *   carveout*        bytes of shared memory to ask for beside the L1 cache; -1: the device's default
 *   timed*           number of the load whose latency is measured; -1: none. A warp waits for it before it issues its
 *                    next instruction
 *   trial*           distinguishes repetitions, 0
 *
 * Any number of elements:
 *   sm*              numbers of the SMs that take part, each once; default: all
 *
 * One element for each instruction k of the list, which has 1 to 64:
 *   operation        TOMOGRAPH_KERNEL_INTEGER and so on
 *   count            such instructions in a row, each of which needs the one before it, 1 to 256; 1 for loads, stores,
 *                    atomics, shared memory and barriers. Their sum is at most 1024
 *   lanes            lanes of each warp that take part, the lowest ones, 1 to 32
 *   pattern          TOMOGRAPH_KERNEL_STRIDE and so on for loads, stores and atomics; else 0 without meaning
 *   element          bytes of each lane: 1, 2, 4, 8 or 16; 4 for atomics
 *   cache            of loads: TOMOGRAPH_KERNEL_CA, ...; else 0
 *   base, span       the access uses the bytes [base, base + span) of the footprint; both are multiples of 32
 *
 * Several elements for each instruction:
 *   needs            3 x instructions: numbers of the instructions whose results instruction k needs, or -1 after
 *                    the last. j < k means this iteration; j + n, with n the length of the list, means instruction j
 *                    in the previous iteration (in the first iteration it is there at once). Loads, stores and atomics
 *                    have two at most, special functions one, shared memory one at most, barriers none. Stores and
 *                    barriers have no result
 *   arguments        4 x instructions, by pattern; unused ones are 0
 *
 * Patterns. t = 32 (c warps + w) + l is the number of lane l of warp w of CTA c, i the iteration, T = 32 warps ctas the
 * number of threads, N = floor(span / element) the number of elements (at most 2^31). The address of element e is
 * base + e element.
 *
 *   STRIDE (l', w', i', o)   element (l l' + (c warps + w) w' + i i' + o) mod N. All arguments are from 0 to N - 1
 *   HASH (g, b, seed)        lanes in groups of g (a power of 2, at most 32), each at a random block of b bytes (a
 *                            power of 2 from 32 to 4096, at least g element). The block is mulhi(x, span / b), with
 *                            x = mix(seed + (t div g)) in the first iteration and x = 747796405 x + 2891336453 mod 2^32
 *                            in each further one. Lane l uses element l mod g of the block. The span holds one
 *                            block at least and fewer than 2^32
 *   GATHER (j)               element mulhi(v, N), v the 4-byte word that load j has read in the same iteration. j < k.
 *                            A lane takes part only if it does in load j, whose elements are of 4 bytes, in memory
 *                            that the kernel does not write
 *   STENCIL (d, x, y)        a grid of d elements a row (a multiple of 32), floor(N / d) rows. Each CTA holds a tile of
 *                            32 columns and `warps` rows; tiles lie row by row. The cell of lane l is column
 *                            32 (c mod (d/32)) + l, row warps (c div (d/32)) + w + i R, R the rows of all CTAs'
 *                            tiles: warps ceil(ctas / (d/32)). The access is to column + x, row + y, each from -16
 *                            to 16, as element number (row + y) d + column + x modulo N, which is at least 17 d
 *   CSR (m)                  a sparse matrix of T rows with m elements on average (2 to 4096), whose row r begins at
 *                            element s(r) = r m + mulhi(mix(r), m); N is at least (T + 1) m. Each thread walks row t.
 *                            In iteration i it uses element s(t) + i, and takes part only while s(t) + i < s(t + 1)
 *   COLUMN (d)               a matrix of d elements a row; N is a multiple of d. Each thread walks row t: element
 *                            (t d) mod N + i mod d
 *
 * mix(x) is the 32-bit finalizer of MurmurHash3 (Appleby 2011): x = (x ^ x >> 16) * 0x85ebca6b; x = (x ^ x >> 13) *
 * 0xc2b2ae35; x ^ x >> 16. mulhi(x, y) is floor(x y / 2^32).
 *
 * Other instructions. Addresses and the loop take integer instructions, too. They count as instructions: before an
 * access a chain of which the access needs the last: STRIDE 4, HASH 3, GATHER 2 (the first needs load j), STENCIL 4,
 * CSR 3, COLUMN 5, and 2 more, which come last, if the address needs a result (before shared loads, too); at the end of
 * an iteration a chain of one for every two results that nothing needs (they are combined), then 3 for the loop. The
 * address needs the second need of a store or an atomic, whose first is its value, and all needs of a load.
 *
 * The device may issue an instruction before others that stand before it, if it needs none of them. Shared memory is
 * accessed without conflicts.
 *
 * Time begins for all places together, after the last one is ready. Before that, every place executes one iteration of
 * its first CTA, so that the code is there. Time ends when the last instruction has completed; stores are not awaited.
 *
 * Answer:
 *   elapsed        F64, nanoseconds from the first start to the last end over all SMs
 *   cycles         F64, cycles from the first start to the last end on each SM, in the order of `sm` (ascending if
 *                  that was absent)
 *   clock          F64, Hz of the SM clock during that time
 *   latency        F64, mean cycles of the timed load, from its issue until its result is there; 0 if there is none
 *   instructions   I64, warp instructions of all SMs, counted as above
 *
 * A device refuses as unsupported a kernel of which fewer than `ctas_per_sm` CTAs fit on an SM, or whose footprint does
 * not fit in its memory.
 */
#ifndef TOMOGRAPH_ABI_KERNEL_H
#define TOMOGRAPH_ABI_KERNEL_H

#define TOMOGRAPH_KERNEL_ID "tomograph.kernel/1"

/* Operations. Values are frozen. */
enum {
  TOMOGRAPH_KERNEL_INTEGER = 0,      /* mad.lo.u32 */
  TOMOGRAPH_KERNEL_FP32 = 1,         /* fma.rn.f32 */
  TOMOGRAPH_KERNEL_FP64 = 2,         /* fma.rn.f64 */
  TOMOGRAPH_KERNEL_SPECIAL = 3,      /* ex2.approx.ftz.f32 */
  TOMOGRAPH_KERNEL_LOAD = 4,         /* ld.global */
  TOMOGRAPH_KERNEL_STORE = 5,        /* st.global */
  TOMOGRAPH_KERNEL_ATOMIC = 6,       /* atom.global.add.u32 */
  TOMOGRAPH_KERNEL_SHARED_LOAD = 7,  /* ld.shared.u32 */
  TOMOGRAPH_KERNEL_SHARED_STORE = 8, /* st.shared.u32 */
  TOMOGRAPH_KERNEL_BARRIER = 9       /* bar.sync */
};

/* How loads use the caches. Values are frozen. */
enum {
  TOMOGRAPH_KERNEL_CA = 0, /* 1st level caches may hold it */
  TOMOGRAPH_KERNEL_CG = 1, /* past them */
  TOMOGRAPH_KERNEL_NC = 2  /* the read-only path */
};

/* Patterns. Values are frozen. */
enum {
  TOMOGRAPH_KERNEL_STRIDE = 0,
  TOMOGRAPH_KERNEL_HASH = 1,
  TOMOGRAPH_KERNEL_GATHER = 2,
  TOMOGRAPH_KERNEL_STENCIL = 3,
  TOMOGRAPH_KERNEL_CSR = 4,
  TOMOGRAPH_KERNEL_COLUMN = 5
};

#endif
