"""Text for tests: strings that try a tokeniser, and its Python twin."""

from __future__ import annotations

import re

from hypothesis import strategies as st

# Final sigma, dotted and dotless i, sharp s, a title-case digraph, digits of other scripts, a numeral, fractions,
# combining marks, emoji with a joiner, CJK, spaces of every kind, control characters.
HARD = "aAbBzZ019_ΣσςΑαİıIißẞǅ٣೩１Ⅷ²½éÉ\u0301\u0307\u0323\u0345"
HARD += "\u200d🦜👩🚀漢字テＡ \t\n\u00a0\u2003\u3000\x1c\x85\x00'-.,!×=ȺⱥK"
texts = st.text(
    alphabet=st.one_of(st.sampled_from(HARD), st.sampled_from(" abc"), st.characters(exclude_categories=("Cs",))),
    max_size=40,
)


def units(text, analyzer, lowercase=True, shortest=1, marks=False):
    """The segments of a text, each a list of words or characters."""
    text = text.lower() if lowercase else text
    if analyzer == "word":
        found = re.findall(r"\w+|[^\w\s]" if marks else r"\w+", text)
        return [[w for w in found if len(w) >= shortest or not re.match(r"\w", w)]]
    if analyzer == "char":
        return [list(re.sub(r"\s\s+", " ", text))]
    return [list(f" {word} ") for word in text.split()]


def ngrams(segments, shortest, longest, analyzer):
    """Every n-gram, as often as it is there, in the order of its first unit."""
    joiner = " " if analyzer == "word" else ""
    found = []
    for segment in segments:
        if analyzer == "char_wb" and len(segment) < shortest:
            found.append("".join(segment))
        for u in range(len(segment)):
            found += [joiner.join(segment[u : u + n]) for n in range(shortest, longest + 1) if u + n <= len(segment)]
    return found


WHOLE = 2**64 - 1


def finished(h):
    """SplitMix's finisher."""
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 & WHOLE
    h = (h ^ h >> 27) * 0x94D049BB133111EB & WHOLE
    return h ^ h >> 31


def name_hash(name):
    """FNV-1a of a whole name."""
    h = 0xCBF29CE484222325
    for byte in name.encode():
        h = (h ^ byte) * 0x100000001B3 & WHOLE
    return finished(h)


def word_hash(word):
    """A word's hash, eight bytes at a time."""
    raw = word.encode()
    h = len(raw)
    for at in range(0, len(raw), 8):
        h = (h ^ int.from_bytes(raw[at : at + 8], "little")) * 0x9E3779B97F4A7C15 & WHOLE
        h ^= h >> 32
    return finished(h)


def fingerprint(parts, prefix="", hash_of=word_hash):
    """The 64-bit fingerprint of a sequence of units: their hashes, chained."""
    h = name_hash(prefix)
    for part in parts:
        h = ((h << 23 | h >> 41) & WHOLE ^ hash_of(part)) * 0xD1342543DE82EF95 & WHOLE
        h ^= h >> 32
    return h
