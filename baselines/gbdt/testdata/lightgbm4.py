"""Writes lightgbm4.txt, a model of LightGBM 4.6, and lightgbm4.csv: features and the library's raw predictions by it."""
import lightgbm, numpy as np
rng = np.random.default_rng(4)
x = np.c_[rng.integers(0, 6, 300), rng.normal(size=(300, 2)).round(1)].astype("f4").astype(float)
x[rng.random(x.shape) < 0.1] = np.nan
y = np.nan_to_num(x[:, 0] % 3 + x[:, 1] * x[:, 2])
model = lightgbm.LGBMRegressor(n_estimators=8, min_child_samples=5, num_leaves=6, verbose=-1).fit(x, y, categorical_feature=[0])
model.booster_.save_model("lightgbm4.txt")
x = x[:40]
np.savetxt("lightgbm4.csv", np.c_[x, model.predict(x, raw_score=True)], delimiter=",", fmt="%.17g")
