"""Taggers end to end: the same bits always, features as their names say, files that can be trusted."""

import numpy as np
import pytest

from linnet import SequenceTagger
from linnet.data.on_error import BadRows
from linnet.errors import InputError, Interrupted, ModelFileError, RecipeError
from linnet.pipeline.services import Services
from linnet.storage import container
from linnet.structured import tagger_file, trainer
from linnet.structured.sentence_files import SentenceDialect, SentenceFiles
from linnet.structured.sentences import of_lists
from linnet.structured.tag_files import predictions, train_from_files
from linnet.structured.tag_options import TagOptions
from linnet.structured.tagger import TagRunner
from linnet.structured.templates import Templates, atoms, read_templates
from linnet.structured.token_atoms import parts_of
from tests.structured.making import columns, sentences


@pytest.fixture(params=[False, True], ids=["tags", "spans"])
def data(request, tmp_path):
    path = tmp_path / "train.txt"
    path.write_text(columns(sentences(300, spans=request.param)))
    return str(path)


def trained(path, tmp_path, name="model.linnet", **options):
    services = options.pop("services", Services())
    checkpoint = options.pop("checkpoint", None)
    tagger = train_from_files([path], TagOptions(**options), BadRows(), services, checkpoint)
    out = tmp_path / name
    tagger_file.save(tagger, out)
    return tagger, out.read_bytes()


def test_the_same_bytes_on_every_run_for_any_number_of_threads(data, tmp_path):
    first = trained(data, tmp_path)[1]
    assert trained(data, tmp_path, services=Services(threads=1))[1] == first
    assert trained(data, tmp_path, services=Services(threads=5))[1] == first
    assert trained(data, tmp_path, seed=1)[1] != first


@pytest.mark.parametrize("update", ["perceptron", "passive-aggressive"])
def test_the_same_bytes_after_being_stopped_anywhere_and_resumed(data, tmp_path, monkeypatch, update):
    monkeypatch.setattr(trainer, "BLOCK", 64)
    whole = trained(data, tmp_path, update=update)[1]
    checkpoint = str(tmp_path / "run.checkpoint")
    for stop_at in (3, 11, 20):  # the first two questions come before any block
        stops, resume = 0, False
        while True:
            asked = iter(range(10**6))
            services = Services(stopped=lambda at=stop_at, asked=asked: next(asked) == at)
            try:
                found = trained(data, tmp_path, services=services, checkpoint=checkpoint, resume=resume, update=update)[
                    1
                ]
                break
            except Interrupted:
                stops, resume = stops + 1, True
        assert stops > 0
        assert found == whole


def test_a_checkpoint_of_other_sentences_or_options_is_refused(data, tmp_path, monkeypatch):
    monkeypatch.setattr(trainer, "BLOCK", 64)
    checkpoint = str(tmp_path / "run.checkpoint")
    asked = iter(range(100))
    with pytest.raises(Interrupted, match="--resume"):
        trained(data, tmp_path, services=Services(stopped=lambda: next(asked) == 3), checkpoint=checkpoint)
    with pytest.raises(InputError, match="have changed"):
        trained(data, tmp_path, checkpoint=checkpoint, resume=True, seed=3)
    content, tensors = container.read(checkpoint, "checkpoint")
    for name in ("counts", "tags", "weights", "trans"):
        container.write(checkpoint, "checkpoint", content, tensors | {name: tensors[name][:-1]})
        with pytest.raises(ModelFileError, match="not a checkpoint"):
            trained(data, tmp_path, checkpoint=checkpoint, resume=True)


