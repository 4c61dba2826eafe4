"""The margin that held-out sentences choose: when another one is preferred, that it is then trained with, and runs that
are stopped while they try."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from linnet import RecipeError, SequenceTagger
from linnet.data.on_error import BadRows
from linnet.errors import Interrupted, ModelFileError
from linnet.pipeline.services import Services
from linnet.storage import container
from linnet.structured import tagger_file, tagger_training, trainer
from linnet.structured.paired_scores import lead, ratio
from linnet.structured.tag_files import train_from_files
from linnet.structured.tag_options import TagOptions
from linnet.structured.trainer import Settings, Tally
from tests.structured.making import columns, sentences

VALUES = (50, 5, 0)


def test_the_lead_on_examples_of_one_size_is_that_of_a_paired_t_test(rng):
    wholes = np.full(40, 7)
    a, b = (np.stack([rng.binomial(7, p, size=40), wholes]) for p in (0.8, 0.7))
    assert lead(a, b) == pytest.approx(ttest_rel(a[0], b[0]).statistic)
    assert lead(b, a) == pytest.approx(-lead(a, b))
    assert lead(a, a) == 0.0
    assert ratio(np.zeros((2, 3), dtype=np.int64)) == 1.0


def test_the_lead_is_near_that_of_the_bootstrap(rng):
    """Ratios of sums whose denominators differ, as those of F1 do."""
    wholes = rng.integers(0, 9, size=(2, 400))
    a, b = (np.stack([rng.binomial(each, p), each]) for each, p in zip(wholes, (0.75, 0.7), strict=True))
    draws = rng.integers(0, 400, size=(4000, 400))
    differences = [ratio(a[:, each]) - ratio(b[:, each]) for each in draws]
    assert lead(a, b) == pytest.approx((ratio(a) - ratio(b)) / np.std(differences), rel=0.1)


class Scripted:
    """A thousand examples; right[value] says how many of the hundred held-out ones are right, and which come first."""

    examples = 1000

    def __init__(self, right, value=50):
        self.right, self.value, self.made = right, value, [] if value == 50 else None

    def adjusted(self, value):
        other = Scripted(self.right, value)
        other.made = self.made
        return other

    def learner(self, trained):
        self.made.append((self.value, len(trained)))
        return _Learner(self, len(trained))


class _Learner:
    def __init__(self, problem, size):
        self.problem, self.size, self.seen = problem, size, 0

    def train(self, order):
        self.seen += len(order)
        return Tally(len(order), 1, len(order), 1)

    def counts(self, which):
        right = self.problem.right[self.problem.value]
        right = right[self.seen // self.size - 1] if isinstance(right, list) else right
        return np.stack([np.arange(len(which)) < right, np.ones(len(which))]).astype(np.int64)

    def score(self, which):
        return ratio(self.counts(which))

    def state(self):
        return {"seen": np.array([self.seen])}


@pytest.mark.parametrize(
    ("right", "chosen"),
    [
        ({50: 80, 5: 80, 0: 80}, 50),  # all alike: the first
        ({50: 80, 5: 83, 0: 80}, 50),  # three more of a hundred: 1.7 standard errors
        ({50: 80, 5: 86, 0: 80}, 5),
        ({50: 80, 5: 86, 0: 92}, 0),
        ({50: 80, 5: 92, 0: 86}, 5),
        ({50: 80, 5: 92, 0: 92}, 5),  # alike: the one that was first
        ({50: 80, 5: [*[80] * 3, *[99] * 27], 0: 0}, 50),  # not ahead after three passes: given up
        ({50: 80, 5: [*[99] * 14, *[70] * 16], 0: 0}, 50),  # ahead at first, not in the end
    ],
)
def test_another_value_is_preferred_only_where_it_is_surely_better(right, chosen):
    problem = Scripted(right)
    [learner], history = trainer.fit(problem, Settings(values=VALUES))
    assert history.value == chosen == learner.problem.value
    assert [trial.value for trial in history.trials] == [5, 0]
    assert problem.made == [(50, 900), (5, 900), (0, 900), (chosen, 1000)]
    assert history.held_out_score == learner.problem.right[50] / 100 or chosen != 50
    assert len(history.final) == history.passes == len(history.search) - 3
    for trial in history.trials:
        assert len(trial.passes) in (3, history.passes)
        assert (trial.lead is None) == (len(trial.passes) == 3)


@pytest.mark.parametrize("settings", [Settings(), Settings(passes=4, values=VALUES), Settings(values=VALUES[:1])])
def test_nothing_is_tried_without_a_choice(settings):
    history = trainer.fit(Scripted({50: 80, 5: 99, 0: 99}), settings)[1]
    assert history.value is None
    assert not history.trials


def test_few_held_out_examples_choose_nothing():
    few = Scripted({50: 80, 5: 99, 0: 99})
    few.examples = 990
    assert trainer.fit(few, Settings(values=VALUES))[1].value is None


# -- of taggers ------------------------------------------------------------------------------------------------------


@pytest.fixture
def eager(monkeypatch):
    """Thirty held-out sentences choose, and by nearly any lead."""
    monkeypatch.setattr(trainer, "FEWEST_TO_CHOOSE", 30)
    monkeypatch.setattr(trainer, "LEAD", -1e9)
    monkeypatch.setattr(trainer, "PASSES_TO_GIVE_UP", 1000)


def trained(folder, *, spans=True, checkpoint=None, services=None, **options):
    path = folder / "train.txt"
    if not path.exists():
        path.write_text(columns(sentences(300, spans=spans)))
    found = train_from_files([path], TagOptions(**options), BadRows(), services or Services(), checkpoint)
    tagger_file.save(found, folder / "m.linnet")
    return found, (folder / "m.linnet").read_bytes()


@pytest.mark.usefixtures("eager")
def test_the_chosen_margin_is_recorded_and_trains_as_when_it_is_given(tmp_path, monkeypatch):
    monkeypatch.setattr(tagger_training, "MOST_ORDERS", 1)  # as with a number of passes
    chosen = trained(tmp_path)[0]
    assert chosen.record.margin in (5, 0)
    assert "chosen by held-out sentences" in chosen.record.margin_text
    given = trained(tmp_path, margin=chosen.record.margin, passes=chosen.record.history.passes)[0]
    assert given.record.margin == chosen.record.margin
    assert np.array_equal(given.weights, chosen.weights)
    assert np.array_equal(given.between, chosen.between)
    assert tagger_file.load(tmp_path / "m.linnet").record.margin == chosen.record.margin


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(
    ("spans", "options", "margin"),
    [
        (False, {}, 50),
        (True, {"passes": 3}, 50),
        (True, {"margin": "7"}, 7),
        (True, {"update": "passive-aggressive"}, 0),
    ],
)
def test_the_margin_is_not_chosen_for_tags_of_words_nor_where_it_is_given(tmp_path, spans, options, margin):
    found = trained(tmp_path, spans=spans, **options)[0]
    assert found.record.margin == margin
    assert not found.record.history.trials


@pytest.mark.usefixtures("eager")
def test_the_margin_is_not_chosen_where_most_tokens_are_in_spans():
    X, y = [["Rome", "and", "New", "York"]] * 400, [["B-LOC", "O", "B-LOC", "I-LOC"]] * 400
    assert not SequenceTagger().fit(X, y).tagger_.record.history.trials
    X, y = [[*words, "in", "it", "all"] for words in X], [[*tags, "O", "O", "O"] for tags in y]
    assert SequenceTagger().fit(X, y).tagger_.record.history.trials


@pytest.mark.usefixtures("eager")
def test_a_run_that_is_stopped_while_it_tries_margins_resumes_to_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(trainer, "BLOCK", 64)
    whole = trained(tmp_path)[1]
    checkpoint = str(tmp_path / "run.checkpoint")
    tried = set()
    for stop_at in (3, 7, 20, 41):
        resume = False
        while True:
            asked = iter(range(10**6))
            services = Services(stopped=lambda at=stop_at, asked=asked: next(asked) == at)
            try:
                found = trained(tmp_path, services=services, checkpoint=checkpoint, resume=resume)[1]
                break
            except Interrupted:
                resume = True
                tried.add(container.read(checkpoint, "checkpoint")[0]["trying"])
        assert found == whole
    assert tried == {0, 1, 2, 3}


@pytest.mark.usefixtures("eager")
def test_a_checkpoint_whose_trials_are_not_those_of_the_run_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(trainer, "BLOCK", 64)
    checkpoint = str(tmp_path / "run.checkpoint")
    for stop_at in range(40, 200, 5):
        asked = iter(range(10**6))
        with pytest.raises(Interrupted):
            trained(tmp_path, services=Services(stopped=lambda: next(asked) == stop_at), checkpoint=checkpoint)  # noqa: B023
        content, tensors = container.read(checkpoint, "checkpoint")
        if content["trying"] == 2:
            break
    assert content["trying"] == 2
    history, counts = content["history"], content["first_counts"]
    for wrong in (
        {"trying": 1}, {"trying": 3}, {"trying": True}, {"trying": -1}, {"first_counts": None},
        {"first_counts": [counts[0][1:], counts[1][1:]]}, {"first_counts": [[-1] * 30] * 2},
        {"history": history | {"trials": history["trials"][:1]}}, {"history": history | {"value": 9}},
        {"history": history | {"value": None}},
    ):  # fmt: skip
        container.write(checkpoint, "checkpoint", content | wrong, tensors)
        with pytest.raises(ModelFileError, match="not a checkpoint"):
            trained(tmp_path, checkpoint=checkpoint, resume=True)


@pytest.mark.parametrize("margin", ["car", -1, 1.5, "1.5", True, None, 1_000_001, "²"])
def test_a_margin_is_auto_or_a_whole_number(margin):
    if margin is None:
        assert TagOptions(margin=None).margin == "auto"
        return
    with pytest.raises(RecipeError, match="margin must be auto, or a whole number from 0 to 1,000,000"):
        SequenceTagger(margin=margin).fit([["a"]], [["X"]])


# -- partial_fit -----------------------------------------------------------------------------------------------------


def test_a_letter_of_a_span_type_that_comes_late_begins_from_what_its_type_has_in_common():
    first = ([["in", "New", "York"]] * 5, [["O", "B-LOC", "I-LOC"]] * 5)
    late = ([["in", "Rome"], ["to", "Rome"]], [["O", "B-LOC"]] * 2)  # a single token: S-LOC inside
    grown = SequenceTagger().partial_fit(*first)
    assert set(grown.tagger_.tags) == {"O", "B-LOC", "E-LOC", "I-LOC", "S-LOC"}
    grown.partial_fit(*late)
    given = SequenceTagger().partial_fit(*first, classes=["O", "B-LOC", "I-LOC"]).partial_fit(*late)
    for name in ("tags", "keys", "rows", "entry_tags", "weights", "between", "names"):
        assert np.array_equal(getattr(grown.tagger_, name), getattr(given.tagger_, name))
