/** The page of a share as HTML: it has all numbers and words; a script only updates them. */
import type { Shared, SharedDay, SharedHour, SharedLimit, SharedLive, SharedUnit } from '../../client/schemas.ts';
import { type Language, type Markup, pagePolicy, sayIn, script, wholePage } from '../../lib/built-in.ts';
import { html, texts } from '../../lib/index.ts';
import { limitItem, Speech } from './speech.ts';

/**
 * The script in the browser of a reader. Without it the page has the same numbers, but does not update them. Updates
 * the content of `main` from the path of the page with `/main`; if this fails, the page says so.
 */
const SHARE_SCRIPT = `
(() => {
  const note = document.getElementById('not-renewed');
  document.getElementById('renewed').hidden = false;
  const renew = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(location.pathname.replace(/\\/$/, '') + '/main', { headers: { Accept: 'text/html' }, cache: 'no-cache', signal: AbortSignal.timeout(15000) });
      if (!answer.ok && answer.status !== 404) throw new Error(String(answer.status));
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const fresh = page.getElementById('values');
      if (!fresh) throw new Error('no values');
      document.getElementById('values').replaceWith(fresh);
      note.hidden = true;
    } catch {
      note.hidden = false;
    }
  };
  setInterval(renew, 30000);
  document.addEventListener('visibilitychange', renew);
})();
`;

/**
 * The style of the page of a share, and its policy. Light and dark by the system; numbers of one width; tables scroll
 * by themselves where they are too wide; on a phone each value of a day has a line.
 */
const SHARE_STYLE = `
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
@media (max-width: 30rem) {
  .bar { display: none }
  table { width: 100%; font-size: .875rem }
  th, td { padding: .2rem .25rem }
  th:first-child { white-space: normal }
  thead th { font-size: .75rem; hyphens: auto; overflow-wrap: anywhere }
  .days thead { display: none }
  .days :is(tr, th) { display: block }
  .days :is(th, td) { border: 0 }
  .days tr { padding: .25rem 0; border-bottom: 1px solid var(--line) }
  .days th { font-weight: 600 }
  .days td { display: flex; justify-content: space-between; gap: .5rem }
  .days td::before { content: attr(data-name) }
}
`;

/** The Content-Security-Policy of the page. `embed`: origins that may show it in a frame. */
export const sharePolicy = (embed: readonly string[]): string =>
  pagePolicy(SHARE_STYLE, { script: SHARE_SCRIPT, frames: embed });

/** Level at which a bar is full, and at which it is empty, dB. */
const BAR = { low: 20, high: 100, width: 80 } as const;

const LOUDNESS = texts({
  very_quiet: 'very quiet, like a quiet bedroom',
  quiet: 'quiet, like a calm room',
  moderate: 'moderate, like a conversation',
  loud: 'loud, like a busy street',
  very_loud: 'very loud, like traffic or machines close by',
});

function whole(language: Language, title: string, values: Markup, after: Markup | null): string {
  const content = html`${values}
${after}`;
  return wholePage({ language, title, sheet: SHARE_STYLE, isUnlisted: true, content });
}

export function sharePage(shared: Shared, language: Language): string {
  const say = sayIn(language);
  const after = html`<p class="soft" id="renewed" hidden>${say('The page renews its values by itself.')}</p>
<noscript><p class="soft">${say('Reload the page to see newer values.')}</p></noscript>
<p class="unknown" role="status" id="not-renewed" hidden>${say('The values could not be renewed: they are those of the time that is shown.')}</p>
${script(SHARE_SCRIPT)}`;
  return whole(language, shared.title || say('Noise measurement'), valuesOf(shared, language), after);
}

/** The part that the script updates. */
export const shareValues = (shared: Shared, language: Language): string => valuesOf(shared, language).text;

/** Shown if a share does not exist or is not available. */
export function failurePage(status: number, language: Language): string {
  const say = sayIn(language);
  const [title, text] =
    status === 404
      ? [say('This page is not available'), say('The link is wrong, or the page is no longer shared.')]
      : status === 429
        ? [say('Too many requests'), say('Try again later.')]
        : [say('The values cannot be shown now'), say('Try again later. Nothing is known of the levels until then.')];
  return whole(language, title, html`<div id="values"><h1>${title}</h1><p>${text}</p></div>`, null);
}

function valuesOf(shared: Shared, language: Language): Markup {
  const zone = shared.units[0]?.timezone ?? 'UTC';
  const speech = new Speech(language, zone);
  const { say } = speech;
  const { title, text, from, until, delay_s, round_db, units } = shared;
  const isEarly = from !== null && from > until;
  const time = speech.time(until);
  return html`<div id="values">
<h1>${title || say('Noise measurement')}</h1>
<p class="soft">${say('As of {time} ({zone}).', { time, zone })}</p>
${isEarly ? html`<p class="unknown">${say('The values of this page begin at {time}.', { time: speech.time(from) })}</p>` : null}
${!isEarly && units.length === 0 ? html`<p class="unknown">${say('The meters of this page were removed. Nothing is known of the levels.')}</p>` : null}
${units.map((unit, index) => placeOf(unit, index + 1, language, round_db))}
<h2>${say('About this measurement')}</h2>
${text === '' ? null : html`<p class="lines">${text}</p>`}
${aboutLevels(units, speech)}
<p>${say('A sound with 10 dB more is heard as about twice as loud. A mean level is the mean of the energy, so loud moments count more.')}</p>
<p>${delay_s === 0 ? say('Values are shown as soon as they are recorded, usually within two minutes.') : say('All values are shown with a delay of {delay}: what you see is the state at {time}.', { delay: speech.duration(delay_s), time })}</p>
<p>${say('Levels are rounded to {step} dB. Whether a limit is exceeded is decided with the levels before rounding.', { step: speech.number(round_db, round_db < 1 ? 1 : 0) })}</p>
<p class="soft">${say('The operator of the meter publishes this page and answers for its content.')}</p>
</div>`;
}

