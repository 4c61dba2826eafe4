"""Taggers, parsers and decoders of users as scikit-learn estimators."""

import pickle

import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from linnet import DependencyParser, SequenceTagger, StructuredPerceptron
from linnet.errors import InputError, RecipeError

X = [["the", "cat", "sat"], ["a", "dog", "ran"], ["él", "ñandú"]] * 10
Y = [["D", "N", "V"], ["D", "N", "V"], ["D", "N"]] * 10
SENTENCES = [[("She", "PRON"), ("sleeps", "VERB")], [("Birds", "NOUN"), ("sing", "VERB")]] * 10
TREES = [[(2, "nsubj"), (0, "root")]] * 20


class Letters:
    """A structure is one of two letters."""

    def features(self, x, y):
        return [(x, y)]

    def decode(self, x, score):
        return max("ab", key=lambda y: score(self.features(x, y)))


ESTIMATORS = [
    (SequenceTagger(passes=2), X, Y),
    (DependencyParser(passes=2), SENTENCES, TREES),
    (StructuredPerceptron(Letters(), passes=2), ["p", "q"] * 10, ["a", "b"] * 10),
]


@pytest.mark.parametrize(("estimator", "given", "truth"), ESTIMATORS, ids=lambda each: type(each).__name__)
def test_estimators_are_cloned_pickled_and_searched_over(estimator, given, truth):
    fitted = clone(estimator).fit(given, truth)
    expected = fitted.predict(given)
    assert pickle.loads(pickle.dumps(fitted)).predict(given) == expected
    assert clone(fitted).get_params().keys() == estimator.get_params().keys()
    found = GridSearchCV(estimator, {"passes": [1, 3]}, cv=2).fit(given, truth)
    assert found.best_params_["passes"] in (1, 3)


def test_a_pickled_tagger_is_trained_further_to_the_same_weights():
    whole = SequenceTagger().partial_fit(X[:7], Y[:7]).partial_fit(X[7:], Y[7:])
    first = SequenceTagger().partial_fit(X[:7], Y[:7])
    copied = pickle.loads(pickle.dumps(first)).partial_fit(X[7:], Y[7:])
    assert copied.tagger_.weights.tobytes() == whole.tagger_.weights.tobytes()
    assert copied.tagger_.between.tobytes() == whole.tagger_.between.tobytes()
    assert copied.tagger_.keys.tobytes() == whole.tagger_.keys.tobytes()


@pytest.mark.parametrize("sentences", ["the cat", ["the cat"], ["the", "cat"]])
def test_a_string_is_not_taken_for_a_list_of_tokens(sentences):
    tagger, parser = SequenceTagger(passes=1).fit(X, Y), DependencyParser(passes=1).fit(SENTENCES, TREES)
    for call in (tagger.predict, tagger.margins, parser.predict):
        with pytest.raises(InputError, match=r"sentence 1: 'the.* is a string: pass a list of"):
            call(sentences)


def test_any_iterable_of_sentences_is_tagged():
    tagger = SequenceTagger(passes=2).fit(iter(X), iter(Y))
    assert tagger.predict(iter(X)) == tagger.predict(X)


def test_what_cannot_be_asked_for_is_refused():
    tagger = SequenceTagger(passes=1).fit(X, Y)
    with pytest.raises(RecipeError, match="k must be 1 or more"):
        tagger.best(X, 0)
    with pytest.raises(InputError, match="sentence 2: 3 tokens and 1 tags"):
        tagger.fit(X[:2], [Y[0], ["D"]])
    with pytest.raises(RecipeError, match="a decoder has a method features"):
        StructuredPerceptron(object()).fit(["p"], ["a"])
    with pytest.raises(InputError, match="not fitted"):
        StructuredPerceptron(Letters()).predict(["p"])


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ([(0, "root"), (9, "x")], "sentence 2: the head is 9"),
        ([(0, "root"), (-1, "x")], "sentence 2: the head is -1"),
        ([(0, "root"), (0, "x")], "^sentence 2: a second word with the head 0: a tree has exactly one$"),
        ([(0, "root", 1), (1, "x", 1)], "sentence 2: 2 words"),
        ([0, 1], "sentence 2: 2 words"),
    ],
)
def test_trees_that_are_none_are_named_by_their_sentence(tree, message):
    with pytest.raises(InputError, match=message):
        DependencyParser().fit(SENTENCES[:2], [TREES[0], tree])


def test_a_parser_is_trained_on_predicted_tags_of_lists():
    parser = DependencyParser(passes=2, tags="predicted").fit(SENTENCES, TREES)
    assert parser.predict(SENTENCES[:1]) == TREES[:1]
    assert parser.model_.columns.morphology == ()
