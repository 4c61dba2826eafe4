"""The file format of models and checkpoints: tensors and a JSON description, with a checksum.

A file is a safetensors file: 8 bytes, the length of the header as a little-endian integer; the header, a JSON object
padded with spaces to a multiple of 8 bytes; the tensors, one after the other, in the order of the header.  The header
describes each tensor (dtype, shape, data_offsets) and holds `__metadata__`, with exactly these five strings:

    format          "linnet"
    format_version  "1"
    kind            "model" or "checkpoint"
    content         a JSON object: compact, keys sorted, not escaped beyond need
    sha256          of all bytes of the file, with these 64 hexadecimal digits taken as 64 zeros

The digest detects damage, not malice: the author of a file can write its digest, too.  So every field is validated
whatever the digest: no size is allocated before it agrees with the file's own, and nothing is ever executed.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import re
import stat
from collections.abc import Iterable, Mapping
from reprlib import repr as shown
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ModelFileError
from linnet.storage.atomic import replacing

Kind = Literal["model", "checkpoint"]

FORMAT, VERSION = "linnet", 1
KINDS = ("model", "checkpoint")
DTYPES = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "U64": "<u8", "U32": "<u4", "U8": "|u1"}
CODES = {np.dtype(dtype): code for code, dtype in DTYPES.items()}
METADATA = {"format", "format_version", "kind", "content", "sha256"}
TENSOR = {"dtype", "shape", "data_offsets"}
HEADER_AT_MOST = 100_000_000  # as in the safetensors library
DIMENSIONS_AT_MOST = 32
ALIGNMENT = 8
NO_DIGEST = "0" * 64
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,199}")
SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which UTF-8 cannot encode
DAMAGED = "the file is damaged or truncated; copy it or make it again"


class _Tensor(NamedTuple):
    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    end: int


class _Malformed(Exception):
    """What is wrong with a file; the caller adds its name."""


def write(
    path: str | os.PathLike[str], kind: Kind, content: dict[str, Any], tensors: Mapping[str, NDArray[Any]]
) -> None:
    """Write a file, whole or not at all.  The same content and tensors give the same bytes."""
    if kind not in KINDS:
        raise ValueError(f"kind {kind!r} is not one of {KINDS}")
    arrays = _in_order(tensors)
    header = _header(kind, _encoded(content), arrays)
    length = len(header).to_bytes(8, "little")
    parts: list[Any] = [array.reshape(-1).view(np.uint8).data for array in arrays.values()]
    header = _with_digest(header, NO_DIGEST, _digest([length, header, *parts]))
    with replacing(path) as file:
        for part in [length, header, *parts]:
            file.write(part)


def read(path: str | os.PathLike[str], kind: Kind) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The content and the tensors (read-only) of a file; ModelFileError if anything is wrong with it."""
    name = os.fspath(path)
    try:
        if "\0" in name:
            raise _Malformed("a file name cannot contain NUL")
        with open(name, "rb", buffering=0, opener=_at_once) as file:
            return _read(file, kind)
    except _Malformed as wrong:
        raise ModelFileError(f"cannot read {name} as a {kind}: {wrong}") from wrong
    except RecursionError as error:
        raise ModelFileError(f"cannot read {name} as a {kind}: its JSON is nested too deeply") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ModelFileError(f"cannot read {name}: {reason}; give a readable file that linnet wrote") from error
    except MemoryError as error:
        raise ModelFileError(f"cannot read {name}: it does not fit into memory") from error


