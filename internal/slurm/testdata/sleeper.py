"""A method of one's own that takes some seconds, or more time or memory than it may have. It predicts zeros."""
import json
import time

needs = json.load(open("task.json"))["params"]["needs"]
time.sleep({"nothing": 5, "time": 1000, "memory": 2}[needs])
if needs == "memory":
    hoard = [bytearray(b"x" * (64 << 20)) for _ in range(40) if time.sleep(0.2) is None]
for part in ("val", "test"):
    rows = sum(1 for _ in open(part + "_x.csv")) - 1
    with open(part + "_predicted.csv", "w") as f:
        f.write("0\n" * rows)
