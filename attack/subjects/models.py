"""Models with bytes changed anywhere, in the header or in a tensor, and the checksum made right again."""

from __future__ import annotations

import struct
from random import Random

from attack import bases, containers
from attack.case import Case, Command, Step
from attack.mutations import mutated

NUMBERS = [0, 1, -1, 2**31 - 1, 2**31, 2**32 - 1, 2**53, 2**62, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, 1e308, -1e308, 5e-324, float("nan"), float("inf"), 1e-300]


def make(random: Random) -> Case:
    name = random.choice(list(bases.MODELS))
    source, _ = bases.MODELS[name]
    data = bases.model(name)
    changed = _changed(random, data)
    return Case({"bad": changed, source: bases.data(source)}, steps(random, "bad", source))


def steps(random: Random, model: str, source: str) -> list[Step]:
    """Every use that a model can be put to, one or two of them."""
    every = [
        ["inspect", model],
        ["inspect", model, "--json"],
        ["inspect", model, source, "--row", str(random.randrange(1, 60))],
        ["inspect", model, "--features", "*", "--top", random.choice(["1", "1000000000"])],
        ["predict", model, source],
        ["predict", model, source, "--as", "jsonl"],
        ["predict", model, source, "--as", "labels", "--cost", "a,b=2"],
        ["evaluate", model, source],
        ["evaluate", model, source, "--json"],
        ["verify", model, source],
        ["verify", model, source, "--json"],
    ]
    return [Command(each) for each in random.sample(every, random.choice([1, 2, 2, 4]))]


def _changed(random: Random, data: bytes) -> bytes:
    size = int.from_bytes(data[:8], "little")
    way = random.random()
    if way < 0.1:
        return mutated(random, data)
    if way < 0.2:
        return containers.resealed(mutated(random, data))
    if way < 0.45:
        header = mutated(
            random,
            data[8 : 8 + size].rstrip(),
            [b'"', b"{", b"}", b"[", b"]", b",", b":", b"0", b"-", b"\\\\", b"null", b"1e400"],
        )
        header += b" " * (-len(header) % 8)
        return containers.resealed(len(header).to_bytes(8, "little") + header + data[8 + size :])
    metadata, parts, tensors = containers.taken_apart(data)
    for _ in range(random.choice([1, 1, 2, 3])):
        _change_tensor(random, parts["layout"], tensors)
    return containers.put_together(metadata, parts, tensors)


def _change_tensor(random: Random, layout: dict, tensors: dict[str, bytes]) -> None:
    name = random.choice(list(tensors))
    item = containers.SIZES[layout[name]["dtype"]]
    content = bytearray(tensors[name])
    count = len(content) // item
    match random.randrange(6):
        case 0 if count:  # one number
            at = random.randrange(count) * item
            content[at : at + item] = _number(random, layout[name]["dtype"])
        case 1 if count:  # the first or the last
            at = random.choice([0, count - 1]) * item
            content[at : at + item] = _number(random, layout[name]["dtype"])
        case 2 if count:  # all of them
            content[:] = _number(random, layout[name]["dtype"]) * count
        case 3:  # longer or shorter
            more = random.choice([-1, 1, 5])
            content = content[: more * item] if more < 0 else content + content[:item] * more
            if len(layout[name]["shape"]) == 1:
                layout[name] = {**layout[name], "shape": [len(content) // item]}
        case 4:  # another shape
            layout[name] = {
                **layout[name],
                "shape": random.choice([[count], [1, count], [count, 1], [0], [], [count // 2, 2], [2**62, 4]]),
            }
        case 5:  # another type, or gone
            if random.random() < 0.5 and len(tensors) > 1:
                del tensors[name], layout[name]
                return
            layout[name] = {**layout[name], "dtype": random.choice(list(containers.SIZES))}
    tensors[name] = bytes(content)


def _number(random: Random, dtype: str) -> bytes:
    if dtype.startswith("F"):
        return struct.pack("<d" if dtype == "F64" else "<f", _fitting(random.choice(FLOATS), dtype))
    bits = 8 * containers.SIZES[dtype]
    return (random.choice([*NUMBERS, random.randrange(40)]) % (1 << bits)).to_bytes(bits // 8, "little")


def _fitting(value: float, dtype: str) -> float:
    return value if dtype == "F64" or not abs(value) > 1e38 else float("inf")
