#!/usr/bin/env python3
"""kernels.py SEED COUNT FOLDER: writes descriptions of random kernels (schemas/kernel.schema.json) of fourteen kinds.
Arrays are as large as all threads need, or a few times that, as in real programs."""

import pathlib
import random
import sys

SMS = 132  # of an H100 or H200, so that many grids are whole waves
MOST_WARP_ITERATIONS = 120_000  # of a kernel: to predict more takes minutes


class Kernel:
    def __init__(self, name, chance):
        self.name, self.chance = name, chance
        self.warps = chance.choice([1, 2, 4, 4, 8, 8, 8, 16, 32])
        self.ctas_per_sm = chance.randint(1, min(32, 64 // self.warps))
        self.ctas = max(1, int(SMS * self.ctas_per_sm * chance.choice([0.5, 1, 1, 1, 2, 3.3, 4, 8])))
        self.iterations = chance.choice([8, 16, 32, 64, 128])
        while self.warps * self.ctas * self.iterations > MOST_WARP_ITERATIONS and self.iterations > 8:
            self.iterations //= 2
        while self.warps * self.ctas * self.iterations > MOST_WARP_ITERATIONS:
            self.ctas //= 2
        self.footprint = 0
        self.loop = []

    @property
    def threads(self):
        return 32 * self.warps * self.ctas

    def array(self, size):
        """A place for `size` bytes."""
        size = (size + 31) // 32 * 32
        base, self.footprint = self.footprint, self.footprint + size
        return {"base": base, "span": size}

    def any_array(self, least=14, most=30):
        return self.array(int(2 ** self.chance.uniform(least, most)))

    def add(self, operation, **keys):
        self.loop.append({"operation": operation, **keys})
        return keys.get("name")

    def stride(self, operation="load", element=None, lane_stride=1, **keys):
        element = element or self.chance.choice([4, 4, 4, 8, 16])
        passes = min(self.iterations, self.chance.choice([1, 1, 2, 4, self.iterations]))
        place = self.array(self.threads * lane_stride * element * passes)
        elements = place["span"] // element
        if operation == "load":
            keys["name"] = f"load{len(self.loop)}"
        return self.add(operation, pattern="stride", element=element, lane_stride=lane_stride % elements,
                        warp_stride=32 * lane_stride % elements,
                        iteration_stride=self.threads * lane_stride % elements, **place, **keys)

    def hash(self, operation="load", place=None, group=None, block=128, **keys):
        group = group or self.chance.choice([1, 1, 2, 4, 8, 16, 32])
        if operation == "load":
            keys["name"] = f"load{len(self.loop)}"
        return self.add(operation, pattern="hash", group=group, block=max(block, 4 * group), element=4,
                        seed=self.chance.randrange(2**31), **(place or self.any_array()), **keys)

    def compute(self, needs=None):
        name = f"compute{len(self.loop)}"
        keys = {"needs": [needs]} if needs else {}
        if self.chance.random() < 0.5:
            keys["previous"] = [name]
        operation = self.chance.choice(["fp32", "fp32", "fp32", "integer", "fp64"])
        return self.add(operation, name=name, count=self.chance.choice([1, 2, 4, 8, 16, 32]), **keys)

    def text(self):
        keys = {"name": self.name, "warps": self.warps, "ctas": self.ctas, "ctas_per_sm": self.ctas_per_sm,
                "iterations": self.iterations, "footprint": max(self.footprint, 32),
                "warm_passes": self.chance.choice([0, 1, 1, 1])}
        tables = [lines(keys)] + ["\n[[instruction]]\n" + lines(step) for step in self.loop]
        return "".join(tables)


def lines(keys):
    return "".join(f"{key} = {toml(value)}\n" for key, value in keys.items())


def toml(value):
    if isinstance(value, str):
        return f'"{value}"'
    return "[" + ", ".join(map(toml, value)) + "]" if isinstance(value, list) else str(value)


def stream(k):
    loads = [k.stride() for _ in range(k.chance.randint(1, 3))]
    result = k.compute(loads[0])
    if k.chance.random() < 0.7:
        k.stride("store", needs=[result])


def strided(k):
    k.compute(k.stride(lane_stride=k.chance.choice([2, 3, 4, 8, 16, 32, 33])))


def random_loads(k):
    place = k.any_array(16, 31)
    loads = [k.hash(place=place, block=k.chance.choice([32, 64, 128, 512])) for _ in range(k.chance.randint(1, 4))]
    k.compute(loads[0])


def gather(k):
    index = k.stride(element=4)
    name = k.add("load", name="gathered", pattern="gather", index=index, element=k.chance.choice([4, 8]),
                 **k.any_array())
    k.compute(name)


def stencil(k):
    width = k.chance.choice([256, 512, 1024, 2048, 4096])
    rows = max(64, int(2 ** k.chance.uniform(14, 28)) // width)
    place = k.array(4 * width * rows)
    around = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (2, 0), (0, 2), (-2, 0), (0, -2)]
    loads = [k.add("load", name=f"cell{i}", pattern="stencil", width=width, dx=dx, dy=dy, element=4, **place)
             for i, (dx, dy) in enumerate(k.chance.sample(around, k.chance.randint(2, 6)))]
    out = k.compute(loads[0])
    if k.chance.random() < 0.6:
        k.add("store", pattern="stencil", width=width, dx=0, dy=0, element=4, needs=[out],
              **k.array(4 * width * rows))


def sparse(k):
    k.iterations = row = k.chance.choice([4, 8, 16, 32])
    k.ctas = max(1, min(k.ctas, MOST_WARP_ITERATIONS // (k.warps * row)))
    column = k.add("load", name="column", pattern="csr", row=row, element=4, **k.array(4 * (k.threads + 2) * row))
    k.compute(k.add("load", name="x", pattern="gather", index=column, element=4, **k.any_array(14, 29)))


def columns(k):
    width = k.chance.choice([16, 32, 64, 100, 128, 256])
    name = k.add("load", name="column", pattern="column", width=width, element=4, **k.array(4 * width * k.threads))
    k.compute(name)


def atomics(k):
    value = k.stride(element=4)
    k.hash("atomic", place=k.any_array(12, 26), group=k.chance.choice([1, 1, 2, 8]), block=32, needs=[value],
           name="before")
    if k.chance.random() < 0.5:  # else nothing needs the result: reductions
        k.compute("before")


def shared(k):
    k.add("shared_store", needs=[k.stride()])
    if k.chance.random() < 0.6:
        k.add("barrier")
    k.compute(k.add("shared_load", name="shared"))
    if k.chance.random() < 0.4:
        k.add("barrier")


def arithmetic(k):
    for i in range(k.chance.randint(1, 4)):
        operation = k.chance.choice(["fp32", "fp32", "integer", "fp64", "special"])
        keys = {"name": f"compute{i}", "count": k.chance.choice([1, 4, 16, 64, 128])}
        if operation == "special" and i == 0:
            operation = "fp32"
        if i > 0 and (operation == "special" or k.chance.random() < 0.3):
            keys["needs"] = [f"compute{i - 1}"]
        elif k.chance.random() < 0.6:
            keys["previous"] = [keys["name"]]
        k.add(operation, **keys)


def mixed(k):
    k.compute(k.stride())
    k.compute(k.hash(group=k.chance.choice([1, 4, 32])))
    if k.chance.random() < 0.5:
        k.stride("store")


def dependent(k):
    first = k.hash(group=32)
    k.add("integer", name="distance", count=k.chance.choice([1, 8, 64]), needs=[first])
    k.stride(element=4, needs=["distance"])


def stores(k):
    k.stride("store", lane_stride=k.chance.choice([1, 1, 2, 8]), element=k.chance.choice([4, 8, 16]))
    k.compute()


def random_stores(k):
    k.hash("store", place=k.any_array(16, 28), group=k.chance.choice([1, 2, 8, 32]))
    k.compute()


KINDS = [stream, strided, random_loads, gather, stencil, sparse, columns, atomics, shared, arithmetic, mixed, dependent,
         stores, random_stores]


def main():
    seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        kernel = Kernel(f"{kind.__name__}-{number}", chance)
        kind(kernel)
        (folder / f"{kernel.name}.toml").write_text(kernel.text())


main()
