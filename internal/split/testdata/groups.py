# Folds of groups as scikit-learn 1.7.2 makes them, for TestGroupsEqualScikitLearn: python groups.py > groups.json
import hashlib
import json

import numpy as np
from sklearn.model_selection import GroupKFold, GroupShuffleSplit


def sha(rows):
    return hashlib.sha256(",".join(map(str, rows)).encode()).hexdigest()[:16]


cases = []
for rows, groups, folds in [(97, 10, 10), (240, 37, 10), (300, 23, 5), (40, 5, 2), (70000, 9001, 20)]:
    row = np.arange(rows, dtype=np.int64)
    group = row * row * row // 7 % groups
    _, group = np.unique(group, return_inverse=True)
    share = (0.2 if folds == 10 else 0.1) / (1 - 1 / folds)
    for fold, (rest, test) in enumerate(GroupKFold(folds, shuffle=True, random_state=42).split(group, groups=group)):
        train, val = next(GroupShuffleSplit(1, test_size=share, random_state=42).split(rest, groups=group[rest]))
        cases.append({"rows": rows, "groups": groups, "folds": folds, "fold": fold, "counts": [len(train), len(val), len(test)],
                      "train": sha(rest[train]), "val": sha(rest[val]), "test": sha(test)})
print("[" + ",\n".join(json.dumps(c) for c in cases) + "]")
