/** A run as a short page: where and when it was, each fault with what was seen, and the promises. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { type Facts, type Lacking, quantile } from './facts.ts';
import type { Line } from './line.ts';
import type { Seen } from './others.ts';
import { ROOT } from './start.ts';

/** Seconds of levels of the streamed meters. */
interface Levels {
  readonly kept: number;
  /** Under a time that is as far off as the clock was; undefined: no clock was. */
  readonly elsewhere: number | undefined;
  /** That there would be without a fault. */
  readonly all: number;
}

/** All of it. */
interface Run {
  readonly meters: number;
  readonly streamed: number;
  /** So many of the streamed ones store on their cards. */
  readonly storing: number;
  /** Meters are shared out. */
  readonly isShared: boolean;
  /** When the load began, ms since 1970 UTC. */
  readonly begun: number;
  readonly rows: readonly (Seen & { readonly levels: Levels })[];
  readonly lines: readonly Line[];
}

const BEGIN = '<!-- run of the proof -->';
const END = '<!-- end of the run -->';
const GB = 2 ** 30;

/** One line for the terminal. */
export function wordsOf(facts: Facts): string {
  const { gaps, open, moved, dropped, steady, served, ended, knocks, writes, notes, alertAfter, health } = facts;
  const told = [...health].map(([text, instances]) => `\n    ${instances} said: ${text}`).join('');
  return `${gapWords(gaps)}, ${open} without an end; not hit: ${steady.length} went on, ${moved.length} moved, ${dropped.length} dropped; ${served} served, ${ended} ended, ${knocks} knocks; changes ${countWords(writes)}; notes ${countWords(notes)}; alert ${afterWords(alertAfter)}${told}`;
}

/** Text in Markdown, and whether each promise was kept. */
export function pageOf(run: Run) {
  const { rows, lines, isShared } = run;
  const isKept = lines.every((line) => line.isKept) && rows.every(isInTime);
  const others = isShared ? ['meters of instances that were not hit'] : [];
  const text = `${BEGIN}
${aboutRun(run)}

${table(
  [
    'fault',
    'began',
    'streamed meters without a connection',
    'at most',
    ...others,
    'served',
    'ended',
    'refused',
    'changes of configs',
    'notes',
    'levels kept',
    'alert',
  ],
  rows.map(({ fault, from, facts, levels, lacking }, n) => [
    `${n + 1}. ${fault.name}`,
    timeOf(from),
    gapWords(facts.gaps) + (facts.open > 0 ? `, ${facts.open} without an end` : ''),
    `${fault.within} s`,
    ...others.map(() => otherWords(facts, lacking)),
    String(facts.served),
    String(facts.ended),
    String(facts.knocks),
    countWords(facts.writes),
    countWords(facts.notes),
    levelWords(levels),
    afterWords(facts.alertAfter),
  ]),
)}

${table(
  ['fault', 'what `/health` said, and how many instances'],
  rows.map(({ facts }, n) => [
    String(n + 1),
    [...facts.health].map(([sentence, instances]) => `${sentence} (${instances})`).join('<br>') || 'nothing',
  ]),
)}

${table(
  ['promise', 'found', 'kept'],
  lines.map(({ what, found, isKept: is }) => [what, found, is ? 'yes' : '**no**']),
)}
${END}`;
  return { text, isKept };
}

/** Writes the run into its own file, and over the run that stands in `page`. */
export function keepRun(text: string, file: string, page: string | undefined): void {
  writeFileSync(file, `${text}\n`);
  if (page === undefined) return;
  const before = readFileSync(page, 'utf8');
  const [begin, end] = [before.indexOf(BEGIN), before.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${page} has no place for a run: a line ${BEGIN} and a line ${END}`);
  writeFileSync(page, before.slice(0, begin) + text + before.slice(end + END.length));
}

/** Meters that were given away have a promise of their own. */
function isInTime({ fault, facts: { gaps, open, moved } }: Seen): boolean {
  const left = gaps.filter((gap) => !moved.includes(gap));
  return open === 0 && quantile(left, 0.99) <= Math.max(fault.within, 1);
}

function aboutRun({ meters, streamed, storing, isShared, begun }: Run): string {
  const commit = wordOf('git', 'rev-parse', '--short=8', 'HEAD');
  const changes = wordOf('git', 'status', '--porcelain') === '' ? '' : ' with changes that were not committed';
  const server = wordOf('psql', '--version').replace(/^.*?(\d+)[.\d]*.*$/, '$1');
  return `The run of ${new Date(begun).toISOString().slice(0, 10)}, ${timeOf(begun)} to ${timeOf(Date.now())} UTC, of commit ${commit}${changes}: ${meters} meters${isShared ? ', shared out' : ''}, ${streamed} of them streamed${storing > 0 ? ` (${storing} with a store on their cards)` : ''} and ${meters - streamed} read every 15 s; Node ${process.versions.node}, PostgreSQL ${server}, ${cpus().length} cores and ${Math.round(totalmem() / GB)} GB of memory for all of it.`;
}

const wordOf = (program: string, ...words: readonly string[]): string =>
  (spawnSync(program, words, { cwd: ROOT, encoding: 'utf8' }).stdout ?? '').trim();

const timeOf = (ms: number): string => new Date(ms).toISOString().slice(11, 19);

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const gapWords = (gaps: readonly number[]): string =>
  gaps.length === 0
    ? '0'
    : `${gaps.length}: p50 ${quantile(gaps, 0.5).toFixed(1)} s, p99 ${quantile(gaps, 0.99).toFixed(1)} s`;

const otherWords = ({ steady, moved, dropped }: Facts, lacking: readonly Lacking[]): string => {
  const sum = lacking.reduce((total, { s }) => total + s, 0);
  const words = [`${steady.length} went on, ${sum.toFixed(0)} s of their levels are missing`];
  if (moved.length > 0) words.push(`${moved.length} were given away`);
  if (dropped.length > 0) words.push(`${dropped.length} connected again`);
  return words.join('; ');
};

const countWords = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([what, count]) => `${count} × ${what}`).join(', ') || 'none';

const afterWords = (s: number | undefined): string =>
  s === undefined ? 'not in this time' : `after ${Math.round(s)} s`;

const levelWords = ({ kept, elsewhere, all }: Levels): string => {
  const share = (seconds: number) => `${((100 * seconds) / all).toFixed(0)} %`;
  return elsewhere === undefined ? share(kept) : `${share(kept)}, ${share(elsewhere)} an hour off`;
};