def test_scores_are_the_sums_of_the_weights_of_features_by_their_names(data, tmp_path):
    """An independent reading of templates: by names, from Python strings."""
    tagger, _ = trained(data, tmp_path)
    weights = {name: np.zeros(len(tagger.tags)) for name in tagger.feature_names}
    for number, name in enumerate(tagger.feature_names):
        row = slice(tagger.rows[number], tagger.rows[number + 1])
        weights[name][tagger.entry_tags[row]] = tagger.weights[row]
    assert len(weights) == len(tagger.keys) > 100
    for words, _ in sentences(30, seed=9):
        made = of_lists((tagger.word,), [words], [len(words)])
        found = TagRunner(tagger).scores(made, tagger.word)
        for t in range(len(words)):
            wanted = np.zeros(len(tagger.tags))
            for template in tagger.templates.texts:
                values = []
                for name, offset in atoms(template):
                    at = t + offset
                    head = f"{name}@{offset:+d}=" if offset else f"{name}="
                    if 0 <= at < len(words):
                        value = parts_of(name, [words[at]], [words[at].lower()])[0]
                    elif name in ("word", "lower", "digits"):
                        value = f"<s{-at}>" if at < 0 else f"</s{at - len(words) + 1}>"
                    else:
                        value = None
                    values.append(None if value is None else head + value)
                if None not in values:
                    wanted += weights.get(" ".join(values), 0.0)
            assert found[t] == pytest.approx(wanted, abs=1e-3)


def test_predictions_do_not_depend_on_threads_chunks_or_what_is_kept(data, tmp_path, monkeypatch):
    tagger, _ = trained(data, tmp_path)
    path = tmp_path / "more.txt"
    path.write_text(columns(sentences(3000, seed=5)))

    def tagged(threads):
        files = SentenceFiles([str(path)], SentenceDialect(), to_predict=True)
        return b"".join(predictions(tagger, files, BadRows(), threads=threads))

    first = tagged(1)
    assert first.count(b"\n") == path.read_text().count("\n")
    assert tagged(4) == first
    monkeypatch.setattr("linnet.structured.tagger.MOST_KEPT", 1000)
    monkeypatch.setattr("linnet.data.sources.chunks.CHUNK", 999)
    assert tagged(1) == first


def test_partial_fit_in_parts_is_partial_fit_at_once():
    made = sentences(120)
    X, y = [words for words, _ in made], [tags for _, tags in made]
    classes = sorted({tag for tags in y for tag in tags})
    once = SequenceTagger().partial_fit(X, y, classes)
    parts = SequenceTagger()
    for first in range(0, 120, 30):
        parts.partial_fit(X[first : first + 30], y[first : first + 30], classes)
    for name in ("keys", "rows", "entry_tags", "weights", "between", "names"):
        assert np.array_equal(getattr(once.tagger_, name), getattr(parts.tagger_, name))
    assert once.predict(X) == parts.predict(X)
    grown = SequenceTagger().partial_fit([["a"]], [["X"]]).partial_fit([["b"]] * 9, [["Y"]] * 9)
    assert grown.predict([["b"]]) == [["Y"]]
    assert grown.classes_.tolist() == ["X", "Y"]


@pytest.mark.parametrize("spans", [False, True])
def test_sequence_tagger_learns_and_is_saved(tmp_path, spans):
    made, more = sentences(400, spans=spans), sentences(100, seed=7, spans=spans)
    X, y = [words for words, _ in made], [tags for _, tags in made]
    model = SequenceTagger().fit(X, y)
    assert model.score([words for words, _ in more], [tags for _, tags in more]) > 0.9
    assert model.scheme_ == ("iob2" if spans else "none")
    model.save(tmp_path / "model.linnet")
    again = SequenceTagger.load(tmp_path / "model.linnet")
    new = [words for words, _ in more]
    assert (
        again.predict(new)
        == model.predict(new)
        == SequenceTagger.load(tmp_path / "model.linnet").set_params(n_jobs=3).predict(new)
    )
    best = model.best(new[:5], 3)
    assert [each[0][1] for each in best] == model.predict(new[:5])
    assert all(len(margins) == len(words) for margins, words in zip(model.margins(new), new, strict=True))
    assert model.predict([[]]) == [[]]


