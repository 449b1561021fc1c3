"""Tamper with saved models: change what is in their files, with digests that are right again, or break the files."""

import hashlib
import json
import shutil


def copy_of(folder, tmp_path):
    copy = tmp_path / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    return copy


def sign(folder, fields):
    """Write fields with the digests that belong to them, as somebody would who means harm."""
    fields.pop("digest", None)
    fields["arrays_digest"] = hashlib.sha256((folder / "arrays.safetensors").read_bytes()).hexdigest()
    canonical = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
    fields["digest"] = hashlib.sha256(canonical).hexdigest()
    (folder / "model.json").write_text(json.dumps(fields))


def fields_of(folder):
    return json.loads((folder / "model.json").read_text())


def arrays_of(folder):
    from safetensors.numpy import load_file

    return load_file(folder / "arrays.safetensors")


def put_arrays(folder, arrays):
    from safetensors.numpy import save_file

    save_file(arrays, folder / "arrays.safetensors")
    sign(folder, fields_of(folder))


def changed(name, change):
    def do(arrays):
        arrays[name] = change(arrays[name].copy())

    return do


def first(value):
    def put(array):
        array.flat[0] = value
        return array

    return put


def mutate_fields(folder, rng, signed):
    """Change a value somewhere in the JSON, or some of its bytes."""
    if not signed:
        (folder / "model.json").write_bytes(mutated((folder / "model.json").read_bytes(), rng))
        return
    fields = fields_of(folder)
    inside, key = fields, rng.choice([k for k in fields if k != "provenance"])
    while isinstance(inside[key], dict | list) and inside[key] and rng.random() < 0.8:
        inside = inside[key]
        key = rng.choice(list(inside)) if isinstance(inside, dict) else rng.randrange(len(inside))
    strange = [None, True, -1, 0, 2**70, -1e308, 1e-320, "", "x" * 1000, [], {}, [[]], {"a": 1}, "../../x", [None], 1.5]
    if rng.random() < 0.2:
        del inside[key]
    else:
        inside[key] = rng.choice(strange)
    sign(folder, fields)


def mutated(content, rng):
    """Bytes flipped, cut off, doubled, or put in."""
    data = bytearray(content)
    kind = rng.randrange(5)
    if kind == 0:
        return bytes(data[: rng.randrange(len(data))])
    for _ in range(rng.randint(1, 8)):
        # The header is short, and its bytes matter most.
        place = rng.randrange(min(len(data), 3000) if rng.random() < 0.5 else len(data))
        if kind == 1:
            data[place] ^= 1 << rng.randrange(8)
        elif kind == 2:
            data[place] = rng.choice(b'\0\xff"{}[]0919,:-')
        elif kind == 3:
            del data[place : place + rng.randint(1, 20)]
        else:
            data[place:place] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 9)))
    return bytes(data)
