"""Mails: read as the standard library reads them, but in time linear in their size, whoever wrote them."""

from __future__ import annotations

import email
import email.policy
import random
from email.header import decode_header, make_header
from email.message import EmailMessage
from itertools import pairwise
from time import process_time

import pytest

from linnet.data.sources.mail import HEADER_AT_MOST, mail_text, without_tags

WORDS = ["hello", "Grüße", "値", "&amp;", "<b>bold</b>", "=", "=3D", "From:", "--", "--x", "\t"]


def by_the_standard_library(raw: bytes) -> str:
    mail = email.message_from_bytes(raw, policy=email.policy.compat32)
    said = [f"{name}: {make_header(decode_header(str(mail.get(name, ''))))}" for name in ("from", "subject")]
    for part in mail.walk():
        if part.get_content_maintype() == "text" and not part.is_multipart():
            text = part.get_payload(decode=True).decode(part.get_content_charset() or "utf-8")
            said.append(without_tags(text) if part.get_content_subtype() == "html" else text)
    return "\n".join(said)


def random_mail(choose: random.Random, depth: int = 0) -> EmailMessage:
    def text() -> str:
        return "".join(" ".join(choose.choices(WORDS, k=6)) + "\n" for _ in range(choose.randrange(4)))

    mail = EmailMessage()
    mail["From"], mail["Subject"] = "Zoë <zoe@example.org>", text().replace("\n", " ").strip() * choose.randrange(4)
    mail["Received"] = "by example.org " * 20
    cte = choose.choice(["quoted-printable", "base64", "8bit"])
    mail.set_content(text(), charset=choose.choice(["utf-8", "gb18030"]), cte=cte)
    for _ in range(choose.randrange(4)):
        kind = choose.randrange(4)
        if kind == 0 and mail.get_content_maintype() == "text":
            mail.add_alternative(text(), subtype="html", cte=cte)
        elif kind == 1:
            mail.add_attachment(b"\x89PNG", maintype="image", subtype="png")
        elif kind == 2 and depth < 3:
            mail.add_attachment(random_mail(choose, depth + 1))
        else:
            mail.add_attachment(text(), subtype=choose.choice(["plain", "html"]), filename="a;b.txt")
    return mail


@pytest.mark.parametrize("seed", range(60))
def test_a_mail_says_what_the_standard_library_reads_in_it(seed):
    choose = random.Random(seed)
    raw = random_mail(choose).as_bytes(policy=email.policy.SMTP if seed % 2 else email.policy.default)
    assert mail_text(raw) == by_the_standard_library(raw)


BROKEN = {
    "no empty line before the text": b"From: a\nSubject: b\ntext\nmore\n",
    "a part without an end": b'From: a\nContent-Type: multipart/mixed; boundary="x y"\n\nno\n--x y\n\none\n',
    "an outer separator ends an inner part": (
        b"From: a\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: multipart/mixed; boundary=y\n\n"
        b"--y\n\none\n--x\n\ntwo\n--y\nthree\n--x--\nepilogue\n"
    ),
    "a digest": (
        b"From: a\nContent-Type: multipart/digest; boundary=x\n\n"
        b"--x\n\nSubject: inner\n\none\n--x\n\nFrom: b\n\ntwo\n--x--"
    ),
    "a boundary over several lines": b'From: a\nContent-Type: multipart/mixed;\n\tboundary="x"\n\n--x\n\none\n--x--\n',
    "a language with the charset": b"From: a\nContent-Type: text/plain; charset*=latin-1'de'latin-1\n\n\xe9\n",
    "escaped quotes": b'From: a\nContent-Type: multipart/mixed; a="\\";boundary=z"; boundary=x\n\n--x\n\none\n--x--\n',
    "the first of two": b"From: a\nFrom: b\nSubject: c\nSubject: d\n\ntext\n",
    "Unix mailbox": b"From someone Mon Jan  1\nFrom: a\nSubject: c\n\ntext\n",
    "bytes in a header": b"From: \xff\xfe a\n\ntext\n",
    "no text": b"From: a\nContent-Type: multipart/mixed\n\nnothing\n",
}


@pytest.mark.parametrize("raw", BROKEN.values(), ids=BROKEN)
def test_a_malformed_mail_says_what_the_standard_library_reads_in_it(raw):
    assert mail_text(raw) == by_the_standard_library(raw)


