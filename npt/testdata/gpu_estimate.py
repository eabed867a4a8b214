"""What limits NPT's training step on a GPU: XLA compiles it for an NVIDIA H200, which need not be there.

    gpu_estimate.py FOLDER     with the .mlir files of TestDumpStep

For every file one line: kernels per step, gigabytes that they read and write (what stays in the GPU's cache included), the
milliseconds that this takes at the nominal 4.8 TB/s, those of matrix products apart, and the memory that a step needs
beside the weights. Matrix products are left to cuBLAS: whether a kernel of XLA's own, with what comes before and after in
it, is faster, XLA finds out by measuring on the device.
"""

import collections
import os
import pathlib
import re
import sys
import time

os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"  # there is no GPU
os.environ["XLA_FLAGS"] = "--xla_gpu_enable_triton_gemm=false " + os.environ.get("XLA_FLAGS", "")

from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jax._src.lib.mlir import ir
from jax.experimental import topologies

H200 = """
gpu_device_info {
  threads_per_block_limit: 1024 threads_per_warp: 32 threads_per_core_limit: 2048
  shared_memory_per_block: 49152 shared_memory_per_core: 233472 shared_memory_per_block_optin: 232448
  core_count: 132 fpus_per_core: 128 clock_rate_ghz: 1.98
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
  registers_per_core_limit: 65536 registers_per_block_limit: 65536
  memory_bandwidth: 4800000000000 l2_cache_size: 52428800 device_memory_size: 150000000000
  cuda_compute_capability { major: 9 minor: 0 }
}
platform_name: "CUDA"
dnn_version_info { major: 9 minor: 8 }
runtime_version { major: 12 minor: 8 }
device_description_str: "NVIDIA H200"
"""
BANDWIDTH = 4.8e12

WIDTH = {"pred": 1, "s8": 1, "u8": 1, "bf16": 2, "f16": 2, "u16": 2, "f32": 4, "s32": 4, "u32": 4, "f64": 8, "s64": 8, "u64": 8}
NO_KERNEL = {"parameter", "get-tuple-element", "tuple", "bitcast", "constant"}


def size(shape):
    total = 0
    for dtype, dims in re.findall(r"\b(%s)\[([\d,]*)\]" % "|".join(WIDTH), shape):
        count = 1
        for d in filter(None, dims.split(",")):
            count *= int(d)
        total += count * WIDTH[dtype]
    return total


def kernels(hlo):
    """Yields whether a kernel of a step is a matrix product, its result's shape and the bytes that it reads and writes.

    The step is the body of the program's loop.
    """
    shapes = {}
    body = re.search(r" while\(.*body=%?([\w.\-]+)", hlo[hlo.index("\nENTRY"):]).group(1)
    body = hlo[re.search(r"\n%?" + re.escape(body) + r" \(", hlo).start():]
    for line in body[:body.index("\n}")].splitlines():
        m = re.match(r" *(?:ROOT )?%?([\w.\-]+) = (\(.*?\)|[^ ]+) ([\w\-]+)\((.*)", line)
        if not m:
            continue
        name, shape, op, rest = m.groups()
        shapes[name] = shape
        if op not in NO_KERNEL:
            operands = re.findall(r"%([\w.\-]+)", rest.split("), ")[0])
            product = op == "dot" or re.search(r'"kind":"[^"]*gemm|custom_call_target="__cublas', line) is not None
            yield product, shape, size(shape) + sum(size(shapes.get(o, "")) for o in operands)


def main():
    device = topologies.get_topology_desc("", "cuda", target_config=H200, topology="1x1x1").devices[0]
    options = xla_client.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.mlir")):
        start = time.time()
        with mlir.make_ir_context():
            module = ir.Module.parse(path.read_text())
            compiled = device.client.compile(module, xla_client.DeviceList((device,)), options)
        seconds = time.time() - start
        hlo = compiled.hlo_modules()[0].to_string()
        count, moved, largest = collections.Counter(), collections.Counter(), collections.Counter()
        for product, shape, traffic in kernels(hlo):
            count[product] += 1
            moved[product] += traffic
            largest[("product  " if product else "otherwise"), re.sub(r"\{[\d,]*\}", "", shape)[:60]] += traffic
        temporary = compiled.get_compiled_memory_stats().temp_size_in_bytes
        print(f"{path.stem:24s} {sum(count.values()):5d} kernels, {count[True]:4d} of them products; {sum(moved.values())/1e9:6.2f} GB moved"
              f" = {sum(moved.values())/BANDWIDTH*1e3:5.2f} ms, {moved[False]/BANDWIDTH*1e3:5.2f} of them not by products;"
              f" {temporary/1e6:6.0f} MB; compiled in {seconds:.0f} s", flush=True)
        if os.environ.get("NPT_ESTIMATE_DETAILS"):
            for (kind, shape), traffic in largest.most_common(20):
                print(f"    {traffic/1e6:9.1f} MB {kind} {shape}")


main()
