"""Measures every GPU of a node under ReFrame, and compares the GPUs with each other. See docs/fleets.md.

reframe -c tomograph_check.py --performance-report -r
"""
import json
import os

import reframe as rfm
import reframe.utility.sanity as sn
import reframe.utility.typecheck as typ


@rfm.simple_test
class TomographCheck(rfm.RunOnlyRegressionTest):
    descr = 'Latencies and bandwidths of the GPUs of a node; none may be odd'
    valid_systems = ['*']
    valid_prog_environs = ['*']
    executable = 'tomograph'
    devices = variable(str, value='cuda:all')
    facts = variable(typ.List[str], value=['l1_data.latency', 'l2.latency', 'dram.latency', '*.bandwidth.read'])

    @run_before('run')
    def measure_then_compare(self):
        patterns = [word for fact in self.facts for word in ('--only', f"'{fact}'")]
        self.executable_opts = ['run', '--device', f"'{self.devices}'", *patterns, '--output', 'gpu.toml']
        self.postrun_cmds = ['tomograph fleet gpu.*.toml', 'tomograph export jsonl gpu.*.toml -o facts.jsonl']

    @sanity_function
    def no_gpu_is_odd(self):
        # Fewer than three GPUs of a kind are measured, but not compared.
        return sn.assert_found(r'^no GPU (is odd|was compared)', self.stdout)

    @run_before('performance')
    def report_each_fact(self):
        with open(os.path.join(self.stagedir, 'facts.jsonl')) as lines:
            for fact in map(json.loads, lines):
                if fact['source'] == 'measured' and fact['low'] is not None:
                    name = f'{fact["key"]} {fact["uuid"]}'.strip()
                    self.perf_variables[name] = sn.make_performance_function(sn.defer(fact['value']), fact['unit'])
