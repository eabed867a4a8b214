"""Times NPT training steps in PyTorch (eager; float32, and with autocast to bfloat16), for `make bench-npt`: 8 layers, 8 heads, dropout
0.1, LAMB and Lookahead, a table of 506 rows and 14 columns.

    python torch_step.py [WIDTH ...]
"""
import resource
import sys
import time

import torch
from torch.nn import functional as F

from torch_npt import NPT, losses

ROWS, HEADS, LAYERS, DROPOUT = 506, 8, 8, 0.1
CATEGORIES = [0] * 11 + [2, 9, 0]  # the last column is the target


class LAMB:
    """LAMB without bias correction inside Lookahead (6, 0.5)."""

    def __init__(self, params):
        self.params = list(params)
        self.m = [torch.zeros_like(p) for p in self.params]
        self.v = [torch.zeros_like(p) for p in self.params]
        self.slow, self.step = None, 0

    @torch.no_grad()
    def __call__(self, rate):
        for p, m, v in zip(self.params, self.m, self.v):
            g = p.grad.clamp_(-1, 1)
            m.mul_(0.9).add_(g, alpha=0.1)
            v.mul_(0.999).addcmul_(g, g, value=0.001)
            r = m / v.sqrt().add_(1e-6)
            w_norm, r_norm = p.norm().clamp(max=10), r.norm()
            trust = 1.0 if w_norm == 0 or r_norm == 0 else (w_norm / r_norm).item()
            p.add_(r, alpha=-rate * trust)
            p.grad = None
        self.step += 1
        if self.step % 6 == 0:
            if self.slow is None:
                self.slow = [p.clone() for p in self.params]
            for p, s in zip(self.params, self.slow):
                s.add_(p - s, alpha=0.5)
                p.copy_(s)


def batch():
    truth, columns = [], []
    asked = (torch.rand(ROWS, len(CATEGORIES)) < 0.15).float()
    asked[:, -1] = (torch.arange(ROWS) < 0.7 * ROWS).float()
    for j, c in enumerate(CATEGORIES):
        y = F.one_hot(torch.randint(c, (ROWS,)), c).float() if c else torch.randn(ROWS, 1)
        truth.append(y)
        columns.append(torch.cat([y * (1 - asked[:, j:j + 1]), asked[:, j:j + 1]], 1))
    return truth, columns, asked


def cpu_seconds():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime


def matmul_rate(n=2048, repeats=4):
    a, best = torch.randn(n, n), 0.0
    for _ in range(4):
        start = time.perf_counter()
        for _ in range(repeats):
            a @ a
        best = max(best, repeats * 2 * n**3 / (time.perf_counter() - start))
    return best


def main():
    torch.manual_seed(0)
    rate = matmul_rate()
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads, matmul {rate / 1e9:.0f} GFLOP/s")
    for e, half in [(int(a), half) for a in sys.argv[1:] or [16, 32, 64, 128] for half in (False, True)]:
        model = NPT(CATEGORIES, e, LAYERS, HEADS, DROPOUT)
        optimiser = LAMB(model.parameters())
        truth, columns, asked = batch()

        def step():
            with torch.autocast("cpu", torch.bfloat16, enabled=half):
                label, feature = losses(CATEGORIES, {len(CATEGORIES) - 1}, model(columns), truth, asked)
            (0.5 * feature + 0.5 * label).backward()
            optimiser(1e-3)

        step()
        repeats = 3
        start, cpu = time.perf_counter(), cpu_seconds()
        for _ in range(repeats):
            step()
        seconds, cpu = (time.perf_counter() - start) / repeats, (cpu_seconds() - cpu) / repeats
        n, d, h = ROWS, len(CATEGORIES), len(CATEGORIES) * e
        flop = 3 * LAYERS / 2 * (26 * n * h * h + 4 * n * n * h + 26 * n * d * e * e + 4 * n * d * d * e)
        print(f"boston/e={e:<4} {'bfloat16' if half else 'float32 '} {seconds:8.4f} s/step {cpu:8.4f} cpu-s/step {flop / seconds / 1e9:8.1f} GFLOP/s "
              f"{100 * flop / seconds / rate:5.1f} %-of-matmul", flush=True)


main()