def test_other_columns_are_features():
    X = [[("x", "N"), ("x", "V")], [("x", "V"), ("x", "N")]] * 20
    y = [["noun", "verb"], ["verb", "noun"]] * 20
    model = SequenceTagger(passes=5).fit(X, y)
    assert model.predict(X[:2]) == y[:2]
    with pytest.raises(InputError, match="column2"):
        model.predict([["x"]])


def test_clusters_gazetteers_and_the_dictionary():
    X, y = [["foo"], ["bar"]] * 20, [["A"], ["B"]] * 20
    model = SequenceTagger(passes=3, clusters={"foo": "0101", "bar": "1100", "new": "0101"}, templates=["cluster4"])
    assert model.fit(X, y).predict([["new"], ["bar"]]) == [["A"], ["B"]]
    model = SequenceTagger(passes=3, gazetteers={"city": ["foo", "oslo"]}, templates=["gazetteer", "word"]).fit(X, y)
    assert model.predict([["Oslo"]]) == [["A"]]
    model = SequenceTagger(passes=1, dictionary=5).fit(X, y)
    assert model.predict([["bar", "foo"]]) == [["B", "A"]]
    assert len(model.tagger_.dictionary) == 2


def test_templates_are_checked():
    with pytest.raises(RecipeError, match="not one of"):
        Templates(("sufix3",))
    with pytest.raises(RecipeError, match="OFFSET"):
        Templates(("word@9",))
    with pytest.raises(RecipeError, match="twice"):
        Templates(("word", "word"))
    found = read_templates(["# mine", "", "lower@-1   lower", "pos"], ("pos", "other"))
    assert found.texts == ("lower@-1 lower", "pos")
    assert found.columns == ("pos",)


def test_wrong_input_from_python():
    with pytest.raises(InputError, match="2 tokens and 1 tags"):
        SequenceTagger().fit([["a", "b"]], [["X"]])
    with pytest.raises(InputError, match="X has 1 sentences"):
        SequenceTagger().fit([["a"]], [])
    with pytest.raises(InputError, match="not a string"):
        SequenceTagger().fit([["a", 1]], [["X", "Y"]])
    with pytest.raises(InputError, match="not fitted"):
        SequenceTagger().predict([["a"]])
    with pytest.raises(InputError, match="no tokens"):
        SequenceTagger().fit([[]], [[]])
    with pytest.raises(RecipeError, match="scheme"):
        SequenceTagger(scheme="bio").fit([["a"]], [["X"]])


def test_damaged_model_files_are_refused(data, tmp_path):
    trained(data, tmp_path)
    path = tmp_path / "model.linnet"
    content, tensors = container.read(path, "model")
    wrong = tmp_path / "wrong.linnet"

    def refused(new_content, new_tensors):
        container.write(wrong, "model", new_content, new_tensors)
        with pytest.raises(ModelFileError):
            tagger_file.load(wrong)

    for name, array in tensors.items():
        if len(array):
            refused(content, tensors | {name: np.zeros(array.shape, dtype=np.int64)})
            if name not in ("known_words", "names"):  # shorter ones of these are sound
                refused(content, tensors | {name: array[:-1]})
        refused(content, {other: each for other, each in tensors.items() if other != name})
    refused(content, tensors | {"weights": np.full_like(tensors["weights"], np.nan)})
    refused(content, tensors | {"tags": np.full_like(tensors["tags"], 255)})
    refused(content, tensors | {"keys": np.zeros_like(tensors["keys"])})
    refused(content, tensors | {"keys": np.ones_like(tensors["keys"])})
    for name in content:
        refused({other: each for other, each in content.items() if other != name}, tensors)
        refused(content | {name: 7}, tensors)
    refused(content | {"templates": ["word", "word"]}, tensors)
    refused(content | {"templates": ["x" * 100]}, tensors)
    refused(content | {"tags": [*content["tags"][:-1], "a\nb"]}, tensors)
    refused(content | {"scheme": "bio"}, tensors)
