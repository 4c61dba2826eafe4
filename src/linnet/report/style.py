"""The style sheet of the page: light and dark, telephone, screen and paper.

The colours of series are those of Okabe and Ito (2008, Color universal design), darkened or lightened until they stand
out from the background by 3 to 1 at least; text does by 4.5 to 1.  Series also differ by shape or dash.
"""

from __future__ import annotations

LIGHT = {
    "bg": "#ffffff", "raised": "#f6f7f9", "edge": "#dcdfe4", "text": "#1a1d21", "muted": "#555d68", "link": "#0a58a6",
    "grid": "#e7e9ed", "axis": "#8a919c", "warn": "#8a5300", "warn-bg": "#fff7e8", "good": "#00694b",
    "s0": "#0072b2", "s1": "#c8500a", "s2": "#00805d", "s3": "#b0538a", "s4": "#8a6a00", "s5": "#3a8fc4",
    "s6": "#6a4c93", "s7": "#666666", "heat": "0, 114, 178",
}  # fmt: skip
DARK = {
    "bg": "#14171b", "raised": "#1d2127", "edge": "#353b45", "text": "#e7e9ec", "muted": "#a9b1bc", "link": "#7fb9f5",
    "grid": "#2a2f37", "axis": "#79818d", "warn": "#f3bd62", "warn-bg": "#2b2415", "good": "#4fd0a5",
    "s0": "#5ab4ea", "s1": "#f79a55", "s2": "#3fc79d", "s3": "#e29bc6", "s4": "#e0bd4a", "s5": "#9ad2f7",
    "s6": "#bda2e6", "s7": "#b5b5b5", "heat": "90, 180, 234",
}  # fmt: skip

