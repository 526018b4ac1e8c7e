#!/usr/bin/env python3
"""score.py TOMOGRAPH TOPOLOGY KERNELS_TOPOLOGY FOLDER: how many of the kernels in a folder take as many cycles as
predicted. TOPOLOGY has the facts of the GPU, KERNELS_TOPOLOGY the fact kernels.cycles (plugin.cpp)."""

import concurrent.futures
import json
import math
import pathlib
import subprocess
import sys
import tomllib


def predict(program, topology, description):
    done = subprocess.run([program, "predict", description, "--topology", topology, "--json"], check=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)["facts"]["kernel.cycles"]


def share(values):
    return f"{sum(values)} of {len(values)} ({100 * sum(values) / len(values):.1f} %)"


def main():
    program, topology, measured, folder = sys.argv[1:]
    with open(measured, "rb") as file:
        cycles = dict(tomllib.load(file)["kernels"]["cycles"]["value"])
    files = {name: str(pathlib.Path(folder) / f"{name}.toml") for name in cycles}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        predictions = dict(zip(files, pool.map(lambda path: predict(program, topology, path), files.values())))
    inside, logs = {}, {}
    for name, fact in predictions.items():
        low, high = fact["interval"]
        kind = name.rsplit("-", 1)[0]
        inside.setdefault(kind, []).append(low <= cycles[name] <= high)
        logs.setdefault(kind, []).append(math.log(fact["value"] / cycles[name]))
    for kind in inside:
        mean = math.exp(sum(logs[kind]) / len(logs[kind]))
        print(f"{kind:16} {share(inside[kind])} in the interval, predicted / measured {mean:.2f}")
    print("all", share([one for kind in inside.values() for one in kind]))


main()
