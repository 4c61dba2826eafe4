"""Finds gathered by signature, written to `attack/finds/` with the command to replay them, and counted at the end."""

from __future__ import annotations

import re
import time
from collections import Counter
from pathlib import Path

from attack.detectors import Find
from attack.pool import Report

FINDS = Path(__file__).parent / "finds"


class Findings:
    """All that an attack has seen."""

    def __init__(self, seed: int, folder: Path | None = FINDS) -> None:
        self.seed = seed
        self.folder = folder
        self.began = time.monotonic()
        self.cases: Counter[str] = Counter()
        self.processes = 0
        self.killed = 0
        self.by_signature: dict[str, list[tuple[str, Find]]] = {}

    def add(self, report: Report, name: str) -> list[Find]:
        """Count a case; the finds not seen before are returned."""
        self.cases[report.subject] += 1
        self.processes += report.processes
        self.killed += report.killed
        new = []
        for find in report.finds:
            seen = self.by_signature.setdefault(find.signature, [])
            if not seen:
                new.append(find)
                self._write(find, name, report.subject)
            seen.append((name, find))
        return new

    def _write(self, find: Find, name: str, subject: str) -> None:
        if self.folder is None:
            return
        self.folder.mkdir(exist_ok=True)
        slug = re.sub(r"[^A-Za-z0-9.]+", "-", find.signature).strip("-")[:80]
        replay = f"python attack/run.py --case {name}"
        text = f"{find.kind}: {find.detail}\n\nsubject: {subject}\nreplay:  {replay}\nshrink:  {replay} --shrink\n"
        (self.folder / f"{slug}.txt").write_text(text, encoding="utf-8", errors="backslashreplace")

    def summary(self) -> str:
        """Counts, speed, seed and finds."""
        minutes = (time.monotonic() - self.began) / 60
        total = sum(self.cases.values())
        lines = [f"{'subject':<20} {'cases':>8}"]
        lines += [f"{subject:<20} {count:>8,}" for subject, count in sorted(self.cases.items())]
        lines.append(
            f"{'all':<20} {total:>8,}   {self.processes:,} processes ({self.killed:,} killed) in {minutes:.1f} "
            f"minutes, {total / max(minutes, 1e-9):,.0f} cases a minute; seed {self.seed}"
        )
        if not self.by_signature:
            return "\n".join([*lines, "no finds"])
        lines.append(f"{len(self.by_signature)} finds:")
        for signature, seen in sorted(self.by_signature.items(), key=lambda item: -len(item[1])):
            name, find = seen[0]
            detail = find.detail.splitlines()[-1] if find.detail else ""
            lines.append(f"  {len(seen):>5} x  {find.kind}: {signature}")
            lines += [f"           {text}" for text in (detail[:160], f"python attack/run.py --case {name}")]
        return "\n".join(lines)
