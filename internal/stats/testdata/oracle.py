"""Makes oracle.json.gz, the numbers that the tests of package stats compare with.

python3 -m venv venv && venv/bin/pip install scipy==1.16.3 mpmath==1.3.0 statsmodels==0.14.5
venv/bin/python oracle.py

SciPy gives what it has exactly; mpmath, with 40 digits, tails that are too small for a double and the studentised range; exact
signed-rank tests with shared ranks are counted over all signs. Inputs are random numbers of few digits, so that they are the same
in every language; those of large tests follow a formula (large, below).
"""

import gzip
import itertools
import json
from fractions import Fraction

import mpmath
import numpy as np
import scipy
from scipy import stats
from statsmodels.stats.multitest import multipletests

mpmath.mp.dps = 40
random = np.random.default_rng(20061107)
ALTERNATIVES = ["two-sided", "less", "greater"]


def log_tail(z):
    return float(mpmath.log(mpmath.erfc(mpmath.mpf(z) / mpmath.sqrt(2)) / 2))


def counted(signed, alternative):
    """The exact signed-rank test of differences other than zero, by enumeration."""
    ranks = [Fraction(float(r)) for r in stats.rankdata(np.abs(signed))]
    plus = sum((r for r, v in zip(ranks, signed) if v > 0), Fraction(0))
    sums = [sum(s) for s in itertools.product(*[(Fraction(0), r) for r in ranks])]
    less = Fraction(sum(s <= plus for s in sums), len(sums))
    greater = Fraction(sum(s >= plus for s in sums), len(sums))
    p = {"less": less, "greater": greater, "two-sided": min(1, 2 * min(less, greater))}[alternative]
    return {"plus": float(plus), "p": float(p)}


def wilcoxon_cases():
    cases = []
    for n in [1, 2, 3, 4, 5, 7, 9, 10, 13, 25, 50, 51, 120]:
        for decimals in [0, 1, 4]:
            x = random.normal(size=n).round(decimals)
            y = (random.normal(size=n) + random.choice([0, 0.5])).round(decimals)
            d = x - y
            case = {"x": x.tolist(), "y": y.tolist(), "tests": []}
            signed = d[d != 0]
            for alternative in ALTERNATIVES if len(signed) > 0 else []:
                plain = len(signed) == n and len(set(np.abs(d))) == n
                if n <= 10:
                    case["tests"].append({"alternative": alternative, "method": "exact", **counted(signed, alternative)})
                elif plain and n <= 50:
                    r = stats.wilcoxon(x, y, alternative=alternative, method="exact")
                    case["tests"].append({"alternative": alternative, "method": "exact", "p": r.pvalue})
                r = stats.wilcoxon(x, y, alternative=alternative, method="asymptotic")
                case["tests"].append({"alternative": alternative, "method": "normal", "statistic": r.statistic, "p": r.pvalue})
            cases.append(case)
    return cases


def large(n, shift):
    """x[i] = (7919 i mod 10007)/1024 and y[i] = (104729 i mod 10009 + shift)/1024, without rounding."""
    i = np.arange(n)
    return (7919 * i % 10007) / 1024, (104729 * i % 10009 + shift) / 1024


def large_cases():
    cases = []
    for n, shift in [(398, 0), (398, 4000), (5567, 50), (5567, -3000), (5567, 9000), (40000, 9000)]:
        x, y = large(n, shift)
        d = x - y
        d = d[d != 0]
        ranks = stats.rankdata(np.abs(d))
        plus, mean, variance = ranks[d > 0].sum(), ranks.sum() / 2, (ranks**2).sum() / 4
        z = (mpmath.mpf(plus) - mpmath.mpf(mean)) / mpmath.sqrt(mpmath.mpf(variance))
        r = stats.wilcoxon(x, y, method="asymptotic")
        assert r.statistic == min(plus, ranks.sum() - plus)
        cases.append({"n": n, "shift": shift, "statistic": r.statistic, "scipy": r.pvalue,
                      "two-sided": log_tail(abs(z)) + float(mpmath.log(2)), "less": log_tail(-z), "greater": log_tail(z)})
    return cases


