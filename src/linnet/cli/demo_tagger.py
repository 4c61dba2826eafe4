"""The last part of the demo: a tagger of sentences that a small grammar makes, with words that are ambiguous."""

from __future__ import annotations

from random import Random
from time import perf_counter

from linnet.cli.terminal import console, plain

Tagged = list[tuple[str, str]]

# Words of each part of speech; `saw`, `duck`, `watch`, `light`, `park` and `that` are in several.
WORDS = {
    "DET": ["the", "a", "every", "that", "this"],
    "NOUN": ["saw", "duck", "watch", "light", "park", "dog", "teacher", "river", "letter", "child"],
    "VERB": ["saw", "duck", "watch", "light", "park", "found", "liked", "wrote", "heard", "knew"],
    "ADJ": ["light", "old", "green", "quiet", "small"],
    "ADV": ["often", "never", "quickly"],
    "PRON": ["she", "they", "we", "that"],
    "ADP": ["in", "near", "with"],
}
TRAINED, TESTED = 400, 200


def run() -> None:
    """Train on sentences, tag others, and print what came out."""
    from linnet import SequenceTagger

    random = Random(0)
    sentences = [_sentence(random) for _ in range(TRAINED + TESTED)]
    words, tags = ([[pair[part] for pair in each] for each in sentences] for part in (0, 1))
    began = perf_counter()
    tagger = SequenceTagger().fit(words[:TRAINED], tags[:TRAINED])
    seconds = perf_counter() - began
    accuracy = tagger.score(words[TRAINED:], tags[TRAINED:])
    out = console()
    out.print(f"\n[bold]sentences: {TRAINED} to train a tagger on, {TESTED} held out[/]")
    out.print(f"structured perceptron, {1e3 * seconds:.0f} ms: {100 * accuracy:.1f} % of the held-out words")
    example = ["she", "saw", "the", "duck", "light", "a", "light", "near", "that", "park"]
    tagged = zip(example, tagger.predict([example])[0], strict=True)
    out.print("  ".join(f"{plain(word)}[dim]/{plain(tag)}[/]" for word, tag in tagged))
    out.print("[dim]linnet tag and linnet parse do the same with files: linnet tag --help[/]")


def _sentence(random: Random) -> Tagged:
    """Who, perhaps how, what was done, to whom, perhaps where."""
    adverb = [_word(random, "ADV")] if random.random() < 0.3 else []
    where = [_word(random, "ADP"), *_phrase(random)] if random.random() < 0.5 else []
    return [*_phrase(random), *adverb, _word(random, "VERB"), *_phrase(random), *where]


def _phrase(random: Random) -> Tagged:
    if random.random() < 0.25:
        return [_word(random, "PRON")]
    adjective = [_word(random, "ADJ")] if random.random() < 0.4 else []
    return [_word(random, "DET"), *adjective, _word(random, "NOUN")]


def _word(random: Random, tag: str) -> tuple[str, str]:
    return random.choice(WORDS[tag]), tag
