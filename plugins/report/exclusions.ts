/** What a report says of the time that does not count: each exclusion, and the level with it. */
import {
  CUT_MINUTES,
  duration,
  excludedSeconds,
  html,
  type Markup,
  type Note,
  type ShowTime,
  tables,
} from '../../lib/index.ts';
import type { Findings } from './gather.ts';
import { wide } from './style.ts';

const MOST_LISTED = 100;

const REASON_WORDS = {
  calibration: 'calibration',
  rain: 'rain',
  wind: 'wind',
  own_noise: 'own noise',
  intrusion: 'intrusion',
  fault: 'fault',
  other: 'other',
} as const satisfies Readonly<Record<Note['reason'], string>>;

/** Null: nothing is excluded. `name`: of the Leq, `LAeq`. */
export function exclusionSection(
  { excluded, exclusions, cutMinutes, whole, leqAll }: Findings,
  name: string,
  show: ShowTime,
): Markup | null {
  if (exclusions.length === 0 || !whole) return null;
  const level = (value: number | null) => (value === null ? 'not known' : `${tables.levelText(value)} dB`);
  return html`<h2>Time that does not count</h2>
<p>${duration(excludedSeconds(excluded, whole))} are excluded. ${name} is ${level(whole.leq)} without this time and ${level(leqAll)} with it. All levels of this page are without it.${
    cutMinutes ? ` ${CUT_MINUTES}` : null
  }</p>
${wide(
  'Notes',
  html`<table><thead><tr><th scope="col">Note</th><th scope="col">From</th><th scope="col">To</th><th scope="col">Reason</th><th scope="col">Text</th><th scope="col">By</th></tr></thead>
<tbody>${exclusions.slice(0, MOST_LISTED).map((note) => line(note, show))}</tbody></table>`,
)}
${exclusions.length > MOST_LISTED ? html`<p>And ${exclusions.length - MOST_LISTED} more.</p>` : null}`;
}

const line = ({ id, from, to, reason, text, by }: Note, show: ShowTime): Markup =>
  html`<tr><td>${id}</td><td>${show(from)}</td><td>${to === null ? 'not ended' : show(to)}</td><td>${REASON_WORDS[reason]}</td><td class="lines">${text}</td><td>${by}</td></tr>`;
