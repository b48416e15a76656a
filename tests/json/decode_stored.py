# Decodes files of stored bytes with Python's yaml or msgpack, and compares with the JSON beside them.
#
#   decode_stored.py DIRECTORY     # NAME.document, and beside it NAME.yaml, NAME.json and NAME.msgpack
#
# Exits with 77 when a library is missing, 1 when a value differs; prints how many were equal.
import glob
import json
import math
import os
import sys

try:
    import msgpack
    import yaml
except ImportError as missing:
    print(missing)
    sys.exit(77)


def same(a, b):
    """Equality that tells 1 from true, and 0.0 from -0.0; members in order."""
    if isinstance(a, (bool, str)) or a is None:
        return type(a) is type(b) and a == b
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if type(a) is not type(b):
        return False
    return a == b and (a != 0 or math.copysign(1, a) == math.copysign(1, b))


def decode(kind, stored):
    if kind == "yaml":
        return yaml.load(stored.decode(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    if kind == "msgpack":
        return msgpack.unpackb(stored, raw=False, strict_map_key=True)
    return json.loads(stored)


equal = 0
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.document"))):
    with open(path, "rb") as file:
        expected = json.load(file)
    for kind in ("yaml", "json", "msgpack"):
        with open(path[: -len("document")] + kind, "rb") as file:
            found = decode(kind, file.read())
        if not same(expected, found):
            print(f"{path} differs as {kind}")
            sys.exit(1)
        equal += 1
print("equal:", equal)