def friedman_cases():
    cases = []
    for n, k, decimals in [(2, 3, 3), (3, 4, 0), (5, 3, 1), (10, 9, 3), (10, 9, 0), (30, 5, 0), (4, 9, 2), (12, 3, 6)]:
        matrix = (random.normal(size=(n, k)) + 0.4 * np.arange(k)).round(decimals)
        r = stats.friedmanchisquare(*matrix.T)
        f = (n - 1) * r.statistic / (n * (k - 1) - r.statistic)
        ranks = np.array([stats.rankdata(row) for row in matrix])
        cases.append({"results": matrix.tolist(), "chisquare": r.statistic, "p": r.pvalue, "f": f,
                      "fp": stats.f.sf(f, k - 1, (k - 1) * (n - 1)), "mean": ranks.mean(0).tolist(),
                      "stderr": stats.sem(ranks, 0).tolist()})
    return cases


def range_tail(q, k):
    """The definition, by sums of 60 digits: mpmath.quad is content with an absolute error."""
    with mpmath.workdps(60):
        q, step, total = mpmath.mpf(q), mpmath.mpf(1) / 16, 0
        for i in range(-12 * 16, int(q + 12) * 16):
            z = i * step
            below = mpmath.ncdf(z)
            total += mpmath.npdf(z) * (below ** (k - 1) - (below - mpmath.ncdf(z - q)) ** (k - 1))
        return k * total * step


def t_interval(d, se):
    """SciPy's quantiles have ten digits."""
    df = len(d) - 1
    tails = lambda t: mpmath.betainc(mpmath.mpf(df) / 2, 0.5, 0, df / (df + t * t), regularized=True)
    t = mpmath.findroot(lambda t: tails(t) - mpmath.mpf("0.05"), stats.t.isf(0.025, df))
    return float(d.mean() - t * se), float(d.mean() + t * se)


def range_cases():
    tails = [{"q": q, "k": k, "p": float(range_tail(q, k))} for q in [0.01, 0.5, 2, 3.5, 8, 20] for k in [2, 3, 9, 12, 40]]
    quantiles = []
    for alpha, k in itertools.product([0.1, 0.05, 0.001], [2, 3, 4, 9, 12, 40]):
        start = stats.studentized_range.isf(alpha, k, np.inf)
        quantiles.append({"alpha": alpha, "k": k, "q": float(mpmath.findroot(lambda q: range_tail(q, k) - mpmath.mpf(alpha), start))})
    return {"tails": tails, "quantiles": quantiles}


def adjust_cases():
    cases = []
    for n in [1, 3, 8, 36]:
        p = (random.uniform(size=n) ** 3).round(6)
        p[n // 2] = p[0]
        cases.append({"p": p.tolist(), "holm": multipletests(p, method="holm")[1].tolist()})
    return cases


def t_cases():
    cases = []
    for n, share in [(2, 0), (5, 0.25), (10, 1 / 9), (10, 0), (100, 1 / 9)]:
        d = (random.normal(size=n) + 0.3).round(4)
        # Nadeau and Bengio's test is Student's with another standard error.
        se = np.sqrt((1 / n + share) * d.var(ddof=1))
        t = d.mean() / se
        low, high = t_interval(d, se)
        case = {"d": d.tolist(), "share": share, "t": t, "p": 2 * stats.t.sf(abs(t), n - 1), "low": low, "high": high}
        if share == 0:
            assert np.isclose(case["p"], stats.ttest_1samp(d, 0).pvalue, rtol=1e-12)
        cases.append(case)
    return cases


def two_samples():
    cases = []
    for n, m, decimals in [(2, 3, 2), (10, 10, 1), (7, 12, 0)]:
        x, y = random.normal(size=n).round(decimals), (2 * random.normal(size=m) + 0.5).round(decimals)
        r = stats.ttest_ind(x, y, equal_var=False)
        u = stats.mannwhitneyu(x, y).statistic
        cases.append({"x": x.tolist(), "y": y.tolist(), "t": r.statistic, "df": r.df, "p": r.pvalue,
                      "delta": 2 * u / (n * m) - 1, "median": float(np.median(x))})
    return cases


oracle = {"source": f"scipy {scipy.__version__}, mpmath {mpmath.__version__}", "wilcoxon": wilcoxon_cases(), "large": large_cases(),
          "friedman": friedman_cases(), "range": range_cases(), "adjust": adjust_cases(), "t": t_cases(), "two": two_samples()}
with gzip.GzipFile("oracle.json.gz", "wb", mtime=0) as f:
    f.write(json.dumps(oracle, separators=(",", ":")).encode())
