"""Models whose JSON was written by somebody else: other values, hostile words, everything too long; checksums right."""

from __future__ import annotations

import hashlib
import struct
from random import Random
from typing import Any

from attack import bases, containers, words
from attack.case import Case
from attack.subjects.models import steps

# A text is not made longer than this: the attack itself has to hold it, several times.
LONGEST_TEXT = 1 << 24
VALUES = [
    None, True, False, 0, 1, -1, 2, 3, 100, 2**31, 2**53, 2**63, 2**64 - 1, -(2**63), 0.5, -0.5, 1e308, 5e-324, "",
    "a", "nan", "inf", "-inf", "SQUARED", "LOGISTIC", "HINGE", [], [[]], {}, [1], ["a"], {"a": 1}, {"kind": "x"},
    "\x1b[31mred", "[link=http://example.invalid]x[/link]", "[/]",
]  # fmt: skip


def make(random: Random) -> Case:
    name = random.choice(list(bases.MODELS))
    source, _ = bases.MODELS[name]
    metadata, parts, tensors = containers.taken_apart(bases.model(name))
    for _ in range(random.choice([1, 1, 2, 4])):
        change = random.choice([_set_leaf, _set_leaf, _set_leaf, _delete, _add, _word_everywhere, _grow])
        parts["content"] = change(random, parts["content"])
    if random.random() < 0.4:
        parts["content"] = _signed(parts["content"], tensors)
    if random.random() < 0.05:
        metadata = {**metadata, random.choice(list(metadata)): random.choice(["", "2", "checkpoint", "99999999999"])}
    try:
        made = containers.put_together(metadata, parts, tensors)
    except (TypeError, KeyError):
        made = bases.model(name)
    return Case({"bad": made, source: bases.data(source)}, steps(random, "bad", source))


def paths(value: Any, path: tuple = ()) -> list[tuple]:
    """The way to every value inside."""
    found = [path] if path else []
    if isinstance(value, dict):
        for key, each in value.items():
            found += paths(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value[:20]):
            found += paths(each, (*path, index))
    return found


def replaced(value: Any, path: tuple, new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


def _at(value: Any, path: tuple) -> Any:
    for key in path:
        value = value[key]
    return value


def _set_leaf(random: Random, content: Any) -> Any:
    every = paths(content)
    leaves = [each for each in every if not isinstance(_at(content, each), dict | list)]
    path = random.choice(leaves if leaves and random.random() < 0.85 else every or [()])
    old = _at(content, path)
    same_type = [each for each in VALUES if type(each) is type(old)]
    new = random.choice(same_type if same_type and random.random() < 0.6 else VALUES)
    if isinstance(old, str) and random.random() < 0.3:
        new = words.word(random)
    return replaced(content, path, new)


def _delete(random: Random, content: Any) -> Any:
    every = paths(content)
    if not every:
        return content
    path = random.choice(every)
    holder = _at(content, path[:-1])
    copy = dict(holder) if isinstance(holder, dict) else list(holder)
    del copy[path[-1]]
    return replaced(content, path[:-1], copy)


def _add(random: Random, content: Any) -> Any:
    holders = [each for each in [(), *paths(content)] if isinstance(_at(content, each), dict | list)]
    path = random.choice(holders)
    holder = _at(content, path)
    new = random.choice(VALUES)
    grown = (
        {**holder, words.word(random): new}
        if isinstance(holder, dict)
        else [*holder, random.choice(holder) if holder and random.random() < 0.5 else new]
    )
    return replaced(content, path, grown)


def _word_everywhere(random: Random, content: Any) -> Any:
    """A label or a column renamed wherever it stands."""
    strings = sorted({_at(content, each) for each in paths(content) if isinstance(_at(content, each), str)})
    if not strings:
        return content
    old, new = random.choice(strings), words.word(random)
    return _renamed(content, old, new)


def _renamed(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {new if key == old else key: _renamed(each, old, new) for key, each in value.items()}
    if isinstance(value, list):
        return [_renamed(each, old, new) for each in value]
    return new if value == old else value


def _grow(random: Random, content: Any) -> Any:
    """A text or a list made very long, or numbers made large."""
    every = [each for each in paths(content) if isinstance(_at(content, each), str | list | int)]
    if not every:
        return content
    path = random.choice(every)
    old = _at(content, path)
    if isinstance(old, str):
        times = random.choice([1000, 100_000])
        return replaced(content, path, (old or "x") * min(times, max(2, LONGEST_TEXT // max(1, len(old)))))
    if isinstance(old, list):
        return replaced(content, path, old * random.choice([2, 1000]))
    return replaced(content, path, random.choice([2**31, 2**40, 2**62, 100]))


def _signed(content: Any, tensors: dict[str, bytes]) -> Any:
    """With the digest of the weights made right, so that the certificate is taken for the model's own."""
    if not isinstance(content, dict):
        return content
    certificate = content.get("certificate")
    stated: list[float] = []
    try:
        if isinstance(certificate, dict) and certificate.get("kind") == "Mistakes":
            facts = certificate["facts"]
            stated = [
                float(certificate["made"]),
                float(certificate["bound"]),
                *(float(facts[name]) for name in sorted(facts)),
            ]
        elif isinstance(certificate, dict):
            stated = [float(certificate["primal"]), float(certificate["dual"])]
    except (KeyError, TypeError, ValueError, OverflowError):
        return content
    digest = hashlib.sha256(tensors.get("weights", b"") + tensors.get("intercepts", b""))
    digest.update(struct.pack(f"<{len(stated)}d", *stated))
    return {**content, "digest": digest.hexdigest()}
