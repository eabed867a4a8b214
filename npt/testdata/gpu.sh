#!/bin/sh
# The first things to do with NPT on a machine with a GPU, in the order of what they cost. `make gpu-kit` puts this and all that
# it needs into out/gpu-kit: the machine needs neither Go nor a network, only XLA's plugin for its GPU.
#
#     NPT_XLA_CUDA=.../jax_plugins/xla_cuda13/xla_cuda_plugin.so sh gpu.sh OUT [flags of table1]
#
# Into the folder OUT (a relative one is beside this script) go tests.log, bench.log, and the records and tables of the sweep npt-base
# as far as it gets: the same command goes on. PROGRAM=corruption SWEEP=corruption-full runs another program and sweep.
set -eu
cd "$(dirname "$0")"
out=$1
shift
backend=${BACKEND:-xla:cuda}
mkdir -p "$out"
export XLA_FLAGS="${XLA_FLAGS:---xla_gpu_enable_triton_gemm=false}" # compiling seems to take far less time so (GPU.md)
command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv | tee "$out/gpu.csv"

# In float32 with exact products, and in float64, against the reference numbers.
[ "$out/tests.log" -nt npt.test ] || GOMLX_BACKEND="$backend,tf32=false" ./npt.test -test.run "${TESTS:-Golden|Gradients|Steps|Padded|Masks|Recompute|Resume|Dropout|Lookahead|Predict|Model|SideBySide|OnBackends}" -test.v >"$out/tests.log" 2>&1 ||
	echo "tests failed: $out/tests.log"
grep -c '^--- PASS' "$out/tests.log" || true
grep '^--- FAIL' "$out/tests.log" || true

# Seconds for a step and the share of the matmul rate.
[ "$out/bench.log" -nt npt.test ] || GOMLX_BACKEND="$backend" NPT_BENCH="${BENCH:-boston/e=16,boston/e=128,protein}" NPT_BENCH_PRECISION="${PRECISIONS:-float32,bfloat16}" \
	./npt.test -test.run '^$' -test.bench 'Step|Evaluation' -test.benchtime "${BENCHTIME:-60x}" >"$out/bench.log" 2>&1 || echo "benchmarks failed: $out/bench.log"
grep Benchmark "$out/bench.log" || true

exec "./${PROGRAM:-table1}" -sweep "${SWEEP:-npt-base}" -backend "$backend" -data data -out "$out" "$@"
