"""hwloc_programs.py topology|annotate|links PROGRAM TOPOLOGY: exports the topology in this form and gives it to
hwloc's own programs. Exits with 77 (skipped) where they are not installed."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as tree


def run(*command: object) -> str:
    """Standard output. hwloc's programs complain on standard error and end with 0."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, f"{command}: {done.returncode}, {done.stderr}"
    return done.stdout


def value(root: dict, key: str) -> object:
    for part in key.split("."):
        root = root.get(part, {})
    return root.get("value")


def count(xml: pathlib.Path, kind: str) -> int:
    return int(run("hwloc-calc", "--input", xml, "--number-of", kind, "machine:0"))


def check_topology(program: str, file: str, facts: dict, folder: pathlib.Path) -> None:
    xml = folder / "gpu.xml"
    run(program, "export", "hwloc", file, "-o", xml)
    sms = value(facts, "device.sm_count")
    assert count(xml, "core") == count(xml, "pu") == count(xml, "L1Cache") == sms
    assert count(xml, "L2Cache") == value(facts, "l2.partition.count")
    assert count(xml, "L2iCache") == len(value(facts, "constant_l15.sm_groups"))
    assert count(xml, "numanode") == sms + 1
    # The SMs of a partition, by number.
    for partition in range(count(xml, "L2Cache")):
        inside = run("hwloc-calc", "--input", xml, "--physical-output", "--intersect", "pu", f"L2Cache:{partition}")
        of_sm = value(facts, "l2.partition.of_sm")
        assert {of_sm[int(sm)] for sm in inside.split(",")} == {partition}
        assert len(inside.split(",")) == of_sm.count(partition)
    l2 = run("hwloc-info", "--input", xml, "L2Cache:0")
    assert f"attr cache size = {int(value(facts, 'l2.partition.size'))}" in l2, l2
    check_memory(run("lstopo", "--input", xml, "--memattrs"), facts)
    assert run("lstopo", "--input", xml, "--output-format", "svg").startswith("<?xml")
    drawing = tree.fromstring(run("lstopo", "--input", xml, "--no-factorize", "--output-format", "nativesvg"))
    drawn = [(shape.get("class"), shape.text) for shape in drawing.iter() if shape.tag.endswith("}text")]
    assert sum(kind == "Core" and text.startswith("SM L#") for kind, text in drawn) == sms
    assert sum(kind == "NUMANode" and "Shared" in text for kind, text in drawn) == sms
    assert sum(kind == "L2i" and text.startswith("constant_l15 (") for kind, text in drawn) == count(xml, "L2iCache")
    assert any(kind == "NUMANode" and text.startswith("GPUMemory") for kind, text in drawn)
    print(f"{sms} SMs drawn, {len(drawn)} labels")


def check_memory(listed: str, facts: dict) -> None:
    """The values of the device's memory, the last NUMA node."""
    node = f"NUMANode L#{value(facts, 'device.sm_count')} = "
    found = {}
    for part in listed.split("Memory attribute #")[1:]:
        name = part.split("`")[1].split("'")[0]
        found |= {name: int(line.split(" = ")[1].split()[0]) for line in part.splitlines() if node in line}
    assert found["Capacity"] == value(facts, "dram.size")
    mebibytes = value(facts, "dram.bandwidth.read") / 2**20
    assert abs(found["ReadBandwidth"] - mebibytes) <= 1, found
    if latency := value(facts, "dram.latency"):
        assert abs(found["Latency"] - latency / value(facts, "device.sm_clock") * 1e9) <= 1, found
    else:
        assert "Latency" not in found


def excerpt(file: str, kept: tuple[str, ...], shorter: pathlib.Path) -> None:
    """The topology without the tables that begin otherwise."""
    head, *tables = re.split(r"^(?=\[)", pathlib.Path(file).read_text(), flags=re.MULTILINE)
    shorter.write_text(head + "".join(table for table in tables if table.startswith(kept)))


def check_annotation(program: str, file: str, facts: dict, folder: pathlib.Path) -> None:
    script, host, output = folder / "annotate.sh", folder / "host.xml", folder / "annotated.xml"
    shorter = folder / "topology.toml"  # hwloc-annotate starts once for each fact
    excerpt(file, ("[provenance", "[device", "[l2"), shorter)
    run(program, "export", "hwloc", shorter, "--parameter", "form=annotate", "-o", script)
    run("lstopo", host)
    run("sh", script, host, output, "package:0")
    infos = run("hwloc-info", "--input", output, "package:0")
    assert f"info GPUModel = {value(facts, 'device.name')}" in infos, infos
    assert f"info CUDAMultiProcessors = {value(facts, 'device.sm_count')}" in infos, infos
    assert f"info tomograph.l2.partition.size = {value(facts, 'l2.partition.size')} B" in infos, infos
    again = folder / "again.xml"
    run("sh", script, output, again, "package:0")
    assert again.read_text() == output.read_text(), "annotating twice changes something"
    refused = subprocess.run(["sh", script, host, folder / "none.xml", "package:77"], capture_output=True, text=True)
    assert refused.returncode == 2 and "no object package:77" in refused.stderr, refused
    assert not list(folder.glob("none.xml*"))


def check_links(program: str, file: str, facts: dict, folder: pathlib.Path) -> None:
    xml = folder / "gpu.xml"
    run(program, "export", "hwloc", file, "-o", xml)
    matrix = run("lstopo", "--input", xml, "--distances")
    assert "name NVLinkBandwidth" in matrix, matrix
    for start, to, rate in value(facts, "link.bandwidth.copy"):
        row = next(line.split() for line in matrix.splitlines() if line.split()[0] == f"cuda{start}")
        assert row[1 + to] == str(round(rate / 1e6)), (row, rate)
    drawing = run("lstopo", "--input", xml, "--output-format", "nativesvg")
    assert all(f"cuda{gpu}" in drawing for gpu in (0, 1))


def main() -> int:
    form, program, file = sys.argv[1:]
    if not shutil.which("lstopo") or not shutil.which("hwloc-annotate"):
        print("skipped: lstopo and hwloc-annotate (package hwloc) are not here")
        return 77
    with open(file, "rb") as stream:
        facts = tomllib.load(stream)
    with tempfile.TemporaryDirectory() as name:
        checks = {"topology": check_topology, "annotate": check_annotation, "links": check_links}
        checks[form](program, file, facts, pathlib.Path(name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
