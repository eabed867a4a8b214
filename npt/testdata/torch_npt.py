"""NPT and its loss in PyTorch, written from the paper and from how its published code differs, apart from the Go package:
the yardstick of its benchmark, and an oracle for shapes that the official vectors do not have."""
import math

import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    """MHSA, equations 4 and 5, for tokens of width w. norm_keys normalises the input of keys and values as equation 4 does, else
    that of the queries alone is, as in the published code."""

    def __init__(self, w, heads, dropout, norm_keys):
        super().__init__()
        self.scale, self.heads, self.dropout, self.norm_keys = 1 / math.sqrt(w), heads, dropout, norm_keys
        self.ln0, self.ln1 = nn.LayerNorm(w, eps=1e-12), nn.LayerNorm(w, eps=1e-12)
        self.q, self.k, self.v, self.mix, self.res = (nn.Linear(w, w) for _ in range(5))
        self.ff1, self.ff2 = nn.Linear(w, 4 * w), nn.Linear(4 * w, w)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(-3, -2)

    def forward(self, x):
        def drop(y):
            return F.dropout(y, self.dropout)
        source = self.ln0(x) if self.norm_keys else x
        q, k, v = self.split(self.q(self.ln0(x))), self.split(self.k(source)), self.split(self.v(source))
        a = torch.softmax(q @ k.transpose(-1, -2) * self.scale, -1)
        h = drop(self.mix((drop(a) @ v).transpose(-3, -2).flatten(-2))) + self.res(x)
        return h + drop(self.ff2(drop(F.gelu(self.ff1(self.ln1(h))))))


class NPT(nn.Module):
    """categories has the number of classes of every column, 0 for continuous ones."""

    def __init__(self, categories, e, layers, heads, dropout=0.0, norm_keys=False):
        super().__init__()
        d, self.dropout = len(categories), dropout
        self.kinds = [int(c > 0) for c in categories]
        self.inputs = nn.ModuleList(nn.Linear(max(c, 1) + 1, e) for c in categories)
        self.outputs = nn.ModuleList(nn.Linear(e, max(c, 1)) for c in categories)
        self.index = nn.Embedding(d, e)
        self.kind = nn.Embedding(2, e) if len(set(self.kinds)) == 2 else None
        self.layers = nn.ModuleList(Attention(e if i % 2 else d * e, heads, dropout, norm_keys) for i in range(layers))

    def forward(self, columns):
        """columns: for each one a tensor of rows x (values and mask token)."""
        x = torch.stack([f(c) for f, c in zip(self.inputs, columns)], 1) + self.index.weight
        if self.kind is not None:
            x = x + self.kind(torch.tensor(self.kinds))
        x = F.dropout(x, self.dropout)
        n, d, e = x.shape
        for i, layer in enumerate(self.layers):
            x = layer(x) if i % 2 else layer(x.reshape(1, n, d * e)).reshape(n, d, e)
        x = F.dropout(x, self.dropout)
        return [f(x[:, j]) for j, f in enumerate(self.outputs)]


def losses(categories, targets, outputs, truth, asked):
    """The label loss and the feature loss: means over the entries asked for (rows x columns of 0 and 1)."""
    sums, numbers = [0.0, 0.0], [0.0, 0.0]
    for j, (c, z, y) in enumerate(zip(categories, outputs, truth)):
        each = -(F.log_softmax(z, 1) * y).sum(1) if c else (z[:, 0] - y[:, 0]) ** 2
        kind = 0 if j in targets else 1
        sums[kind] = sums[kind] + (each * asked[:, j]).sum()
        numbers[kind] = numbers[kind] + asked[:, j].sum()
    return [s / max(float(n), 1.0) for s, n in zip(sums, numbers)]
