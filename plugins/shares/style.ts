/** The style of the page of a share, and its policy. */
import { pagePolicy } from '../../lib/index.ts';
import { SHARE_SCRIPT } from './page-script.ts';

/** Light and dark by the system; numbers of one width; tables scroll by themselves on a phone. */
export const SHARE_STYLE = `
:root { color-scheme: light dark; --text: #1f2328; --soft: #57606a; --back: #fff; --line: #d0d7de; --bar: #0a58ca; --bad: #b3261e }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --soft: #9da7b1; --back: #0d1117; --line: #30363d; --bar: #6cb6ff; --bad: #ff938a } }
* { box-sizing: border-box }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { max-width: 46rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem }
h2 { font-size: 1.25rem; margin: 1.5rem 0 .25rem }
h3 { font-size: 1rem; margin: 1rem 0 .25rem }
p { margin: .25rem 0 }
.lines { white-space: pre-line }
.soft { color: var(--soft); font-size: .9rem }
.level { font-size: 2.75rem; font-weight: 600; line-height: 1.2; font-variant-numeric: tabular-nums }
.unknown, .exceeded { color: var(--bad); font-weight: 600 }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .95rem }
th, td { text-align: right; padding: .2rem .5rem; border-bottom: 1px solid var(--line); overflow-wrap: normal }
th:first-child { text-align: left; font-weight: 400; white-space: nowrap }
thead th:first-child { font-weight: 600 }
thead th { font-weight: 600 }
ul { margin: .25rem 0; padding-left: 1.25rem }
svg { display: block } svg rect { fill: var(--bar) }
@media (max-width: 30rem) { .bar { display: none } th, td { padding: .2rem .25rem } table { font-size: .875rem } }
`;

/** The Content-Security-Policy of the page. `embed`: origins that may show it in a frame. */
export const sharePolicy = (embed: readonly string[]): string =>
  pagePolicy(SHARE_STYLE, { script: SHARE_SCRIPT, frames: embed });
