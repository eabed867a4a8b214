"""What pytorch-tabnet makes of the same data.

    oracle.py steps SEED    50 training steps in double precision from random weights, with random settings, as JSON: settings, data,
                            weights and statistics at the beginning, the rows of every batch, the loss of every step, then the
                            predictions in evaluation mode
    oracle.py fit           reads a task and settings as JSON from standard input, trains with every seed, prints the test metric of
                            each as soon as it is there
    oracle.py time THREADS  reads cases as JSON, a line each, and answers with the processor time of a training step in seconds
"""
import contextlib
import io
import json
import sys
import time

import numpy as np
import torch
from pytorch_tabnet.tab_model import TabNetClassifier, TabNetRegressor
from pytorch_tabnet.tab_network import TabNet
from torch.nn.functional import cross_entropy, mse_loss
from torch.nn.utils import clip_grad_norm_


def network(c, virtual):
    numeric, cats = c["numeric"], c["categories"]
    width = numeric + len(cats)
    return TabNet(width, max(c["classes"], 1), n_d=c["n_d"], n_a=c["n_a"], n_steps=c["n_steps"], gamma=c["gamma"],
                  n_shared=c["n_shared"], n_independent=c["n_independent"], momentum=c["momentum"], virtual_batch_size=virtual,
                  cat_idxs=list(range(numeric, width)), cat_dims=cats, cat_emb_dim=1)


def step(net, optimiser, c, x, y):
    for p in net.parameters():
        p.grad = None
    z, sparsity = net(x)
    loss = cross_entropy(z, y) if c["classes"] else mse_loss(z, y)
    loss = loss - c["lambda_sparse"] * sparsity
    loss.backward()
    clip_grad_norm_(net.parameters(), 1)
    optimiser.step()
    return loss.item()


def table(c, rng, rows):
    x = [rng.standard_normal((rows, c["numeric"])).astype(np.float32).astype(float)]
    for n in c["categories"]:
        x.append(rng.integers(0, n, (rows, 1)).astype(float))
    x = np.concatenate(x, 1)
    score = np.sin(2 * x[:, 0]) + x[:, -1] + 0.1 * rng.standard_normal(rows)
    if c["classes"]:
        return x, np.argsort(np.argsort(score)) * c["classes"] // rows
    return x, ((score - score.mean()) / score.std())[:, None]


def dump(tensors):
    return {k: {"shape": list(v.shape), "data": v.reshape(-1).tolist()} for k, v in tensors.items() if v.dtype.is_floating_point}


def steps(seed):
    torch.set_num_threads(1)
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    c = dict(numeric=int(rng.integers(1, 6)), categories=rng.integers(2, 6, rng.integers(0, 4)).tolist(), classes=int(rng.choice([0, 2, 3])),
             n_d=int(rng.integers(2, 7)), n_a=int(rng.integers(2, 7)), n_steps=int(rng.integers(1, 5)), gamma=float(rng.uniform(1, 2)),
             n_shared=int(rng.integers(1, 3)), n_independent=int(rng.integers(1, 3)), momentum=float(rng.uniform(0.02, 0.5)),
             batch_size=int(rng.choice([12, 16, 23])), virtual_batch_size=int(rng.choice([5, 6, 8, 128])),
             lambda_sparse=float(rng.uniform(0, 0.1)), lr=0.002, sched_step=3, sched_gamma=0.9)
    rows = 60
    x, y = table(c, rng, rows)
    net = network(c, c["virtual_batch_size"]).double()
    before = dump(net.state_dict())
    optimiser = torch.optim.Adam(net.parameters(), lr=c["lr"])
    schedule = torch.optim.lr_scheduler.StepLR(optimiser, c["sched_step"], c["sched_gamma"])
    tx, ty = torch.tensor(x), torch.tensor(y)
    batches, losses, epochs = [], [], []
    net.train()
    epoch = 0
    while len(losses) < 50:
        order = rng.permutation(rows)
        for i in range(0, rows - c["batch_size"] + 1, c["batch_size"]):
            batch = order[i:i + c["batch_size"]]
            batches.append(batch.tolist())
            epochs.append(epoch)
            losses.append(step(net, optimiser, c, tx[batch], ty[batch]))
        schedule.step()
        epoch += 1
    net.eval()
    with torch.no_grad():
        z, _ = net(tx)
    json.dump(dict(config=c, x=x.tolist(), y=y.reshape(-1).tolist(), before=before, batches=batches, epochs=epochs, losses=losses,
                   predictions=(torch.softmax(z, 1) if c["classes"] else z).tolist()), sys.stdout)


def fit():
    torch.set_num_threads(1)
    task = json.load(sys.stdin)
    c = task["config"]
    x = {k: np.array(v, dtype=np.float32) for k, v in task["x"].items()}
    y = {k: np.array(v, dtype=int if c["classes"] else np.float32) for k, v in task["y"].items()}
    if not c["classes"]:
        y = {k: v.reshape(-1, 1) for k, v in y.items()}
    for seed in task["seeds"]:
        kind = TabNetClassifier if c["classes"] else TabNetRegressor
        numeric, cats = c["numeric"], c["categories"]
        with contextlib.redirect_stdout(io.StringIO()):
            model = kind(n_d=c["n_d"], n_a=c["n_a"], n_steps=c["n_steps"], gamma=c["gamma"], momentum=c["momentum"],
                         lambda_sparse=c["lambda_sparse"], cat_idxs=list(range(numeric, numeric + len(cats))), cat_dims=cats,
                         optimizer_params=dict(lr=c["lr"]), scheduler_fn=torch.optim.lr_scheduler.StepLR,
                         scheduler_params=dict(step_size=c["sched_step"], gamma=c["sched_gamma"]), seed=seed, verbose=0, device_name="cpu")
            model.fit(x["train"], y["train"], eval_set=[(x["val"], y["val"])], eval_metric=["logloss" if c["classes"] else "mse"],
                      max_epochs=c["max_epochs"], patience=c["patience"], batch_size=c["batch_size"],
                      virtual_batch_size=c["virtual_batch_size"], drop_last=c["drop_last"])
            if c["classes"]:
                p = model.predict_proba(x["test"]).astype(float)
                metric = -np.log(np.clip(p[np.arange(len(p)), y["test"]], 1e-15, 1)).mean()
            else:
                metric = ((model.predict(x["test"]).astype(float) - y["test"]) ** 2).mean() ** 0.5
        print(json.dumps(dict(metric=float(metric), epochs=len(model.history["loss"]), best=int(model.best_epoch) + 1)), flush=True)


def measure(threads):
    torch.set_num_threads(threads)
    for line in sys.stdin:
        c = json.loads(line)
        x, y = table(c, np.random.default_rng(1), c["batch_size"])
        x, y = torch.tensor(x).float(), torch.tensor(y) if c["classes"] else torch.tensor(y).float()
        net = network(c, c["virtual_batch_size"])
        optimiser = torch.optim.Adam(net.parameters(), lr=0.02)
        net.train()
        step(net, optimiser, c, x, y)
        start = time.process_time()
        for _ in range(c["steps"]):
            step(net, optimiser, c, x, y)
        print((time.process_time() - start) / c["steps"], flush=True)


if __name__ == "__main__":
    {"steps": lambda: steps(int(sys.argv[2])), "fit": fit, "time": lambda: measure(int(sys.argv[2]))}[sys.argv[1]]()
