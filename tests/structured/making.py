"""Made-up sentences with tags that follow from words, affixes and what stands before."""

import random

WORDS = [
    "the",
    "a",
    "Paris",
    "London",
    "dog",
    "cats",
    "running",
    "walked",
    "quickly",
    "blue",
    "2024",
    "Ünal",
    "東京",
    ".",
]


def sentences(count, seed=0, *, spans=False):
    """Pairs of words and tags."""
    draw = random.Random(seed)
    made = []
    for _ in range(count):
        words = [draw.choice(WORDS) + draw.choice(["", "", "x", "ly", "s"]) for _ in range(draw.randint(1, 12))]
        tags, before = [], "O"
        for word in words:
            if spans:
                begun = word[0].isupper() or (before != "O" and word.endswith("s"))
                kind = "LOC" if word.startswith(("P", "L")) else before[2:] or "MISC"
                inside = before != "O" and before[2:] == kind
                tag = (f"I-{kind}" if inside else f"B-{kind}") if begun else "O"
            elif word.endswith("ly"):
                tag = "ADV"
            elif word[0].isdigit():
                tag = "NUM"
            else:
                tag = "NAME" if word[0].isupper() else "DET" if word in ("the", "a") else f"AFTER_{before[:3]}"
            tags.append(tag)
            before = tag
        made.append((words, tags))
    return made


def columns(made):
    return "".join("".join(f"{word}\t{tag}\n" for word, tag in zip(*each, strict=True)) + "\n" for each in made)


def conllu(made):
    lines = []
    for number, (words, tags) in enumerate(made):
        lines.append(f"# sent_id = {number}")
        if len(words) > 1:
            lines.append(f"1-2\t{words[0]}{words[1]}" + "\t_" * 8)
        for at, (word, tag) in enumerate(zip(words, tags, strict=True), 1):
            lines.append(f"{at}\t{word}\t_\t{tag}\t_\t_\t{at - 1}\tdep\t_\tSpaceAfter=No")
            if at == 1:
                lines.append("1.1\tempty" + "\t_" * 8)
        lines.append("")
    return "\n".join(lines) + "\n"
