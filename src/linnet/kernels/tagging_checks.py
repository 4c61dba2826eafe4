"""Checks of the arrays that a tagger is trained on: the loops believe them."""

import numpy as np

# Decoding takes time and memory that grow with the square of the tags.
MOST_TAGS = 5000


def check_sentences(ids, starts, sentences, gold, only, features, tags):
    """That the arrays fit one another: the loops believe them."""
    ids, starts, sentences = np.asarray(ids), np.asarray(starts), np.asarray(sentences)
    gold, only = np.asarray(gold), np.asarray(only)
    tokens = len(starts) - 1
    sound = (
        0 < tags <= MOST_TAGS
        and starts[0] == 0
        and starts[tokens] == len(ids)
        and bool((np.diff(starts) >= 0).all())
        and sentences[0] == 0
        and sentences[len(sentences) - 1] == tokens == len(gold) == len(only)
        and bool((np.diff(sentences) >= 0).all())
        and int(ids.max(initial=0)) < max(features, 1)
        and int(gold.max(initial=0)) < tags
        and int(gold.min(initial=0)) >= 0
        and int(only.max(initial=-1)) < tags
    )
    if not sound:
        raise ValueError("sentences, features and tags do not fit one another")


def check_order(order, sentences):
    order = np.asarray(order)
    if len(order) and (int(order.min()) < 0 or int(order.max()) >= sentences):
        raise ValueError("there is no such sentence")


def mates_of(groups, tags):
    """The group of each tag; and for each tag the tags of its group, itself among them, if there are others: where the
    lists begin, and the lists."""
    groups = np.arange(tags) if groups is None else np.asarray(groups)
    if groups.shape != (tags,):
        raise ValueError("groups and tags do not fit one another")
    members: dict = {}
    for tag, group in enumerate(groups.tolist()):
        members.setdefault(group, []).append(tag)
    lists = [members[group] if len(members[group]) > 1 else [] for group in groups.tolist()]
    starts = np.concatenate([[0], np.cumsum([len(each) for each in lists], dtype=np.int64)])
    flat = [tag for each in lists for tag in each]
    return groups.astype(np.int32), starts.astype(np.int32), np.array([*flat, 0], dtype=np.int32)
