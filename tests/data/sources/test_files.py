"""Files are decompressed whatever their name, and damaged ones are told instead of read in part."""

from __future__ import annotations

import lzma
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.sources.block import Position
from linnet.data.sources.chunks import MOST_LINES
from linnet.data.sources.files import ByteFiles
from linnet.data.sources.opening import open_source
from linnet.errors import InputError
from tests.data.sources.tools import compressed

KINDS = ["gz", "bz2", "xz", "zst"]
TEXT = b"".join(b"%d some words %d\n" % (i, i * i) for i in range(3000))


def content(path):
    with ByteFiles([str(path)]).opened(0) as reader:
        parts = []
        while part := reader.read(1000):
            parts.append(part)
        return b"".join(parts)


@pytest.mark.parametrize("how", ["", *KINDS])
def test_compression_is_told_by_content(how, tmp_path):
    path = tmp_path / "data"
    for text in (TEXT, b"", b"x"):
        path.write_bytes(compressed(text, how))
        assert content(path) == text
        assert ByteFiles([str(path)]).head() == text


@pytest.mark.parametrize("how", KINDS)
def test_streams_one_after_the_other_are_one(how, tmp_path):
    path = tmp_path / "data"
    path.write_bytes(compressed(TEXT, how) + compressed(b"", how) + compressed(TEXT, how))
    assert content(path) == TEXT + TEXT


@pytest.mark.parametrize("how", KINDS)
def test_a_file_cut_short_is_told_wherever_it_was_cut(how, tmp_path):
    whole = compressed(TEXT, how)
    path = tmp_path / "data"
    for size in [*range(6, 40), *range(40, len(whole), 97), *range(len(whole) - 30, len(whole))]:
        path.write_bytes(whole[:size])
        with pytest.raises(InputError, match=r"data: the compressed data are damaged or truncated .*: fetch"):
            content(path)


@pytest.mark.parametrize("how", KINDS)
@pytest.mark.parametrize("garbage", [b"garbage\n", b"x", b"\x1f\x8b", b"BZh9", b"\0\0\0\0x"])
def test_garbage_behind_the_end_is_told(how, garbage, tmp_path):
    path = tmp_path / "data"
    path.write_bytes(compressed(TEXT, how) + garbage)
    with pytest.raises(InputError, match="damaged or truncated"):
        content(path)


@pytest.mark.parametrize("how", KINDS)
def test_a_byte_changed_is_told_or_harmless(how, tmp_path, rng):
    whole = compressed(TEXT, how)
    path = tmp_path / "data"
    for place in rng.integers(6, len(whole), 100):
        changed = bytearray(whole)
        changed[place] ^= 1 << rng.integers(8)
        path.write_bytes(changed)
        try:
            assert content(path) == TEXT or how == "zst"  # Arrow writes zstd without a checksum
        except InputError as told:
            if str(path) not in str(told):
                raise


@pytest.mark.parametrize("how", ["", *KINDS])
def test_reading_can_begin_at_any_byte_and_no_further(how, tmp_path):
    path = tmp_path / "data"
    path.write_bytes(compressed(TEXT, how))
    files = ByteFiles([str(path)])
    for offset in (0, 1, 5, 6, 7, 1000, len(TEXT)):
        with files.opened(0, offset) as reader:
            assert reader.read(len(TEXT)) == TEXT[offset:]
    with pytest.raises(InputError, match=f"shorter than it was: it ends before byte {len(TEXT) + 300}"):
        files.opened(0, len(TEXT) + 300).__enter__()


def test_xz_cannot_ask_for_all_memory(tmp_path):
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 30}]
    path = tmp_path / "data"
    path.write_bytes(lzma.compress(b"x", filters=filters))
    with pytest.raises(InputError, match="damaged or truncated"):
        content(path)


def test_a_changed_file_has_another_fingerprint(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(TEXT)
    files = ByteFiles([str(path)])
    before = files.fingerprint()
    assert files.fingerprint() == before
    path.write_bytes(TEXT[:-1] + b"x")
    assert files.fingerprint() != before


def test_a_folder_or_a_lost_file_is_told(tmp_path):
    for path in (tmp_path, tmp_path / "lost"):
        with pytest.raises(InputError, match=str(path)):
            ByteFiles([str(path)]).head()


@given(
    st.lists(st.sampled_from(["1,a", '"1\n2",b', "3", "", '"x', "4,c"]), min_size=1, max_size=30),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.integers(1, 7),
)
@settings(deadline=None, max_examples=60)
def test_the_most_lines_of_a_chunk_cut_no_record_and_change_no_row(tmp_path_factory, lines, end, most):
    path = tmp_path_factory.mktemp("short") / "d.csv"
    path.write_bytes(end.join(["x,y", *lines, "5,d", ""]).encode())

    def read(most_lines):
        source = open_source([path])
        source.cutting = replace(source.cutting, most_lines=most_lines)
        blocks = [source.parse(chunk) for chunk in source.chunks(Position())]
        columns = (
            [b"".join(bytes(block.columns["y"].data) for block in blocks)] if all(b.columns for b in blocks) else []
        )
        return sum(block.rows for block in blocks), [bad for block in blocks for bad in block.bad], columns

    assert read(most) == read(1 << 17)


def test_very_short_lines_are_in_several_chunks(tmp_path):
    (tmp_path / "d.svm").write_bytes(b"1 1:1\n" * (MOST_LINES + 20))
    source = open_source([tmp_path / "d.svm"])
    found = [chunk.data.count(b"\n") for chunk in source.chunks(Position())]
    assert sum(found) == MOST_LINES + 20
    assert max(found) <= MOST_LINES


def test_a_long_line_before_short_ones_is_a_chunk_with_some_of_them(tmp_path):
    """How long lines are on the average says little."""
    keys = ", ".join(f'"k{i}": "x"' for i in range(2000))
    (tmp_path / "d.jsonl").write_text("{" + keys + ', "y": "a"}\n' + '{"y": "b"}\n' * 3000)
    source = open_source([tmp_path / "d.jsonl"])
    source.cutting = replace(source.cutting, most_lines=500)
    assert [chunk.data.count(b"\n") for chunk in source.chunks(Position())] == [500] * 6 + [1]
