"""The readable text of a mail."""

from __future__ import annotations

import email
import email.policy
import html
import re
from email.header import decode_header, make_header
from typing import Any

from linnet.data.sources.files import decoded

TAG = re.compile(r"<(/?)([A-Za-z]*)[^<>]*>")
UNREAD = ("script", "style")  # the content of these elements is not displayed


def mail_text(raw: bytes) -> str:
    """Sender, subject and the readable parts of a mail, decoded; HTML without its tags."""
    try:
        mail = email.message_from_bytes(raw, policy=email.policy.compat32)
        parts = [f"from: {_header(mail.get('From', ''))}", f"subject: {_header(mail.get('Subject', ''))}"]
        for part in mail.walk():
            kind = part.get_content_maintype()
            if kind != "text" or part.is_multipart():
                continue
            payload = part.get_payload(decode=True)
            text = decoded(payload if isinstance(payload, bytes) else b"", part.get_content_charset() or "utf-8")
            parts.append(without_tags(text) if part.get_content_subtype() == "html" else text)
        return "\n".join(parts).encode("utf-8", "replace").decode()
    except Exception:  # the standard library fails on some malformed mails, in many ways
        return decoded(raw)


def without_tags(page: str) -> str:
    """The displayed text of a page, in one pass, whatever the page."""
    parts, at, within = [], 0, ""
    for tag in TAG.finditer(page):
        if not within:
            parts.append(page[at : tag.start()])
        closing, name = tag[1], tag[2].lower()
        if not within and not closing and name in UNREAD:
            within = name
        elif closing and name == within:
            within = ""
        at = tag.end()
    return html.unescape(" ".join([*parts, "" if within else page[at:]]))


def _header(value: Any) -> str:
    try:
        return str(make_header(decode_header(str(value))))
    except (ValueError, LookupError, UnicodeError):
        return str(value)
