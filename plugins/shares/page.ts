/** The page of a share as HTML: all numbers and words are in it, a script only renews them. */
import { filled, html, type Language, type Markup, script, wholePage, wordsOf } from '../../lib/index.ts';
import type { Shared, SharedUnit } from './answers.ts';
import type { SharedDay, SharedLimit } from './days.ts';
import type { LiveLevel, SharedHour } from './levels.ts';
import { limitItem } from './limit-words.ts';
import { SHARE_SCRIPT } from './page-script.ts';
import { Speech } from './speech.ts';
import { SHARE_STYLE } from './style.ts';

/** Level at which a bar is full, and at which it is empty, dB. */
const BAR = { low: 20, high: 100, width: 80 } as const;

function whole(language: Language, title: string, values: Markup, after: Markup | null): string {
  const content = html`${values}
${after}`;
  return wholePage({ language, title, sheet: SHARE_STYLE, isUnlisted: true, content });
}

/** The whole page. */
export function sharePage(shared: Shared, language: Language): string {
  const words = wordsOf(language).share;
  const after = html`<p class="soft" id="renewed" hidden>${words.refreshed}</p>
<noscript><p class="soft">${words.noScript}</p></noscript>
<p class="unknown" role="status" id="not-renewed" hidden>${words.notRefreshed}</p>
${script(SHARE_SCRIPT)}`;
  return whole(language, shared.title || words.noName, valuesOf(shared, language), after);
}

/** What the script renews. */
export const shareValues = (shared: Shared, language: Language): string => valuesOf(shared, language).text;

/** In place of a share that is not there, or not now. */
export function failurePage(status: number, language: Language): string {
  const words = wordsOf(language).share;
  const [title, text] =
    status === 404
      ? [words.ended, words.endedText]
      : status === 429
        ? [words.busy, words.busyText]
        : [words.failed, words.failedText];
  return whole(language, title, html`<div id="values"><h1>${title}</h1><p>${text}</p></div>`, null);
}

function valuesOf(shared: Shared, language: Language): Markup {
  const words = wordsOf(language).share;
  const zone = shared.units[0]?.timezone ?? 'UTC';
  const speech = new Speech(language, zone);
  const { title, text, from, until, delay_s, round_db, units } = shared;
  const isEarly = from !== null && from > until;
  const time = speech.time(until);
  return html`<div id="values">
<h1>${title || words.noName}</h1>
<p class="soft">${speech.say('asOf', { time, zone })}</p>
${isEarly ? html`<p class="unknown">${speech.say('notYet', { time: speech.time(from) })}</p>` : null}
${!isEarly && units.length === 0 ? html`<p class="unknown">${words.noPlaces}</p>` : null}
${units.map((unit, index) => placeOf(unit, index + 1, language, round_db))}
<h2>${words.about}</h2>
${text === '' ? null : html`<p class="lines">${text}</p>`}
${aboutLevels(units, speech)}
<p>${words.more}</p>
<p>${delay_s === 0 ? words.noDelay : speech.say('delay', { delay: speech.duration(delay_s), time })}</p>
<p>${speech.say('rounding', { step: speech.number(round_db, round_db < 1 ? 1 : 0) })}</p>
<p class="soft">${words.operator}</p>
</div>`;
}

function aboutLevels(units: readonly SharedUnit[], speech: Speech): Markup {
  const weighting = units.find(({ live }) => live?.weighting)?.live?.weighting;
  if (!weighting) return html`<p>${speech.words.noWeighting}</p>`;
  const follows = weighting === 'A' ? ` ${speech.words.weightingA}` : '';
  return html`<p>${speech.say('weighting', { weighting })}${follows}</p>`;
}

function placeOf(unit: SharedUnit, number: number, language: Language, step: number): Markup {
  const speech = new Speech(language, unit.timezone);
  const level = (value: number | null) =>
    value === null ? speech.words.noData : speech.number(value, step < 1 ? 1 : 0);
  const name = unit.name ?? speech.say('unnamed', { number });
  return html`<section aria-label="${name}">
<h2>${name}</h2>
${unit.live ? liveOf(unit.live, speech, level) : null}
${unit.limits === undefined ? null : limitsOf(unit.limits, speech)}
${unit.hours ? hoursOf(unit.hours, speech, level) : null}
${unit.days === undefined ? null : daysOf(unit.days, speech, level)}
</section>`;
}

