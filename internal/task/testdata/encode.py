"""Makes encode.json: a small table with gaps, encoded with scikit-learn 1.2.1 as the paper's code did it.

published: values are re-ordered by the split, the matrix of missing flags stays in file order.
corrected: both are re-ordered.
"""
import json
import numpy as np
from sklearn.preprocessing import OneHotEncoder, StandardScaler

rng = np.random.RandomState(0)
rows = 12
number = np.round(rng.normal(5, 3, rows), 2)
constant = np.full(rows, 0.1)
letter = np.array(list("baccabbacabc"), dtype=object)
target = np.round(rng.normal(10, 4, rows), 2)
gap_number = np.zeros(rows, bool); gap_number[[2, 7]] = True
gap_letter = np.zeros(rows, bool); gap_letter[[0, 7, 9]] = True
split = dict(train=[3, 0, 11, 8, 5, 10, 2], val=[9, 1], test=[4, 6, 7])
order = np.array(split["train"] + split["val"] + split["test"])

# What the loader does before the split: gaps become the mean, or the category "?" (here "~", which sorts last).
filled_number = number.copy(); filled_number[gap_number] = number[~gap_number].mean()
filled_letter = letter.copy(); filled_letter[gap_letter] = "~"

def encode(flags_number, flags_letter, stat_rows):
    columns = []
    for values, flags in ((filled_number[order], flags_number), (constant[order], np.zeros(rows, bool))):
        scaler = StandardScaler().fit(values[:stat_rows][~flags[:stat_rows], None])
        out = np.zeros(rows); out[~flags] = scaler.transform(values[~flags, None])[:, 0]
        columns.append(out[:, None])
    letters = filled_letter[order]
    onehot = OneHotEncoder(sparse_output=False).fit(letters[~flags_letter, None])
    out = np.zeros((rows, len(onehot.categories_[0])))
    out[~flags_letter] = onehot.transform(letters[~flags_letter, None])
    columns.append(out)
    return np.hstack(columns).tolist()

scaler = StandardScaler().fit(target[split["train"], None])
json.dump(dict(
    number=[None if g else v for v, g in zip(number, gap_number)], constant=constant.tolist(),
    letter=[None if g else v for v, g in zip(letter, gap_letter)], target=target.tolist(), split=split,
    published=encode(gap_number, gap_letter, rows), corrected=encode(gap_number[order], gap_letter[order], rows),
    corrected_train=encode(gap_number[order], gap_letter[order], len(split["train"])),
    y=scaler.transform(target[order, None])[:, 0].tolist(), mean=scaler.mean_[0], std=scaler.scale_[0],
), open("encode.json", "w"), indent=1)
