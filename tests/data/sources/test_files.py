"""Files are decompressed whatever their name, and damaged ones are told instead of read in part."""

from __future__ import annotations

import lzma

import pytest

from linnet.data.sources.files import ByteFiles
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
