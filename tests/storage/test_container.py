"""A model file is read back as it was written, or refused with one clear error."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
import tracemalloc
from copy import deepcopy

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from linnet.errors import LinnetError, ModelFileError, OutputError
from linnet.storage.container import HEADER_AT_MOST, finite, read, write

CONTENT = {"labels": ["ham", "spam é", 'q"uo\\te'], "sha256": "0" * 64, "tol": 1e-3, "n": 3, "none": None, "on": True}
TENSORS = {
    "weights": np.array([[1.5, -0.0, np.nan], [np.inf, 5e-324, 2.0]]),
    "ids": np.array([1, 2, 2**32 - 1], dtype=np.uint32),
    "names": np.frombuffer("héllo".encode(), dtype=np.uint8),
    "none": np.empty((0, 5), dtype=np.float32),
    "scalar": np.array(7, dtype=np.int64),
}
DTYPES = ["f8", "f4", "i8", "i4", "u8", "u4", "u1", ">f8", ">i4"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model"


@pytest.fixture
def good(path):
    write(path, "model", CONTENT, TENSORS)
    return path.read_bytes()


def parts(data):
    size = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + size]), data[8 + size :]


def signed(header, data):
    """A file of this header (an object, or bytes as they are) and data, with a right digest wherever one fits."""
    if not isinstance(header, bytes):
        header = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
        header += b" " * (-len(header) % 8)
    slot = re.compile(rb'"sha256":"[^"\\]{64}"')
    length = len(header).to_bytes(8, "little")
    blank = slot.sub(b'"sha256":"' + b"0" * 64 + b'"', header, count=1)
    digest = hashlib.sha256(length + blank + data).hexdigest().encode()
    return length + slot.sub(b'"sha256":"' + digest + b'"', header, count=1) + data


def overwrite(path, data):
    """In place, and cut last: a file system takes milliseconds to empty a file, and there are many to come."""
    with path.open("r+b" if path.exists() else "wb") as file:
        file.write(data)
        file.truncate()


def refused(path, data, match=None):
    overwrite(path, data)
    with pytest.raises(ModelFileError, match=match) as caught:
        read(path, "model")
    assert isinstance(caught.value, LinnetError)
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 600 + len(str(path))


def assert_same(tensors, expected):
    assert set(tensors) == set(expected)
    for name, tensor in tensors.items():
        wanted = np.asarray(expected[name])
        assert tensor.dtype == wanted.dtype.newbyteorder("<")
        assert tensor.shape == wanted.shape
        assert tensor.tobytes() == wanted.astype(wanted.dtype.newbyteorder("<")).tobytes()
        assert not tensor.flags.writeable
        assert tensor.flags.aligned


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
numbers = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)
arrays = hnp.arrays(st.sampled_from(DTYPES), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3))
names = st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]{0,5}", fullmatch=True)
anything = st.dictionaries(text, values, max_size=4)


@given(
    content=anything, tensors=st.dictionaries(names, arrays, max_size=4), kind=st.sampled_from(["model", "checkpoint"])
)
def test_what_is_written_is_read(tmp_path, content, tensors, kind):
    path = tmp_path / "file"
    write(path, kind, content, tensors)
    got, back = read(path, kind)
    assert got == content
    assert_same(back, tensors)
    first = path.read_bytes()
    backwards = dict(reversed(content.items()))
    write(path, kind, backwards, dict(reversed(tensors.items())))
    assert path.read_bytes() == first


def test_views_and_other_orders_are_written_by_their_values(path):
    table = np.arange(12.0).reshape(3, 4)
    tensors = {"a": table[:, ::2], "b": np.asfortranarray(table), "c": table[::-1], "d": table[0, 0]}
    write(path, "model", {}, tensors)
    assert_same(read(path, "model")[1], tensors)


def test_the_safetensors_library_reads_our_files(path, good):
    assert_same({n: _frozen(t) for n, t in safetensors.numpy.load(good).items()}, TENSORS)
    with safetensors.safe_open(path, "np") as file:
        assert file.metadata()["format"] == "linnet"
        assert json.loads(file.metadata()["content"]) == CONTENT


@given(content=anything, tensors=st.dictionaries(names, arrays, max_size=4))
def test_the_safetensors_library_reads_whatever_we_write(tmp_path, content, tensors):
    write(tmp_path / "file", "model", content, tensors)
    assert_same({n: _frozen(t) for n, t in safetensors.numpy.load_file(tmp_path / "file").items()}, tensors)


def test_files_of_the_safetensors_library_are_read(path, good):
    metadata = parts(good)[0]["__metadata__"] | {"sha256": "0" * 64}
    foreign = safetensors.numpy.save(dict(TENSORS), metadata)
    size = int.from_bytes(foreign[:8], "little")
    path.write_bytes(signed(foreign[8 : 8 + size], foreign[8 + size :]))
    content, tensors = read(path, "model")
    assert content == CONTENT
    assert_same(tensors, TENSORS)
    refused(path, safetensors.numpy.save(dict(TENSORS)), "not a linnet file")


def _frozen(tensor):
    tensor = np.array(tensor)
    tensor.flags.writeable = False
    return tensor


def test_the_digest_is_what_the_documentation_says(good):
    digest = parts(good)[0]["__metadata__"]["sha256"]
    blank = good.replace(digest.encode(), b"0" * 64)
    assert hashlib.sha256(blank).hexdigest() == digest


def test_every_changed_byte_is_refused(path, good):
    for at in range(len(good)):
        for byte in {*(good[at] ^ (1 << bit) for bit in range(8)), *b"\t\n\r {}[]0"} - {good[at]}:
            refused(path, good[:at] + bytes([byte]) + good[at + 1 :])


@pytest.mark.slow
def test_every_change_of_every_byte_is_refused(path, good):
    for at in range(len(good)):
        for byte in set(range(256)) - {good[at]}:
            refused(path, good[:at] + bytes([byte]) + good[at + 1 :])


def test_every_truncation_and_extension_is_refused(path, good):
    for size in range(len(good)):
        refused(path, good[:size])
    refused(path, good + b"\0")
    refused(path, good + good)


def with_tensor(data, **changes):
    header, data = parts(data)
    header["weights"] |= changes
    return signed(header, data)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"shape": [-2, -3]}, "shape"), ({"shape": [2.0, 3]}, "shape"), ({"shape": [True, 6]}, "shape"),
        ({"shape": "23"}, "shape"), ({"shape": 6}, "shape"), ({"shape": [2, [3]]}, "shape"),
        ({"shape": [2**62, 2**62]}, "larger than any memory"), ({"shape": [2**63]}, "larger than any memory"),
        ({"shape": [0, 2**62, 2**62], "data_offsets": [0, 0]}, "larger than any memory"),
        ({"shape": [2**40]}, "does not fit"), ({"shape": [2, 4]}, "does not fit"),
        ({"shape": [1] * 31 + [2, 3]}, "sizes"),
        ({"shape": [2**40], "data_offsets": [8, 8 + 2**43]}, "begins at"), ({"shape": [2**64]}, "64 bits"),
        ({"data_offsets": [0, 48]}, "overlaps"), ({"data_offsets": [16, 64]}, "overlaps"),
        ({"data_offsets": [48, 0]}, "does not fit"),
        ({"data_offsets": [0, 48.0]}, "data_offsets"), ({"data_offsets": [False, 48]}, "data_offsets"),
        ({"data_offsets": [0, 24, 48]}, "data_offsets"), ({"data_offsets": {}}, "data_offsets"),
        ({"data_offsets": [-48, 0]}, "data_offsets"), ({"data_offsets": None}, "data_offsets"),
        ({"dtype": "F16"}, "dtype"), ({"dtype": "<f8"}, "dtype"), ({"dtype": ["F64"]}, "dtype"),
        ({"dtype": "F32"}, "does not fit"), ({"more": 1}, "must be described by"), ({"dtype": "O" * 10**6}, "dtype"),
    ],
)  # fmt: skip
def test_a_tensor_described_wrongly_is_refused_though_the_digest_is_right(path, good, changes, match):
    refused(path, with_tensor(good, **changes), match)


def tensor(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


@pytest.mark.parametrize(
    ("tensors", "size"),
    [
        ({"a": tensor("U8", [8], 0, 8), "b": tensor("U8", [8], 4, 12)}, 12),  # overlap
        ({"a": tensor("U8", [8], 0, 8), "b": tensor("U8", [8], 0, 8)}, 8),
        ({"a": tensor("U8", [4], 0, 4), "b": tensor("U8", [4], 8, 12)}, 12),  # gap
        ({"a": tensor("U8", [4], 4, 8)}, 8),
        ({"a": tensor("U8", [4], 0, 4)}, 8),  # bytes that no tensor takes
        ({"a": tensor("U8", [8], 0, 8)}, 4),  # bytes that are not there
        ({"b": tensor("U8", [8], 8, 16), "a": tensor("U8", [8], 0, 8)}, 16),  # not in the order of the file
        ({"a": tensor("U8", [1], 0, 1), "b": tensor("F64", [1], 1, 9)}, 9),  # unaligned
        ({"": tensor("U8", [8], 0, 8)}, 8), ({"ä": tensor("U8", [8], 0, 8)}, 8), ({"../a": tensor("U8", [8], 0, 8)}, 8),
        ({"a": None}, 0), ({"a": []}, 0), ({"a": {"dtype": "U8"}}, 0),
    ],
)  # fmt: skip
def test_tensors_laid_out_wrongly_are_refused(path, good, tensors, size):
    metadata = parts(good)[0]["__metadata__"]
    refused(path, signed({"__metadata__": metadata} | tensors, bytes(size)))


def test_the_same_layout_in_order_is_read(path, good):
    metadata = parts(good)[0]["__metadata__"]
    tensors = {"b": tensor("U8", [8], 0, 8), "a": tensor("F64", [1], 8, 16)}
    path.write_bytes(signed({"__metadata__": metadata} | tensors, bytes(16)))
    assert_same(read(path, "model")[1], {"a": _frozen(np.zeros(1)), "b": _frozen(np.zeros(8, dtype=np.uint8))})


@pytest.mark.parametrize(
    ("metadata", "match"),
    [
        ({"format": "pt"}, "not a linnet file"), ({"format_version": "2"}, "made by a newer linnet.*upgrade"),
        ({"format_version": "2", "new": "key"}, "made by a newer linnet"), ({"format_version": "0"}, "version"),
        ({"format_version": "١"}, "version"), ({"format_version": "9" * 5000}, "version"),
        ({"format_version": 1}, "version"), ({"format_version": None}, "version"),
        ({"kind": "checkpoint"}, "it is a checkpoint"), ({"kind": "virus"}, "its kind .* is unknown"),
        ({"kind": []}, "strings"),
        ({"extra": ""}, "metadata"), ({"content": {}}, "strings"), ({"sha256": "A" * 65}, "digest"),
        ({"sha256": "0" * 63}, "digest"), ({"sha256": "٠" * 64}, "digest"),
        ({"content": "[]"}, "JSON object"), ({"content": ""}, "JSON"), ({"content": '{"a": 1}'}, "in the form"),
        ({"content": '{"b":1,"a":1}'}, "in the form"), ({"content": '{"a":1,"a":1}'}, "twice"),
        ({"content": '{"a":NaN}'}, "NaN"), ({"content": '{"a":-Infinity}'}, "Infinity"),
        ({"content": '{"a":1e999}'}, "finite float"),
        ({"content": '{"a":' + "9" * 5000 + "}"}, "64 bits"), ({"content": '{"a":18446744073709551616}'}, "64 bits"),
        ({"content": '{"a":0.' + "1" * 5000 + "}"}, "float"), ({"content": '{"a":"\\ud800"}'}, "in the form"),
        ({"content": '{"a":' + "[" * 100_000 + "]" * 100_000 + "}"}, "deep"), ({"content": '{"a":' * 100_000}, "deep"),
    ],
)  # fmt: skip
def test_wrong_metadata_are_refused_though_the_digest_is_right(path, good, metadata, match):
    header, data = parts(good)
    header["__metadata__"] |= metadata
    refused(path, signed(header, data), match)


def test_half_a_character_is_refused(path, good):
    header, data = parts(good)
    header["__metadata__"]["content"] = '{"a":"\ud800"}'
    refused(path, signed(json.dumps(header, separators=(",", ":")).encode().ljust(1024), data), "half a character")


def padded(header):
    return header + b" " * (-len(header) % 8)


@pytest.mark.parametrize(
    "header",
    [
        b"", b"{}", b"[]", b"null", b"1", b'"a"', b"{", b"\xff\xfe", b"\0" * 8, b"[" * 100_000, b'{"a":' * 100_000,
        b"[" * 100_000 + b"]" * 100_000, b'{"a":' + b"9" * 100_000 + b"}", b"9" * 100_000, b'{"__metadata__":1}',
        b'{"__metadata__":{}}', b'{"__metadata__":{},"__metadata__":{}}', "{\ufeff}".encode("utf-8-sig"),
        b'{"__metadata__":{"format":"linnet","format":"linnet"}}', b'{"a":NaN}', b'{"a":1e999}', b'{"a":"\\ud800"}',
    ],
    ids=lambda header: repr(header[:20]),
)  # fmt: skip
def test_a_header_that_is_none_is_refused(path, header):
    refused(path, signed(padded(header), b""))
    refused(path, signed(padded(header), bytes(64)))


def test_a_key_that_comes_twice_is_refused_though_the_digest_is_right(path, good):
    size = int.from_bytes(good[:8], "little")
    header, data = good[8 : 8 + size].rstrip(), good[8 + size :]
    twice = header[:-1] + header[header.index(b',"weights":') :]
    refused(path, signed(padded(twice), data), "twice")


def test_a_header_that_leaves_the_tensors_unaligned_is_refused(path, good):
    size = int.from_bytes(good[:8], "little")
    refused(path, signed(good[8 : 8 + size] + b" ", good[8 + size :]), "does not begin as")


@pytest.mark.parametrize("size", [2**64 - 1, 2**63, HEADER_AT_MOST + 8, HEADER_AT_MOST, 2**31, 1, 0])
def test_a_header_that_cannot_be_so_long_is_refused_without_being_allocated(path, good, size):
    limited(path, size.to_bytes(8, "little") + good[8:])


def limited(path, data):
    path.write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError):
            read(path, "model")
        assert tracemalloc.get_traced_memory()[1] < 2_000_000 + 4 * len(data)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("shape", [[2**20, 2**10], [2**40], [2**59], [1 << 14, 1 << 14]])
def test_a_shape_that_is_claimed_is_not_allocated(path, good, shape):
    size = 8 * int(np.prod(shape))
    limited(path, with_tensor(good, shape=shape, data_offsets=[8, 8 + size]))
    limited(path, with_tensor(good, shape=shape))


@pytest.mark.parametrize("bomb", [b"[" * 10**6, b'{"a":' * 10**5, b"9" * 10**6, b'{"a":' + b"9" * 10**6 + b"}"])
def test_bombs_take_no_memory(path, bomb):
    limited(path, signed(padded(bomb), b""))


def test_a_file_with_a_hole_is_refused_before_its_size_is_allocated(path, good):
    path.write_bytes(good)
    os.truncate(path, 1 << 40)
    tracemalloc.start()
    with pytest.raises(ModelFileError, match="its tensors take"):
        read(path, "model")
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_what_is_no_file_is_refused(tmp_path):
    for name, match in [("none", "no such file"), (".", "is a directory"), ("a\0b", "NUL"), ("x" * 300, "too long")]:
        with pytest.raises(ModelFileError, match=match):
            read(tmp_path / name, "model")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="a pipe"):
        read(tmp_path / "pipe", "model")
    with pytest.raises(ModelFileError, match="a device"):
        read("/dev/zero", "model")


@pytest.mark.usefixtures("good")
def test_a_file_that_may_not_be_read_is_refused(path, monkeypatch):
    def denied(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)  # root may read everything
    with pytest.raises(ModelFileError, match="permission denied"):
        read(path, "model")


def test_a_file_that_changes_while_it_is_read_is_refused_or_whole(path, good):
    """A writer that replaces files gives one or the other; one that scribbles in place is found out."""
    write(path, "model", {}, {"w": np.zeros(1000)})
    other = path.read_bytes()
    stop = threading.Event()

    def scribble():
        with path.open("r+b") as file:
            while not stop.is_set():
                for data in (good, other):
                    file.seek(0)
                    file.write(data)
                    file.truncate()
                    file.flush()

    scribbler = threading.Thread(target=scribble)
    scribbler.start()
    try:
        for _ in range(300):
            try:
                content, _ = read(path, "model")
            except ModelFileError:
                continue
            assert content in ({}, CONTENT)
    finally:
        stop.set()
        scribbler.join()


@pytest.mark.parametrize(
    ("content", "tensors"),
    [
        ({"a": float("nan")}, {}), ({"a": (1, 2)}, {}), ({1: 2}, {}), ({"a": 2**64}, {}), ({"a": "\ud800"}, {}),
        ({}, {"a": np.array(["x"])}), ({}, {"a": np.array([None])}), ({}, {"a": np.array([True])}),
        ({}, {"a": np.zeros(1, dtype=np.float16)}), ({}, {"__metadata__": np.zeros(1)}), ({}, {"": np.zeros(1)}),
    ],
)  # fmt: skip
def test_what_could_not_be_read_back_is_not_written(path, content, tensors):
    with pytest.raises(ValueError, match=r"content|tensor|JSON"):
        write(path, "model", content, tensors)
    assert not path.exists()


def test_a_kind_that_is_none_is_not_written(path):
    with pytest.raises(ValueError, match="kind"):
        write(path, "pickle", {}, {})


def test_a_failing_write_leaves_the_old_model(path, good, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="no space"):
        write(path, "model", {}, {})
    assert path.read_bytes() == good


def test_finite_names_the_first_number_that_is_not():
    array = np.array([[1.0, 2.0], [np.nan, np.inf]])
    assert finite(array[:1], "weights", "m") is not None
    assert finite(np.array([2**63], dtype=np.uint64), "ids", "m") == 2**63
    with pytest.raises(ModelFileError, match=r"model: weights\[1, 0\] is nan"):
        finite(array, "weights", "model")
    with pytest.raises(ModelFileError, match=r"bias\[\] is inf"):
        finite(np.array(np.inf), "bias", "model")


SPARKS = [b"", b"0", b"-", b"1", b"9" * 30, b"[", b"]", b"{", b"}", b'"', b"\\", b",", b":", b"null", b"true", b"1e9",
          b"NaN", b"\xff", b"\0", b"\\u0000", b"\\ud800", b"U8", b"F32", b"[0,0]", b"[]", b"{}", b" "]  # fmt: skip


def mutated(rng, data):
    """Bytes changed, cut out, doubled or planted, anywhere."""
    data = bytearray(data)
    for _ in range(rng.integers(1, 4)):
        at, size = int(rng.integers(len(data) + 1)), int(rng.integers(1, 12))
        match rng.integers(5):
            case 0 if at < len(data):
                data[at] = rng.integers(256)
            case 1:
                del data[at : at + size]
            case 2:
                data[at:at] = data[at : at + size]
            case 3:
                data[at : at + size] = bytes(SPARKS[rng.integers(len(SPARKS))])
            case _:
                data[at:at] = bytes(SPARKS[rng.integers(len(SPARKS))])
    return bytes(data)


ODD = [None, True, False, 0, 1, -1, 8, 2**31, 2**63, 2**64 - 1, 1.5, "", "U8", "F64", "I32", [], [0], [0, 0], [0, 8],
       [1, 1], [0] * 40, {}, {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}, "{}", "model"]  # fmt: skip


def misdescribed(rng, header):
    """A header that is JSON still, with values changed, removed or moved."""
    header = json.loads(json.dumps(header))
    for _ in range(rng.integers(1, 4)):
        node = header
        while True:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not keys:
                break
            key = keys[rng.integers(len(keys))]
            if isinstance(node[key], dict | list) and rng.random() < 0.8:
                node = node[key]
                continue
            choice = rng.integers(4)
            if choice == 0:
                del node[key]
            elif choice == 1 and isinstance(node, dict):
                node[f"k{rng.integers(3)}"] = node.pop(key)
            elif choice == 2 and type(node[key]) is int:
                node[key] += int(rng.choice([-8, -1, 1, 8]))
            else:
                node[key] = deepcopy(ODD[rng.integers(len(ODD))])
            break
    return header


def mutant(rng, good):
    size = int.from_bytes(good[:8], "little")
    raw, data = good[8 : 8 + size], good[8 + size :]
    match rng.integers(5):
        case 0:
            return mutated(rng, good)
        case 1:
            header = mutated(rng, raw).rstrip()
            return signed(header + b" " * (-len(header) % 8 if rng.random() < 0.9 else 3), data)
        case 2:
            return signed(raw, mutated(rng, data))
        case 3:
            return signed(misdescribed(rng, json.loads(raw)), data)
        case _:
            return signed(misdescribed(rng, json.loads(raw)), mutated(rng, data))


def storm(path, good, count, seed):
    """How many of so many mutants are read; the others must be refused with ModelFileError, and nothing else."""
    rng = np.random.default_rng(seed)
    read_well = 0
    for _ in range(count):
        overwrite(path, mutant(rng, good))
        try:
            content, tensors = read(path, "model")
        except ModelFileError:
            continue
        read_well += 1
        assert isinstance(content, dict)
        for tensor in tensors.values():
            tensor.tobytes()
    return read_well


def test_mutated_files_are_read_or_refused(path, good):
    assert 0 < storm(path, good, 3000, 1) < 1500


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_a_hundred_thousand_mutated_files_are_read_or_refused(path, good, seed):
    assert 0 < storm(path, good, 30_000, seed) < 15_000
