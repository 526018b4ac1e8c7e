// The document's data as devices with facts by key. The exporter wrote it into the element #data.

// Parts as host/reporting/parts.cpp has them for `tomograph show`, but the device last. A key that belongs to none starts
// a part of its own.
const knownParts = {
  l1_data: 'L1 data cache', texture: 'Texture cache', read_only: 'Read-only cache', constant_l1: 'Constant L1',
  constant_l15: 'Constant L1.5', instruction_l0: 'Instruction L0', instruction_l1: 'Instruction L1',
  instruction_l15: 'Instruction L1.5', l2: 'L2 cache', 'tlb.l1': 'L1 TLB', 'tlb.l2': 'L2 TLB', 'tlb.l3': 'L3 TLB',
  page_window: 'Page-table window', shared: 'Shared memory', dsmem: 'SM-to-SM network', noc: 'SMs to L2',
  dram: 'Global memory', constant_memory: 'Constant memory', host: 'Host memory', tma: 'Tensor memory accelerator',
  memory_spectrum: 'Latency spectrum', instruction: 'Instructions', tensor: 'Tensor cores', atomics: 'Atomics',
  sm: 'Map of SMs', divergence: 'Branch divergence', misses: 'Outstanding misses', launch: 'Starts of kernels',
  cluster: 'Clusters of CTAs', device: 'Device',
};

/** The part that a key belongs to: "tlb.l1" of "tlb.l1.reach". */
function partOf(key) {
  const names = key.split('.');
  const two = names.slice(0, 2).join('.');
  return two in knownParts ? two : names[0];
}

/** The title of a part. */
function titleOf(part) {
  return knownParts[part] ?? part.replaceAll('_', ' ');
}

const isTable = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** All facts below a table of the topology, with their keys. */
function* factsBelow(table, prefix) {
  for (const [name, member] of Object.entries(table)) {
    if (!isTable(member)) continue;
    const key = prefix ? `${prefix}.${name}` : name;
    const isFact = 'source' in member && 'unit' in member;
    if (isFact) yield { key, ...member };
    const { value, conditions, ...inner } = member;
    yield* factsBelow(isFact ? inner : member, key);
  }
}

function readDevice({ name, topology, evidence, findings }) {
  const { schema_version: _, provenance: { comparison = {}, ...provenance } = {}, outcomes = {}, probes = {}, ...parts } = topology;
  const facts = new Map();
  for (const fact of factsBelow(parts, '')) facts.set(fact.key, fact);
  return {
    file: name,
    name: facts.get('device.name')?.value ?? provenance.device?.name ?? name,
    facts, provenance, outcomes, probes, findings: findings ?? [], verdicts: comparison,
    packedEvidence: evidence, evidence: null,
  };
}

/** The devices of the report. Devices of one name are told apart by their files. */
function readReport({ topologies }) {
  const devices = topologies.map(readDevice);
  for (const device of devices) {
    const isAlone = devices.filter((other) => other.name === device.name).length === 1;
    device.label = isAlone ? device.name : `${device.name} (${device.file})`;
  }
  return devices;
}

/** Unpacks evidence: base64 of zlib's format. */
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
}

/** Fills in `evidence` of every device that has some. */
async function readEvidence(devices) {
  for (const device of devices) {
    if (device.packedEvidence) device.evidence = (await unpack(device.packedEvidence)).evidence;
  }
}

/** The columns of the curve behind a fact, or null. */
function columnsOf(device, fact) {
  return device.evidence?.[fact.probe]?.[fact.evidence] ?? null;
}

const numberOf = (device, key) => {
  const value = device.facts.get(key)?.value;
  return isNumber(value) ? value : null;
};

/** The value of a fact if it is a list. A plugin may publish anything under any key. */
const listOf = (device, key) => {
  const value = device.facts.get(key)?.value;
  return Array.isArray(value) ? value : null;
};

/** The value of a fact if it is lists of numbers, such as groups of SMs. */
const groupsOf = (device, key) => (isGroups(device.facts.get(key)?.value) ? device.facts.get(key).value : null);

const warpSizeOf = (device) => numberOf(device, 'device.warp_size') ?? 32;

const factText = (device, key) => formatFact(device.facts.get(key));