function aboutLevels(units: readonly SharedUnit[], speech: Speech): Markup {
  const { say } = speech;
  const weighting = units.find(({ live }) => live?.weighting)?.live?.weighting;
  if (!weighting)
    return html`<p>${say('A sound level meter measures the sound at this place and shows it in decibels (dB).')}</p>`;
  const follows = weighting === 'A' ? ` ${say('It is the weighting that follows human hearing.')}` : '';
  return html`<p>${say('A sound level meter measures the sound at this place and shows it in decibels (dB), with the frequency weighting {weighting}.', { weighting })}${follows}</p>`;
}

function placeOf(unit: SharedUnit, number: number, language: Language, step: number): Markup {
  const speech = new Speech(language, unit.timezone);
  const { say } = speech;
  const level = (value: number | null) => (value === null ? say('no data') : speech.number(value, step < 1 ? 1 : 0));
  const name = unit.name ?? say('Meter {number}', { number });
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
  { state, level_db, kind, word, at, since, weighting }: SharedLive,
  speech: Speech,
  level: ShowLevel,
): Markup {
  const { say } = speech;
  const title = html`<h3>${say('The level now')}</h3>`;
  if (state === 'level')
    return html`${title}<p class="level">${level(level_db)} dB${weighting === 'A' ? '(A)' : ''}</p>
${word ? html`<p>${say(LOUDNESS[word])}</p>` : null}
<p class="soft">${say(kind === 'mean' ? 'Mean level of the minute up to {time}.' : 'A single reading at {time}.', { time: speech.time(at) })}</p>`;
  const why =
    state === 'not_recorded'
      ? say('The levels of this place are not recorded now. The present level is not known.')
      : since === null
        ? say('No level was measured yet.')
        : say(
            state === 'stale'
              ? 'No level since {time}. The present level is not known.'
              : 'No level was measured since {time}. The present level is not known.',
            { time: speech.time(since) },
          );
  return html`${title}<p class="unknown">${why}</p>`;
}

function limitsOf(limits: readonly SharedLimit[] | null, speech: Speech): Markup {
  const { say } = speech;
  const title = html`<h3>${say('Limits')}</h3>`;
  if (limits === null) return html`${title}<p class="unknown">${say('The limits are not known now.')}</p>`;
  if (limits.length === 0) return html`${title}<p>${say('No limit is set here.')}</p>`;
  return html`${title}<ul>${limits.map((limit) => limitItem(limit, speech))}</ul>`;
}

function hoursOf(hours: readonly SharedHour[], speech: Speech, level: ShowLevel): Markup {
  const { say } = speech;
  if (hours.length === 0)
    return html`<h3>${say('The last 24 hours')}</h3><p class="unknown">${say('No level was measured yet.')}</p>`;
  return html`<h3>${say('The last 24 hours')}</h3>
<div class="wide" tabindex="0" role="region" aria-label="${say('The last 24 hours')}"><table>
<thead><tr><th scope="col">${say('Hour ## in a table')}</th><th scope="col">${say('Mean level')}, dB</th><td class="bar"></td><th scope="col">${say('Highest level')}, dB</th><th scope="col">${say('Measured')}</th></tr></thead>
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

const VERDICTS = texts({
  exceeded: 'above the limits ## a day by its permit',
  not_over: 'not over ## a day by its permit',
  not_assessable: 'not assessable',
  excluded: 'excluded',
  met: 'within the limits',
});

function daysOf(days: readonly SharedDay[] | null, speech: Speech, level: ShowLevel): Markup {
  const { say } = speech;
  if (days === null || days.length === 0)
    return html`<h3>${say('The last days')}</h3><p class="unknown">${say('No day is over yet.')}</p>`;
  const names = [say('Day period'), say('Evening'), say('Night'), say('24 hours'), say('Day-evening-night level')];
  return html`<h3>${say('The last days')}</h3>
<div class="wide days" tabindex="0" role="region" aria-label="${say('The last days')}"><table>
<thead><tr><th scope="col">${say('Day')}</th>${names.map((name) => html`<th scope="col">${name}, dB</th>`)}</tr></thead>
<tbody>${days.map(
    (day) =>
      html`<tr><th scope="row">${speech.day(day.date)}${day.is_complete ? '' : ` (${say('incomplete')})`}${day.verdict ? `: ${say(VERDICTS[day.verdict])}` : ''}</th>${[day.lday_db, day.levening_db, day.lnight_db, day.leq_24h_db, day.lden_db].map((value, index) => html`<td data-name="${names[index] ?? ''}, dB">${level(value)}</td>`)}</tr>
`,
  )}</tbody></table></div>
<p class="soft">${say('Only days that are over. Time that the operators exclude does not count in these values.')}</p>`;
}
