"""Model files taken apart and put together again, with a checksum that is right whatever is inside."""

from __future__ import annotations

import hashlib
import json
from typing import Any

NO_DIGEST = b"0" * 64
SIZES = {"F64": 8, "F32": 4, "I64": 8, "I32": 4, "U64": 8, "U32": 4, "U8": 1}


def taken_apart(data: bytes) -> tuple[dict[str, Any], dict[str, Any], dict[str, bytes]]:
    """Metadata, content and tensors: by name its description, and its bytes."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    metadata = header.pop("__metadata__")
    body = data[8 + size :]
    tensors = {name: body[slice(*each["data_offsets"])] for name, each in header.items()}
    return metadata, {"content": json.loads(metadata["content"]), "layout": header}, tensors


def put_together(metadata: dict[str, Any], parts: dict[str, Any], tensors: dict[str, bytes]) -> bytes:
    """A file of these parts; tensors are laid out one after the other, widest first, as linnet does it."""
    content = json.dumps(parts["content"], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return _sealed({**metadata, "content": content}, parts["layout"], tensors)


def _sealed(metadata: dict[str, Any], layout: dict[str, Any], tensors: dict[str, bytes]) -> bytes:
    order = sorted(tensors, key=lambda name: (-SIZES.get(layout[name]["dtype"], 1), name))
    header: dict[str, Any] = {"__metadata__": {**metadata, "sha256": NO_DIGEST.decode()}}
    begin = 0
    for name in order:
        end = begin + len(tensors[name])
        header[name] = {**layout[name], "data_offsets": [begin, end]}
        begin = end
    encoded = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    encoded += b" " * (-len(encoded) % 8)
    return resealed(len(encoded).to_bytes(8, "little") + encoded + b"".join(tensors[name] for name in order))


def resealed(data: bytes) -> bytes:
    """The same file with the checksum made right, if it still has a place for one."""
    key = b'"sha256":"'
    at = data.find(key)
    if at < 0 or len(data) < at + len(key) + 64:
        return data
    start = at + len(key)
    empty = data[:start] + NO_DIGEST + data[start + 64 :]
    return data[:start] + hashlib.sha256(empty).hexdigest().encode() + data[start + 64 :]
