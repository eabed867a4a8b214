"""Writes numbers of small networks of odd shapes, computed in double precision, in the form of the official vectors.

    python torch_vectors.py FIRST_SEED NUMBER [DROPOUT] > vectors.json

With dropout the masks are written too, in the order in which the forward pass uses them.
"""
import json
import random
import sys

import torch

from torch_npt import NPT, losses

MODULES = {"q": "fc_q", "k": "fc_k", "v": "fc_v", "mix": "fc_mix_heads", "res": "fc_res", "ff1": "rff.0", "ff2": "rff.2"}


def official(name):
    """What the published code calls a parameter."""
    part = name.split(".")
    if part[0] in ("inputs", "outputs"):
        return f"{part[0][:-1].replace('put', '')}_embedding.{part[1]}.{part[2]}"
    if part[0] in ("index", "kind"):
        return f"feature_{'index' if part[0] == 'index' else 'type'}_embedding.weight"
    return f"enc.{2 * int(part[1]) + 1}.mab.{MODULES.get(part[2], part[2])}.{part[3]}"


def case(seed, dropout):
    rng = random.Random(seed)
    torch.manual_seed(seed)
    d = rng.choice([2, 3, 4])
    categories = {0: [0] * d, 1: [rng.randint(2, 5) for _ in range(d)]}.get(
        rng.randrange(5), [rng.choice([0, 2, 3, 7]) for _ in range(d)])
    target = [0, d - 1, rng.randrange(d)][seed % 3]
    heads = rng.choice([1, 2, 3])
    e = max(2, heads * rng.choice([1, 2]))  # one number, normalised, is nothing but rounding errors
    n, layers, lam = rng.choice([1, 2, 7, 11]), rng.choice([2, 4]), rng.choice([0.0, 0.3, 1.0])
    norm_keys = seed % 12 >= 10
    model = NPT(categories, e, layers, heads, dropout, norm_keys)
    with torch.no_grad():
        for p in model.parameters():  # biases and norms away from where they start
            p.add_(0.1 * torch.randn_like(p))

    codes = torch.tensor([[rng.choice([0, 0, 1, 2, 3]) for _ in range(d)] for _ in range(n)])
    codes[0, target], codes[0, (target + 1) % d] = 1, 2
    columns, truth = [], []
    for j, c in enumerate(categories):
        def draw():
            if not c:
                return torch.randn(n, 1)
            return torch.nn.functional.one_hot(torch.randint(c, (n,)), c).double()
        y, token = draw(), ((codes[:, j:j + 1] == 1) | (codes[:, j:j + 1] == 3)).double()
        seen = torch.where(codes[:, j:j + 1] == 2, draw(), y) * (1 - token)
        truth.append(y)
        columns.append(torch.cat([seen, token], 1))
    masks = []

    def drop(x, p):
        keep = torch.rand_like(x) >= p
        if p > 0:
            masks.append("".join("01"[k] for k in keep.flatten().int().tolist()))
        return torch.where(keep, x / (1 - p), 0.0)

    torch.nn.functional.dropout = drop
    outputs = model(columns)
    asked = ((codes == 1) | (codes == 2)).double()
    label, feature = losses(categories, {target}, outputs, truth, asked)
    total = lam * feature + (1 - lam) * label
    total.backward()

    def tensors(values):
        return {official(k): {"shape": list(v.shape), "data": v.flatten().tolist()} for k, v in values}
    return {
        "config": {
            "columns": [{"type": "categorical" if c else "continuous", "categories": c} for c in categories],
            "target": target, "rows": n, "dim_hidden": e, "heads": heads, "layers": layers, "tradeoff_lambda": lam, "dropout": dropout,
            "norm_keys": norm_keys, "feature_type_embedding": model.kind is not None,
        },
        "dropout_masks": masks, "mask": codes.tolist(), "input": [c.tolist() for c in columns], "truth": [y.tolist() for y in truth],
        "output": [z.tolist() for z in outputs],
        "loss": {"target": label.item(), "feature": feature.item(), "total": total.item()},
        "params": tensors((k, p.detach()) for k, p in model.named_parameters()),
        "grads": tensors((k, torch.zeros_like(p) if p.grad is None else p.grad) for k, p in model.named_parameters()),
    }


def main():
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    first, number = int(sys.argv[1]), int(sys.argv[2])
    dropout = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
    json.dump([case(seed, dropout) for seed in range(first, first + number)], sys.stdout)


main()
