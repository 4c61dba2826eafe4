"""Folders of texts and mails: each file a row, its folder the label, mails as people read them."""

from __future__ import annotations

import gzip
import os
from email.message import EmailMessage

import pytest

from linnet.data.sources.folder import Folder
from linnet.data.sources.mail import without_tags
from linnet.errors import InputError
from tests.data.sources.tools import bad, blocks, rows, values


def stored(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Folder(str(folder))


def test_each_file_is_a_row_and_classes_take_turns(tmp_path):
    files = {f"ham/{i}.txt": f"good {i}" for i in range(4)} | {
        "spam/deep/er/a": "buy é",
        "spam/b": gzip.compress(b"zip"),
    }
    source = stored(tmp_path, {**files, "ham/.hidden": "no", ".git/x": "no"})
    got = values(source)
    assert [row["label"] for row in got] == ["ham", "spam", "ham", "ham", "spam", "ham"]
    assert {row["file"]: row["text"] for row in got} == {
        **{name: text for name, text in files.items() if isinstance(text, str)},
        "spam/b": "zip",
    }
    assert source.sample().rows == 6
    assert source.size == sum((tmp_path / name).stat().st_size for name in files)


def test_a_mail_gives_sender_subject_and_readable_parts(tmp_path):
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Zoë <z@example.org>", "me@example.org", "Grüße"
    mail.set_content("Hällo, plain.", charset="latin-1")
    mail.add_alternative("<p>rich &amp; <b>bold</b></p><style>p {}</style><SCRIPT>x < 1</SCRIPT> end", subtype="html")
    mail.add_attachment(b"\x89PNG", maintype="image", subtype="png")
    (row,) = values(stored(tmp_path, {"ham/1": mail.as_bytes()}))
    for said in ("from: Zoë <z@example.org>", "subject: Grüße", "Hällo, plain.", "rich & ", "bold", " end"):
        assert said in row["text"]
    for unsaid in ("PNG", "<b>", "x < 1", "p {}", "me@example.org"):
        assert unsaid not in row["text"]


NEST = b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n'


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain \xe9", "plain é"),
        (b"\xef\xbb\xbfmarked", "marked"),
        (b"", ""),
        (b"From me to you: no mail\n\ntext", "From me to you: no mail\n\ntext"),
        (b"From: a\nTo: b\nContent-Type: text/plain; charset=nonsense\n\n\xe9", "from: a\nsubject: \né"),
        (b"From: a\nTo: b\nContent-Type: text/plain; charset=hex\n\nhello", "from: a\nsubject: \nhello"),
        (b"From: a\nTo: b\nContent-Transfer-Encoding: base64\n\nnot base64!", None),
        (b"From: a\nTo: b\nSubject: =?utf-8?b?!?=\n\nx", None),
        (b"From: \xff\nTo: b\nSubject: \xfe\n\nx", None),
        (b"From: a\nTo: b\n" + b"".join(NEST % (i, i) for i in range(3000)), None),
    ],
)  # fmt: skip
def test_broken_texts_and_mails_are_still_texts(raw, text, tmp_path):
    (row,) = values(stored(tmp_path, {"a/1": raw}))
    assert text is None or row["text"] == text


def test_a_page_of_open_brackets_takes_no_time():
    for page in ("<" * 10**6, "<script" * 10**5, "<script>" * 10**5, "<a <b" * 10**5, "<style></" * 10**5):
        assert len(without_tags(page)) <= len(page)
    assert without_tags("a < b <c>d</c> e > f<script>g<h>i</script>j") == "a < b  d  e > f j"


def test_a_binary_file_is_a_bad_row(tmp_path):
    source = stored(tmp_path, {"a/1": "text", "a/2": b"one\ntwo\0three", "b/1": "more"})
    assert len(rows(source)) == 2
    assert bad(source) == [(str(tmp_path / "a/2"), 2, None, "a NUL byte: is this a text file?")]
    assert [row.raw for block in blocks(source) for row in block.bad] == [os.fsencode(tmp_path / "a/2")]


def test_links_that_go_round_and_pipes_are_left_alone(tmp_path):
    source = stored(tmp_path, {"a/1": "text"})
    os.symlink(tmp_path / "a", tmp_path / "a" / "round")
    os.symlink(tmp_path / "lost", tmp_path / "a" / "gone")
    os.mkfifo(tmp_path / "a" / "pipe")
    assert Folder(str(tmp_path)).files == source.files


def test_names_that_are_no_utf8_are_shown_as_well_as_can_be(tmp_path):
    stored(tmp_path, {"a/1": "text"})
    os.rename(tmp_path / "a" / "1", os.fsencode(tmp_path) + b"/a/\xff")
    assert values(Folder(str(tmp_path)))[0]["file"] == "a/\ufffd"


def test_a_folder_without_classes_is_refused(tmp_path):
    with pytest.raises(InputError, match="one folder of files for each class"):
        Folder(str(tmp_path))


def test_a_changed_file_changes_the_fingerprint(tmp_path):
    source = stored(tmp_path, {"a/1": "text", "b/1": "text"})
    before = source.fingerprint()
    assert Folder(str(tmp_path)).fingerprint() == before
    assert stored(tmp_path, {"a/1": "longer text"}).fingerprint() != before