RULES = """
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--text);
  font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",Helvetica,Arial,sans-serif;
  font-variant-numeric:tabular-nums}
.page{max-width:73rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1,h2,h3{line-height:1.25;text-wrap:balance;overflow-wrap:anywhere}
h1{font-size:1.85rem;margin:.15rem 0 .5rem;letter-spacing:-.012em}
h2{font-size:1.25rem;margin:0 0 .9rem;letter-spacing:-.006em}
h3{font-size:1rem;margin:0 0 .35rem}
p{margin:0 0 .75rem;max-width:46rem;overflow-wrap:anywhere}
a{color:var(--link)}
code{font:.88em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.kind{color:var(--muted);margin:0;font-size:.95rem}
.lead{font-size:1.05rem;max-width:52rem}
.note,figcaption{color:var(--muted);font-size:.9rem}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:1.1rem 0 0;padding:.7rem 0 0;
  border-top:1px solid var(--edge);font-size:.93rem}
tbody th{min-width:8.5rem}
.why{display:inline-block;white-space:normal;min-width:9rem;color:var(--muted);font-size:.86rem}
section{margin-top:2.2rem;padding-top:1.6rem;border-top:1px solid var(--edge)}
dl.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,11rem),1fr));gap:.75rem;margin:1.2rem 0 0}
dl.tiles>div{background:var(--raised);border:1px solid var(--edge);border-radius:.5rem;padding:.65rem .85rem .7rem}
dl.tiles dt{color:var(--muted);font-size:.86rem}
dl.tiles dd{margin:0;overflow-wrap:anywhere}
dl.tiles dd.value{font-size:1.4rem;font-weight:600;line-height:1.3}
dl.tiles dd.more{color:var(--muted);font-size:.86rem;line-height:1.35}
.warnings{list-style:none;margin:0;padding:0;max-width:60rem}
.warnings li{background:var(--warn-bg);border-left:4px solid var(--warn);border-radius:0 .35rem .35rem 0;
  padding:.5rem .8rem;margin:0 0 .5rem;overflow-wrap:anywhere}
.conclusion li{margin:0 0 .4rem;max-width:52rem}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21.5rem),1fr));gap:1.6rem 1.8rem;
  margin:1rem 0;align-items:start}
.figure{margin:0;min-width:0}
.figure svg{display:block;width:100%;height:auto;max-width:32rem;overflow:visible}
.figure.wide{grid-column:1/-1}
.figure.wide svg{max-width:35rem}
figcaption{margin:.45rem 0 0;max-width:34rem;overflow-wrap:anywhere}
details{margin:.45rem 0 0;font-size:.9rem}
summary{cursor:pointer;color:var(--link);width:max-content;max-width:100%}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem .95rem;margin:0 0 .35rem;padding:0;font-size:.88rem}
.legend li{overflow-wrap:anywhere}
.key{display:inline-block;width:.8rem;height:.8rem;border-radius:.2rem;margin-right:.4rem;vertical-align:-.06rem;
  background:var(--c)}
.scroll{overflow-x:auto;max-width:100%;margin:.5rem 0 .75rem}
details .scroll{max-height:22rem;overflow-y:auto}
.scroll:focus-visible,summary:focus-visible,a:focus-visible{outline:2px solid var(--link);outline-offset:2px}
table{border-collapse:collapse;font-size:.92rem}
th,td{text-align:left;padding:.32rem .8rem .32rem 0;border-bottom:1px solid var(--edge);vertical-align:top;
  max-width:26rem;overflow-wrap:break-word}
thead th{color:var(--muted);font-weight:600;white-space:nowrap;vertical-align:bottom}
tbody th{font-weight:500}
.n{text-align:right;white-space:nowrap}
td.n:last-child,th.n:last-child{padding-right:.2rem}
.bayes{display:block;width:8.5rem;height:.75rem;margin:.35rem 0 .1rem}
.odds{color:var(--muted);font-size:.84rem;white-space:nowrap}
svg text{fill:var(--text);font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",Helvetica,Arial,sans-serif}
svg .tick{fill:var(--muted);font-size:11.5px}
svg .axis-title{font-size:12px;fill:var(--muted)}
svg .strong{font-weight:600}
svg .small{font-size:11px}
svg .muted{fill:var(--muted)}
.grid{stroke:var(--grid);stroke-width:1}
.axis{stroke:var(--axis);stroke-width:1}
.line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.thin{stroke-width:1.4}
.whisker{stroke:var(--c);stroke-width:1.6}
.area{fill:var(--c);fill-opacity:.16;stroke:none}
.bar{fill:var(--c)}
.point{fill:var(--c);stroke:var(--bg);stroke-width:.7}
.hollow{fill:var(--bg);stroke:var(--c);stroke-width:1.6}
.faint{fill-opacity:.6}
.reference{stroke:var(--axis);stroke-width:1.3;stroke-dasharray:5 4;fill:none}
.dashed{stroke-dasharray:6 4}
.dotted{stroke-dasharray:1.5 4}
.region{fill:var(--c);fill-opacity:.13;stroke:none}
.plane{stroke:var(--text);stroke-width:2.2}
.margin{stroke:var(--text);stroke-width:1.2;stroke-dasharray:5 4}
.normal{stroke:var(--s3);stroke-width:2.4}
.arrow{fill:var(--s3)}
.cell{stroke:var(--bg);stroke-width:1}
.neutral{--c:var(--axis)}
@media (max-width:34rem){
  .page{padding:1.1rem 1rem 3rem}
  h1{font-size:1.5rem}
  dl.tiles{grid-template-columns:1fr 1fr;gap:.55rem}
  dl.tiles dd.value{font-size:1.2rem}
}
@media print{
  @page{margin:16mm}
  body{font-size:10.5pt}
  .page{max-width:none;padding:0}
  nav,details{display:none}
  section{break-inside:auto;margin-top:1.2rem;padding-top:.9rem}
  h2,h3{break-after:avoid}
  .figure,dl.tiles>div,.warnings li,tr{break-inside:avoid}
  .figures{grid-template-columns:1fr 1fr}
  .scroll{overflow:visible}
  a{color:inherit;text-decoration:none}
  *{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}
"""


def style_sheet() -> str:
    """All of it, as it stands in the page."""
    coloured = "".join(f".s{i}{{--c:var(--s{i})}}" for i in range(8))
    dark = f"@media screen and (prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}"
    return f":root{{color-scheme:light dark;{_variables(LIGHT)}}}{dark}{coloured}{_compact(RULES)}"


def _variables(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in colours.items())


def _compact(rules: str) -> str:
    return "".join(line.strip() for line in rules.splitlines())
