"""linnet parse: train, predict, evaluate, show, as a user types them."""

import json
import random

import pytest

from tests.cli.calling import call
from tests.structured.parsing_twin import is_tree
from tests.structured.test_parser import conllu_text, made


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("parse")
    path.joinpath("train.conllu").write_text(conllu_text(*made(120)))
    path.joinpath("test.conllu").write_text(conllu_text(*made(30, seed=1)))
    done = call("parse", "train", path / "train.conllu", "-o", path / "m.linnet", "--passes", "4", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["passes"], report["decoder"], report["record"]["sentences"]) == (4, "transition", 120)
    return path


def test_predict_is_a_pipe_in_order(folder):
    text = (folder / "test.conllu").read_text()
    done = call("parse", "predict", folder / "m.linnet", stdin=text)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.split("\n")
    assert [line.split("\t")[:6] for line in lines] == [line.split("\t")[:6] for line in text.split("\n")]
    to_file = call("parse", "predict", folder / "m.linnet", folder / "test.conllu", "-o", folder / "out.conllu")
    assert to_file.returncode == 0
    assert (folder / "out.conllu").read_text() == done.stdout
    wider = call("parse", "predict", folder / "m.linnet", "--beam", "3", stdin=text).stdout
    for block in wider.strip().split("\n\n"):
        assert is_tree([int(line.split("\t")[6]) for line in block.split("\n") if line[0] != "#"])


def test_evaluate_prints_scores_and_gives_them_to_machines(folder):
    printed = call("parse", "evaluate", folder / "m.linnet", folder / "test.conllu").stdout
    assert "UAS" in printed
    assert "LAS" in printed
    found = json.loads(call("parse", "evaluate", folder / "m.linnet", folder / "test.conllu", "--json").stdout)
    assert found["sentences"] == 30
    assert found["las"] > 0.95
    assert found["las_interval"][0] <= found["las"] <= found["las_interval"][1]
    assert found["rejected_sentences"] == 0


def test_show_draws_the_trees_of_a_file_and_of_a_parser(folder):
    own = call("parse", "show", folder / "test.conllu", "--sentence", "2")
    assert own.returncode == 0, own.stderr
    assert "╭─" in own.stdout
    parsed = call("parse", "show", folder / "test.conllu", "--model", folder / "m.linnet", "--count", "2").stdout
    assert parsed.count("root") == 2
    beyond = call("parse", "show", folder / "test.conllu", "--sentence", "99")
    assert beyond.returncode == 3
    assert "there are 30 sentences" in beyond.stderr


def test_words_that_a_terminal_would_obey_are_shown_as_escapes(tmp_path):
    path = tmp_path / "bad.conllu"
    path.write_text("1\t\x1b[31m[bold]red\t_\tX\t_\t_\t0\troot\x1b\t_\t_\n\n")
    done = call("parse", "show", path)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert r"\x1b[31m[bold]red" in done.stdout


def test_errors_name_file_and_line_and_what_to_do(folder, tmp_path):
    path = tmp_path / "bad.conllu"
    path.write_text(conllu_text(*made(2)) + "# c\n1\ta\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t1\tdep\t_\t_\n\n")
    line = path.read_text().split("\n").index("# c") + 2
    done = call("parse", "train", path, "-o", tmp_path / "m.linnet")
    assert done.returncode == 3
    assert f"bad.conllu:{line}: no word has the head 0" in done.stderr
    assert "--on-error skip" in done.stderr
    assert not (tmp_path / "m.linnet").exists()
    skipped = call("parse", "train", path, "-o", tmp_path / "m.linnet", "--on-error", "skip", "--passes", "1")
    assert skipped.returncode == 0, skipped.stderr
    assert "1 sentence could not be read and was skipped" in skipped.stderr
    assert call("parse", "evaluate", tmp_path / "m.linnet", path).returncode == 3
    assert call("parse", "train", path, "--decoder", "eisner", "--beam", "4").returncode == 2
    assert call("predict", tmp_path / "m.linnet", stdin="a\n1\n").returncode == 4
    assert "linnet parse" in call("predict", tmp_path / "m.linnet", stdin="a\n1\n").stderr
    assert call("parse", "predict", folder / "train.conllu", stdin="").returncode == 4


def test_mutated_files_are_parsed_or_refused_in_one_line(folder, tmp_path):
    """In one process: every command that reads, on files with random changes."""
    from linnet.data.on_error import BadRows, OnError
    from linnet.errors import LinnetError
    from linnet.pipeline.services import Services
    from linnet.structured import parser_file, parser_pipeline
    from linnet.structured.parse_options import ParseOptions

    rng = random.Random(1)
    model = parser_file.load(folder / "m.linnet")
    text = (folder / "test.conllu").read_bytes()[:1500]
    path = tmp_path / "mutated.conllu"
    refused: list[str] = []
    for _ in range(300):
        changed = bytearray(text)
        for _ in range(rng.choice([1, 3, 20])):
            at = rng.randrange(len(changed))
            kind = rng.randrange(4)
            if kind == 0:
                changed[at] = rng.randrange(256)
            elif kind == 1:
                del changed[at : at + rng.randrange(1, 30)]
            elif kind == 2:
                changed[at:at] = rng.choice([b"\t", b"\n", b"\n\n", b"0", b"99999999999", b"_", b"\x00", b"-1", b"1-2"])
            else:
                changed[at:at] = changed[at : at + 40]
        path.write_bytes(bytes(changed))
        for policy in (OnError.FAIL, OnError.SKIP):
            try:
                files = parser_pipeline.conllu([str(path)], None, heads=False)
                parsed = b"".join(each.text for each in parser_pipeline.parsed_text(model, files, BadRows(policy), 1))
                assert parsed.count(b"\n") == bytes(changed).count(b"\n")  # every line is there
                files = parser_pipeline.conllu([str(path)], None, heads=True)
                parser_pipeline.evaluated(model, files, BadRows(policy), 1)
                parser_pipeline.read_treebank([str(path)], ParseOptions(on_error=policy), BadRows(policy), Services())
            except LinnetError as error:
                refused.append(str(error))
    assert len(refused) > 100
    assert all(text.count("\n") <= 1 for text in refused)


def test_predicted_tags_are_used_where_they_are_asked_for(folder, tmp_path):
    options = ["--tags", "predicted", "--passes", "4", "-o", tmp_path / "m.linnet"]
    done = call("parse", "train", folder / "train.conllu", *options)
    assert done.returncode == 0, done.stderr
    found = json.loads(call("parse", "evaluate", tmp_path / "m.linnet", folder / "test.conllu", "--json").stdout)
    assert found["las"] > 0.9