def is_one(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as linnet's files do; whether it is whole, only reading it can say."""
    begin = b'{"__metadata__":{"content":'
    try:
        with open(path, "rb", buffering=0, opener=_at_once) as file:
            return file.read(8 + len(begin))[8:] == begin
    except OSError:
        return False


def finite(array: NDArray[Any], name: str, path: str | os.PathLike[str]) -> NDArray[Any]:
    """The array itself, or ModelFileError for its first NaN or infinity."""
    good = np.isfinite(array)
    if not good.all():
        at = np.unravel_index(int(np.argmin(good)), array.shape)
        raise ModelFileError(f"{os.fspath(path)}: {name}{[int(i) for i in at]} is {array[at]}, not a finite number")
    return array


def _in_order(tensors: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Little-endian and contiguous, the widest types first, so that every tensor is aligned."""
    arrays = {}
    for name, tensor in tensors.items():
        dtype = np.asarray(tensor).dtype.newbyteorder("<")
        if not NAME.fullmatch(name) or dtype not in CODES:
            raise ValueError(f"tensor {name!r} of {dtype}: names are letters, digits and _.-; types {list(DTYPES)}")
        arrays[name] = np.asarray(tensor, dtype=dtype, order="C")
    return {name: arrays[name] for name in sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))}


def _header(kind: str, content: str, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    metadata = {"content": content, "format": FORMAT, "format_version": str(VERSION), "kind": kind, "sha256": NO_DIGEST}
    header: dict[str, Any] = {"__metadata__": metadata}
    begin = 0
    for name, array in arrays.items():
        end = begin + array.nbytes
        header[name] = {"dtype": CODES[array.dtype], "shape": list(array.shape), "data_offsets": [begin, end]}
        begin = end
    encoded = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    encoded += b" " * (-len(encoded) % ALIGNMENT)
    if len(encoded) > HEADER_AT_MOST:
        raise ValueError(f"the description has {len(encoded)} bytes, {HEADER_AT_MOST} at most: store lists as tensors")
    return encoded


def _encoded(content: Any) -> str:
    encoded = _canonical(content)
    try:
        if _json(encoded) == content:
            return encoded
    except _Malformed as wrong:
        raise ValueError(f"content could not be read back: {wrong}") from wrong
    raise ValueError("content would be read back differently: use lists for tuples, and strings as keys")


def _canonical(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


def _digest(parts: Iterable[Any]) -> str:
    sha = hashlib.sha256()
    for part in parts:
        sha.update(part)
    return sha.hexdigest()


def _with_digest(header: bytes, old: str, new: str) -> bytes:
    """The header with another digest.  Quotes in JSON strings are escaped, so only the key itself can match."""
    before, found, after = header.partition(b'"sha256":"' + old.encode() + b'"')
    if not found:
        raise _Malformed(f"its digest is not written as linnet writes it; {DAMAGED}")
    return before + b'"sha256":"' + new.encode() + b'"' + after


def _at_once(name: str, flags: int) -> int:
    """Open a file without blocking: a pipe without a writer would block for ever."""
    return os.open(name, flags | os.O_NONBLOCK)


def _read(file: io.FileIO, kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        raise _Malformed("it is a directory, a pipe or a device; give the file that linnet wrote")
    length = _take(file, min(8, status.st_size)).tobytes()
    size = int.from_bytes(length, "little")
    if len(length) < 8 or not 2 <= size <= min(HEADER_AT_MOST, status.st_size - 8) or size % ALIGNMENT:
        raise _Malformed(f"it does not begin as a linnet file does: either another kind of file, or {DAMAGED}")
    header = _take(file, size).tobytes()
    metadata, layout = _parsed(header)
    content = _content(metadata, kind)
    tensors = _laid_out(layout, status.st_size - 8 - size)
    data = _take(file, status.st_size - 8 - size)
    if file.read(1):
        raise _Malformed("it grew while being read; try again")
    if _digest([length, _with_digest(header, metadata["sha256"], NO_DIGEST), data]) != metadata["sha256"]:
        raise _Malformed(f"its SHA-256 digest does not agree with its bytes; {DAMAGED}")
    data.flags.writeable = False
    return content, {t.name: data[t.begin : t.end].view(t.dtype).reshape(t.shape) for t in tensors}


def _take(file: io.FileIO, size: int) -> NDArray[np.uint8]:
    taken = np.empty(size, dtype=np.uint8)
    got = 0
    while got < size:
        count = file.readinto(taken.data[got:])
        if not count:
            raise _Malformed("it shrank while being read; try again")
        got += count
    return taken


def _parsed(header: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Metadata and the other entries, after a check of the format version."""
    try:
        layout = _json(header.decode())
    except UnicodeDecodeError as error:
        raise _Malformed(f"its header is not valid UTF-8; {DAMAGED}") from error
    if not header.startswith(b"{"):
        raise _Malformed(f"its header is not a JSON object; {DAMAGED}")
    metadata = layout.pop("__metadata__", None)
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        raise _Malformed("it is not a linnet file")
    version = metadata.get("format_version")
    if not isinstance(version, str) or not re.fullmatch(r"[1-9][0-9]{0,8}", version):
        raise _Malformed(f"its format version is {shown(version)}; {DAMAGED}")
    if int(version) > VERSION:
        raise _Malformed(f"it was made by a newer linnet (format {version}, this one reads {VERSION}): upgrade linnet")
    if set(metadata) != METADATA or not all(isinstance(value, str) for value in metadata.values()):
        raise _Malformed(f"its metadata must be the strings {sorted(METADATA)}; {DAMAGED}")
    return metadata, layout


def _content(metadata: dict[str, str], kind: str) -> dict[str, Any]:
    if metadata["kind"] not in KINDS:
        raise _Malformed(f"its kind {shown(metadata['kind'])} is unknown; {DAMAGED}")
    if metadata["kind"] != kind:
        raise _Malformed(f"it is a {metadata['kind']}")
    if not re.fullmatch("[0-9a-f]{64}", metadata["sha256"]):
        raise _Malformed(f"its SHA-256 digest is not 64 hexadecimal digits; {DAMAGED}")
    content = _json(metadata["content"])
    if not isinstance(content, dict) or _canonical(content) != metadata["content"]:
        raise _Malformed(f"its content is not a JSON object in the form that linnet writes; {DAMAGED}")
    return content


def _laid_out(layout: dict[str, Any], available: int) -> list[_Tensor]:
    """Tensors that are contiguous and end with the file; _Malformed otherwise."""
    tensors = []
    filled = 0
    for name, entry in layout.items():
        if not NAME.fullmatch(name):
            raise _Malformed(f"tensor name {shown(name)} is not made of letters, digits and _.-")
        if not isinstance(entry, dict) or set(entry) != TENSOR:
            raise _Malformed(f"tensor {name} must be described by {sorted(TENSOR)}")
        tensor = _tensor(name, entry)
        if tensor.begin != filled or tensor.begin % tensor.dtype.itemsize:
            raise _Malformed(f"tensor {name} begins at {tensor.begin}, where it overlaps, leaves a gap or is unaligned")
        tensors.append(tensor)
        filled = tensor.end
    if filled != available:
        raise _Malformed(f"its tensors take {filled} bytes but it has {available}; {DAMAGED}")
    return tensors


def _tensor(name: str, entry: dict[str, Any]) -> _Tensor:
    code, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(code, str) or code not in DTYPES:
        raise _Malformed(f"tensor {name} has dtype {shown(code)}, which is not one of {list(DTYPES)}")
    if not _are_sizes(shape) or len(shape) > DIMENSIONS_AT_MOST:
        raise _Malformed(f"tensor {name} has shape {shown(shape)}, not up to {DIMENSIONS_AT_MOST} sizes")
    if not _are_sizes(offsets) or len(offsets) != 2:
        raise _Malformed(f"tensor {name} has data_offsets {shown(offsets)}, not a begin and an end")
    dtype = np.dtype(DTYPES[code])
    # NumPy refuses even an empty array whose other sizes are too large, such as (0, 2**62, 2**62).
    if dtype.itemsize * math.prod(size or 1 for size in shape) >= 2**63:
        raise _Malformed(f"tensor {name} has shape {shown(shape)}, larger than any memory")
    if dtype.itemsize * math.prod(shape) != offsets[1] - offsets[0]:
        raise _Malformed(f"tensor {name} has shape {shown(shape)} of {code}, which does not fit data_offsets {offsets}")
    return _Tensor(name, dtype, tuple(shape), offsets[0], offsets[1])


def _are_sizes(value: Any) -> bool:
    return isinstance(value, list) and all(type(size) is int and size >= 0 for size in value)


def _json(text: str) -> Any:
    """Strict JSON: no NaN, no infinity, no duplicate keys, no number beyond 64 bits."""
    if SURROGATE.search(text):
        raise _Malformed("its JSON contains half a character (a lone surrogate)")
    try:
        return json.loads(
            text, object_pairs_hook=_unique, parse_int=_integer, parse_float=_float, parse_constant=_no_constant
        )
    except RecursionError as error:
        raise _Malformed("its JSON is nested too deeply") from error
    except ValueError as error:
        raise _Malformed(f"its JSON is malformed ({error}); {DAMAGED}") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        raise _Malformed("its JSON has a key twice")
    return unique


def _integer(digits: str) -> int:
    if len(digits) < 19:  # as nearly all are
        return int(digits)
    value = int(digits) if len(digits) <= 20 else 2**64  # int() takes time quadratic in the digits
    if not -(2**63) <= value < 2**64:
        raise _Malformed("its JSON has a number of more than 64 bits")
    return value


def _float(digits: str) -> float:
    if len(digits) > 32 or not math.isfinite(value := float(digits)):
        raise _Malformed("its JSON has a number that is not a finite float")
    return value


def _no_constant(constant: str) -> Any:
    raise _Malformed(f"its JSON has {constant}, which is not a number")
