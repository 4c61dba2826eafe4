"""Folders of texts and of mails: names of every kind, encodings, MIME gone wrong, tags without end."""

from __future__ import annotations

import base64
import quopri
from random import Random

from attack import words
from attack.formats import Data
from attack.mutations import mutated

MAIL_PIECES = [
    b"<", b"<a ", b"</", b"<!--", b"<script>", b"&", b"&#", b"&#x110000;", b"=?utf-8?q?", b"=?utf-8?b?", b"?=",
    b"=?x?q?=?x?q?", b"boundary=", b"\n--b\n", b"\n--b--\n", b"Content-Type: ", b"charset=", b"filename*0*=", b";",
    b"\nSubject: ", b"\n\n", b"=\n", b"=3D", b"\n ", b'"', b"(", b"Content-Transfer-Encoding: base64\n",
]  # fmt: skip
CHARSETS = [
    "utf-8",
    "latin-1",
    "us-ascii",
    "utf-16",
    "utf-7",
    "gb18030",
    "unknown-8bit",
    "x" * 200,
    "rot13",
    "hex",
    "idna",
    "zip",
    "\x1b[31m",
]


def make_texts(random: Random) -> Data:
    return _folder(random, _text)


def make_mails(random: Random) -> Data:
    return _folder(random, mail)


def _folder(random: Random, content) -> Data:
    files, folders = {}, []
    for _ in range(random.choice([1, 2, 2, 3])):
        label = _name(random)
        folders.append(f"data/{label}")
        for number in range(random.choice([0, 1, 5, 20])):
            inner = f"{_name(random)}/" if random.random() < 0.05 else ""
            name = f"{number}.txt" if random.random() < 0.9 else f"{number}{_name(random)}"
            files[f"data/{label}/{inner}{name}"] = content(random)
    return Data(files, ["data"], random.choice([[], [], ["--format", "folder"]]), folders=["data", *folders])


def _name(random: Random) -> str:
    name = random.choice(["a", "b", "c"]) if random.random() < 0.8 else words.word(random)
    name = name.replace("/", "_").replace("\0", "")[:80]
    name = name.encode("utf-8", "replace").decode()
    if random.random() < 0.03:
        name += "\udcff"  # a byte that is not UTF-8
    return name if name.strip(".") else "z"


def _text(random: Random) -> bytes:
    content = words.text(random).encode("utf-8", "surrogatepass")
    return mutated(random, content) if random.random() < 0.2 else content


def mail(random: Random) -> bytes:
    """A mail: headers, perhaps several parts, perhaps HTML."""
    head = [
        f"Subject: {_header_word(random)}",
        f"From: {_header_word(random)} <a@example.invalid>",
        "Date: Mon, 1 Jan 2024 00:00:00 +0000",
    ]
    charset = random.choice(CHARSETS)
    kind = random.choice(["plain", "plain", "html", "multipart", "nested"])
    body = (words.text(random) if kind != "html" else _html(random)).encode("utf-8", "replace")
    if kind in ("plain", "html"):
        head.append(f"Content-Type: text/{kind}; charset={charset}{_parameters(random)}")
        encoding = random.choice(["", "base64", "quoted-printable", "x-unknown"])
        if encoding:
            head.append(f"Content-Transfer-Encoding: {encoding}")
        body = {"base64": base64.encodebytes, "quoted-printable": quopri.encodestring}.get(encoding, bytes)(body)
    else:
        depth = random.choice([1, 2, 30]) if kind == "nested" else 1
        head.append('Content-Type: multipart/mixed; boundary="b0"')
        parts = b""
        for level in range(depth):
            parts += (
                f'\n--b{level}\nContent-Type: multipart/mixed; boundary="b{level + 1}"\n'.encode()
                if level + 1 < depth
                else b""
            )
        last = f"--b{depth - 1}"
        page = f"\n{last}\nContent-Type: text/html; charset={charset}\n\n{_html(random)}\n{last}--\n"
        parts += page.encode("utf-8", "replace")
        body = parts + body
    content = "\n".join(head).encode("utf-8", "replace") + b"\n\n" + body
    return mutated(random, content, MAIL_PIECES) if random.random() < 0.5 else content


def _header_word(random: Random) -> str:
    if random.random() < 0.3:
        return "".join(
            random.choice(["=?utf-8?q?caf=C3=A9?=", "=?utf-8?b?YQ==?=", "=?x?z?", "=?utf-8?q?", " ", "?="])
            for _ in range(random.choice([1, 5, 300]))
        )
    return words.word(random).replace("\n", " ")


def _parameters(random: Random) -> str:
    return "".join(f"; p{i}={random.choice(['x', '', chr(34)])}" for i in range(random.choice([0, 0, 2, 200])))


def _html(random: Random) -> str:
    pieces = [
        "<p>",
        "</p>",
        "<a href='x'>",
        "<",
        ">",
        "<!--",
        "-->",
        "<script>",
        "</script>",
        "<style>",
        "&amp;",
        "&#0;",
        "&#xD800;",
        "&unknown;",
        "<br",
        "<![CDATA[",
    ]
    return "".join(random.choice([*pieces, words.word(random)]) for _ in range(random.choice([1, 10, 100])))
