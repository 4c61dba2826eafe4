"""Sentences with tags and trees, in every format that taggers and parsers read."""

from __future__ import annotations

import json
from random import Random

from attack import words

TAGS = ["NOUN", "VERB", "DET", "PUNCT", "B-NP", "I-NP", "O", "B-PER", "E-PER", "S-LOC"]
RELATIONS = ["root", "nsubj", "obj", "det", "punct", "conj:and"]
PIECES = [
    b"\t", b"\n", b"\n\n", b"/", b"_", b" ", b"1-2\tdas\t", b"3.1\t", b"# text = x\n", b"-DOCSTART- -X- O O\n\n",
    b"0\t", b"9\t", b"-1\t", b"99999999999999999999\t", b"root", b'{"tokens":', b'"tags":[', b"]", b"B-", b"O\n",
]  # fmt: skip
FORMS = ("conllu", "columns", "slash", "underscore", "jsonl", "text")


def made(random: Random, form: str, sentences: int) -> bytes:
    """Some sentences in one format."""
    every = [_sentence(random) for _ in range(sentences)]
    if form == "conllu":
        text = "\n".join(map(_conllu, every)) + "\n"
    elif form == "columns":
        blank = random.choice([" ", "\t"])
        text = "\n\n".join("\n".join(blank.join((word, "X", tag)) for word, tag, _, _ in each) for each in every) + "\n"
    elif form == "jsonl":
        lines = [{"tokens": [one[0] for one in each], "tags": [one[1] for one in each]} for each in every]
        text = "\n".join(json.dumps(each, ensure_ascii=random.random() < 0.5) for each in lines) + "\n"
    else:
        mark = {"slash": "/", "underscore": "_", "text": ""}[form]
        text = "\n".join(" ".join(one[0] + (mark + one[1] if mark else "") for one in each) for each in every) + "\n"
    return text.encode("utf-8", "surrogatepass")


def _sentence(random: Random) -> list[tuple[str, str, int, str]]:
    """Words with a tag, a head and a relation; the heads are a tree."""
    n = random.choice([1, 1, 2, 3, 5, 8, 12])
    order = random.sample(range(1, n + 1), n)
    heads = {order[0]: 0} | {one: random.choice(order[:at]) for at, one in enumerate(order) if at}
    return [
        (_word(random), random.choice(TAGS), heads[i], "root" if heads[i] == 0 else random.choice(RELATIONS[1:]))
        for i in range(1, n + 1)
    ]


def _word(random: Random) -> str:
    if random.random() < 0.7:
        return random.choice(["the", "cat", "sat", "Anna", "on", "2024", ".", "Zürich", "mat"])
    return "".join(each for each in words.word(random) if not each.isspace()) or "x"


def _conllu(sentence: list[tuple[str, str, int, str]]) -> str:
    lines = ["# sent_id = 1"]
    for i, (word, tag, head, relation) in enumerate(sentence, 1):
        lines.append("\t".join([str(i), word, word.lower() or "_", tag, "_", "_", str(head), relation, "_", "_"]))
    return "\n".join(lines) + "\n"
