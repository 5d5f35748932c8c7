"""The style of reports: light and dark as the reader's system asks, nothing fetched."""

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #fff; --card: #f6f7f8; --ink: #1b1f23; --soft: #5a626a; --line: #d6dade;
  --accent: #3465b8; --good: #1c7c57; --bad: #b93226; --warn: #8a5a00; --warm: #fdf3dc;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #131619; --card: #1c2024; --ink: #e7e9eb; --soft: #a0a8b0; --line: #343a41;
    --accent: #7ba6f7; --good: #51c593; --bad: #ff8577; --warn: #e6bb57; --warm: #2c2515;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 5rem; max-width: 66rem;
  background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif;
}
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .8rem; }
h3 { font-size: .85rem; margin: 0 0 .5rem; color: var(--soft); font-weight: 600; }
p { margin: .4rem 0; }
code { font: .88em ui-monospace, monospace; overflow-wrap: anywhere; }
a { color: var(--accent); }
.soft { color: var(--soft); }
.banner { border-left: 4px solid var(--line); background: var(--card); padding: .7rem 1rem; margin: 1rem 0; }
.banner.good { border-color: var(--good); }
.banner.bad { border-color: var(--bad); }
.banner.warn { border-color: var(--warn); background: var(--warm); }
.banner ul { margin: .3rem 0 0; padding-left: 1.2rem; }
.group { padding: .9rem 1rem; }
dl { display: grid; grid-template-columns: 1fr auto; gap: .15rem 1rem; margin: 0; }
dt { font-weight: 600; }
dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
dd.meaning {
  grid-column: 1 / -1; text-align: left; font-weight: 400; font-size: .84rem; color: var(--soft);
  white-space: normal; margin-bottom: .45rem; line-height: 1.35;
}
.missed, .failed { color: var(--bad); }
.groups, .plots {
  display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr));
}
figure { margin: 0; padding: 1rem; }
figure, .group { background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
figcaption { font-size: .85rem; font-weight: 600; color: var(--soft); margin-bottom: .6rem; }
svg { display: block; width: 100%; height: auto; max-height: 20rem; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
svg text.soft { fill: var(--soft); }
svg text.small { font-size: 11.5px; }
svg text.big { font-size: 28px; font-weight: 650; }
svg text.failed { fill: var(--bad); font-weight: 650; }
svg .empty { fill: var(--line); fill-opacity: .35; }
svg .accent { fill: var(--accent); }
svg .good { fill: var(--good); }
svg .bad { fill: var(--bad); }
svg .at0 { fill-opacity: 0; }
svg .at1 { fill-opacity: .12; }
svg .at2 { fill-opacity: .2; }
svg .at3 { fill-opacity: .28; }
svg .at4 { fill-opacity: .36; }
svg .solid { fill-opacity: .8; }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .axis { stroke: var(--soft); stroke-width: 1; }
svg .bound { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 4 3; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .5rem; }
th, td { padding: .5rem .9rem .5rem 0; border-top: 1px solid var(--line); vertical-align: top; }
th, td { text-align: left; }
thead th { border-top: 0; font-size: .8rem; color: var(--soft); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.verdict { white-space: nowrap; font-weight: 600; }
.verdict.bad { color: var(--bad); }
.verdict.good { color: var(--good); }
summary { cursor: pointer; overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
details[open] summary { font-weight: 600; margin-bottom: .5rem; }
details section { margin: .6rem 0 .9rem; overflow-wrap: anywhere; }
.said { white-space: pre-wrap; margin: 0; }
blockquote { margin: .3rem 0 .7rem; padding: .1rem 0 .1rem .8rem; border-left: 3px solid var(--line); }
blockquote.good { border-color: var(--good); }
blockquote.bad { border-color: var(--bad); }
blockquote p { white-space: pre-wrap; }
blockquote footer { font-size: .85rem; color: var(--soft); }
@media print { details::details-content { content-visibility: visible; } }
"""
