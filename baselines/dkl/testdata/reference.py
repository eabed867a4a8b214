"""What GPyTorch computes for a model with random parameters, as JSON: reference.py SEED INPUTS HIDDEN FEATURES POINTS ROWS.

Parameters stand in the order of the Go model: weights and bias of every layer, inducing points, mean and root of the
variational distribution, constant, raw length-scale, raw output scale, raw noise.
"""

import json
import sys

import gpytorch
import torch

seed, inputs, hidden, features, points, rows = map(int, sys.argv[1:])
torch.manual_seed(seed)
torch.set_default_dtype(torch.float64)
total, rate = 5 * rows, 1e-2


class Process(gpytorch.models.ApproximateGP):
    def __init__(self):
        distribution = gpytorch.variational.CholeskyVariationalDistribution(points)
        super().__init__(gpytorch.variational.VariationalStrategy(self, torch.randn(points, features), distribution))
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


class Exact(gpytorch.models.ExactGP):
    def __init__(self, x, y, process, likelihood):
        super().__init__(x, y, likelihood)
        self.mean_module, self.covar_module = process.mean_module, process.covar_module

    forward = Process.forward


network = torch.nn.Sequential(torch.nn.Linear(inputs, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, hidden), torch.nn.ReLU(),
                              torch.nn.Linear(hidden, features))
process, likelihood = Process(), gpytorch.likelihoods.GaussianLikelihood()
strategy = process.variational_strategy
distribution = strategy._variational_distribution
strategy.variational_params_initialized.fill_(1)
kernel = process.covar_module
parameters = [*network.parameters(), strategy.inducing_points, distribution.variational_mean, distribution.chol_variational_covar,
              process.mean_module.raw_constant, kernel.base_kernel.raw_lengthscale, kernel.raw_outputscale,
              likelihood.noise_covar.raw_noise]
with torch.no_grad():
    network[-1].weight.mul_(5)  # so that distances matter
    distribution.variational_mean.normal_()
    distribution.chol_variational_covar.copy_(torch.eye(points) + 0.3 * torch.randn(points, points).tril())
    for p in parameters[-4:]:
        p.normal_()
x, y = torch.randn(rows, inputs), torch.randn(rows)
bound = gpytorch.mlls.VariationalELBO(likelihood, process, num_data=total)


def flat(tensors):
    return torch.cat([t.detach().reshape(-1) for t in tensors]).tolist()


out = {"inputs": inputs, "hidden": hidden, "features": features, "points": points, "rows": rows, "total": total, "rate": rate,
       "x": flat([x]), "y": y.tolist(), "theta": flat(parameters)}
process.eval()
with torch.no_grad():
    posterior = process(network(x))
    out["mean"], out["variance"] = posterior.mean.tolist(), posterior.variance.tolist()
    half = rows // 2
    observed = gpytorch.likelihoods.GaussianLikelihood()
    observed.noise = likelihood.noise + 1e-6  # the jitter of the Go model
    exact = Exact(network(x[:half]), y[:half], process, observed).eval()
    with gpytorch.settings.fast_computations(False, False, False):
        out["exact"] = exact(network(x[half:])).mean.tolist()
process.train()
out["losses"] = []
optimiser = torch.optim.Adam(parameters, lr=rate)
for step in range(20):
    optimiser.zero_grad()
    loss = -bound(process(network(x)), y)
    loss.backward()
    if step == 0:
        out["gradient"] = flat([p.grad for p in parameters])
    out["losses"].append(loss.item())
    optimiser.step()
json.dump(out, sys.stdout)