type ShowLevel = (value: number | null) => string;

function liveOf(
  { state, level_db, kind, word, at, since, weighting }: LiveLevel,
  speech: Speech,
  level: ShowLevel,
): Markup {
  const { words } = speech;
  const title = html`<h3>${words.now}</h3>`;
  if (state === 'level')
    return html`${title}<p class="level">${level(level_db)} dB${weighting === 'A' ? '(A)' : ''}</p>
${word ? html`<p>${words[`word_${word}`]}</p>` : null}
<p class="soft">${speech.say(kind === 'mean' ? 'minute' : 'reading', { time: speech.time(at) })}</p>`;
  const why =
    state === 'not_recorded'
      ? words.notRecorded
      : since === null
        ? words.noneYet
        : filled(state === 'stale' ? words.stale : words.none, { time: speech.time(since) });
  return html`${title}<p class="unknown">${why}</p>`;
}

function limitsOf(limits: readonly SharedLimit[] | null, speech: Speech): Markup {
  const { words } = speech;
  const title = html`<h3>${words.limits}</h3>`;
  if (limits === null) return html`${title}<p class="unknown">${words.limitsUnknown}</p>`;
  if (limits.length === 0) return html`${title}<p>${words.noLimits}</p>`;
  return html`${title}<ul>${limits.map((limit) => limitItem(limit, speech))}</ul>`;
}

function hoursOf(hours: readonly SharedHour[], speech: Speech, level: ShowLevel): Markup {
  const { words } = speech;
  if (hours.length === 0) return html`<h3>${words.hours}</h3><p class="unknown">${words.noneYet}</p>`;
  return html`<h3>${words.hours}</h3>
<div class="wide" tabindex="0" role="region" aria-label="${words.hours}"><table>
<thead><tr><th scope="col">${words.hour}</th><th scope="col">${words.mean}, dB</th><td class="bar"></td><th scope="col">${words.highest}, dB</th><th scope="col">${words.measuredShare}</th></tr></thead>
<tbody>${hours.map(
    ({ from, leq_db, lmax_db, coverage }) =>
      html`<tr><th scope="row">${speech.time(from)}</th><td>${level(leq_db)}</td><td class="bar">${bar(leq_db)}</td><td>${level(lmax_db)}</td><td>${speech.percent(coverage)}</td></tr>
`,
  )}</tbody></table></div>`;
}

function bar(level: number | null): Markup | null {
  if (level === null) return null;
  const width = Math.round(Math.min(1, Math.max(0, (level - BAR.low) / (BAR.high - BAR.low))) * BAR.width * 10) / 10;
  return html`<svg width="${BAR.width}" height="10" aria-hidden="true"><rect width="${width}" height="10"/></svg>`;
}

function daysOf(days: readonly SharedDay[] | null, speech: Speech, level: ShowLevel): Markup {
  const { words } = speech;
  if (days === null || days.length === 0) return html`<h3>${words.days}</h3><p class="unknown">${words.noDays}</p>`;
  return html`<h3>${words.days}</h3>
<div class="wide" tabindex="0" role="region" aria-label="${words.days}"><table>
<thead><tr><th scope="col">${words.day}</th>${[words.dayLevel, words.eveningLevel, words.nightLevel, words.wholeDay, words.lden].map((name) => html`<th scope="col">${name}, dB</th>`)}</tr></thead>
<tbody>${days.map(
    (day) =>
      html`<tr><th scope="row">${speech.day(day.date)}${day.is_complete ? '' : ` (${words.incomplete})`}</th>${[day.lday_db, day.levening_db, day.lnight_db, day.leq_24h_db, day.lden_db].map((value) => html`<td>${level(value)}</td>`)}</tr>
`,
  )}</tbody></table></div>
<p class="soft">${words.daysNote}</p>`;
}