def part(content_type: str, body: str = "text") -> str:
    return f"From: a\nTo: b\nContent-Type: {content_type}\n\n{body}\n"


def nested(levels: int) -> str:
    opened = (f'Content-Type: multipart/mixed; boundary="{i}"\n\n--{i}\n' for i in range(levels))
    return "From: a\nTo: b\n" + "".join(opened) + "\ntext\n" * levels


# Of each kind one with about n characters.
HOSTILE = {
    "a long tag": lambda n: part("text/html", "<" + "a" * n),
    "long tags": lambda n: part("text/html", "<a</a" * (n // 5)),
    "an open comment": lambda n: part("text/html", "<!--" * (n // 4)),
    "open scripts": lambda n: part("text/html", "<script <style" * (n // 14)),
    "entities": lambda n: part("text/html", "&amp" * (n // 8) + "&#9999" * (n // 12)),
    "ampersands": lambda n: part("text/html", "&" * n),
    "parameters": lambda n: part("text/plain; " + 'a="' * (n // 3)),
    "many parameters": lambda n: part("text/plain" + "; a=b" * (n // 5)),
    "semicolons after a quote": lambda n: part('text/plain; a="' + ";" * n),
    "quoted semicolons": lambda n: part('text/plain; a="' + "\\;" * (n // 2)),
    "continued parameters": lambda n: part("multipart/mixed" + "".join(f"; boundary*{i}=a" for i in range(n // 14))),
    "blanks in parameters": lambda n: part("text/plain; " + "; a " + " " * n),
    "encoded words": lambda n: f"From: a\nTo: b\nSubject: {'=?a?q?' * (n // 6)}\n\ntext",
    "open encoded words": lambda n: f"From: {'=?' * (n // 2)}\nTo: b\n\ntext",
    "addresses in groups": lambda n: f"From: {'a:' * (n // 2)}\nTo: b\n\ntext",
    "many fields": lambda n: "From: a\nTo: b\n" + "Subject: x\n" * (n // 11) + "\ntext",
    "many continued lines": lambda n: "From: a\nTo: b\nSubject: x\n" + " x\n" * (n // 3) + "\ntext",
    "nested parts": lambda n: nested(n // 60),
    "nested messages": lambda n: "From: a\nTo: b\n" + "Content-Type: message/rfc822\n\n" * (n // 30) + "text",
    "a deep part of many lines": lambda n: nested(n // 120) + "--\n" * (n // 6),
    "separators": lambda n: part("multipart/mixed; boundary=x", "--x\n" * (n // 4)),
    "soft line ends": lambda n: part("text/plain\nContent-Transfer-Encoding: quoted-printable", "=\n" * (n // 2)),
    "padding": lambda n: part("text/plain\nContent-Transfer-Encoding: base64", "=A" * (n // 2)),
    "names of domains": lambda n: part("text/plain; charset=' Punycode'", "a" * (n // 2) + "-" + "b" * (n // 2)),
    "uuencoded": lambda n: part("text/plain\nContent-Transfer-Encoding: x-uuencode", "begin 644 a\n" * (n // 12)),
}


@pytest.mark.parametrize("mail", HOSTILE.values(), ids=HOSTILE)
def test_a_mail_is_read_in_time_linear_in_its_size(mail):
    sizes, seconds = (40_000, 320_000), []
    for size in sizes:
        raw = mail(size).encode()
        began = process_time()
        assert mail_text(raw)
        seconds.append(process_time() - began)
    # eight times the size takes eight times as long, a quadratic step 64 times; what takes no time at all is fine
    assert all(more < 24 * max(less, 0.02) for less, more in pairwise(seconds)), seconds


def test_a_short_header_is_decoded_and_a_long_one_is_taken_as_it_is():
    word = "=?utf-8?b?R3LDvMOfZQ==?= "
    short, long = word * 3, word * (HEADER_AT_MOST // len(word) + 1)
    assert "Grüße" in mail_text(f"From: a\nSubject: {short}\n\ntext".encode())
    assert f"subject: {long}\ntext" in mail_text(f"From: a\nSubject: {long}\n\ntext".encode())


def test_a_character_of_thousands_of_digits_is_left_as_it_is():
    assert without_tags(f"<p>&#{'1' * 5000};") == f" &#{'1' * 5000};"
