/** The report as one page that prints on A4: no script, nothing from outside, and nothing prettier than what was measured. */
import {
  countOf,
  type DeviceConfig,
  duration,
  etagOf,
  type HistoryRow,
  html,
  indices,
  iso,
  levelChart,
  localTime,
  MAIN_CHANNEL,
  type Markup,
  quantities,
  rest,
  type ShowTime,
  tables,
  titleOf,
  wholePage,
} from '../../lib/index.ts';
import { calibrationSection } from './calibrations.ts';
import { exclusionSection } from './exclusions.ts';
import type { Findings, ReportRequest } from './gather.ts';
import { PERCENTILES } from './gather.ts';
import type { ReportedIdentity } from './identity.ts';
import { STYLE, wide } from './style.ts';

const MOST_LISTED = 100;

/** `1s` as people write it: `1 s`. */
const withSpace = (step: string): string => step.replace(/(?<=\d)(?=[a-z])/, ' ').replace(/m$/, 'min');

/** What the page is made of. */
export interface PageInput {
  readonly asked: ReportRequest;
  readonly findings: Findings;
  readonly identity: ReportedIdentity;
  /** Of the meter, in words. */
  readonly clock: string;
  /** Of the key that signs packages of evidence; null: there is none. */
  readonly fingerprint: string | null;
  /** ms since 1970 UTC. */
  readonly now: number;
  /** Where GET history gives the rows of the hash. */
  readonly rowsAddress: string;
}

/** What the page is told by: two that differ only in the time of writing say the same. */
export const tagOf = (page: string): string => etagOf(page.replace(/<th scope="row">Written<.*/, ''));

/** The whole page as HTML. A year has many rows: others have their turns between two sections. */
export async function page(input: PageInput): Promise<string> {
  const { config, query, channel } = input.asked;
  const title =
    query.title ?? `Noise report: ${titleOf(config)}${channel === MAIN_CHANNEL ? '' : `, channel ${channel}`}`;
  const sections: Markup[] = [];
  for (const section of sectionsOf(input, title)) {
    sections.push(section);
    await rest();
  }
  return wholePage({ language: 'en', title, sheet: STYLE, content: html`${sections}` });
}

function* sectionsOf(input: PageInput, title: string): Generator<Markup> {
  const { asked, findings } = input;
  const { span, zone, query } = asked;
  const show = localTime(zone);
  yield html`<h1>${title}</h1>
<p>${show(span.from)} to ${show(span.to)}, times of ${zone}</p>
${facts(input, show)}
${
  query.remarks
    ? html`<h2>Remarks</h2>
<p class="lines">${query.remarks}</p>`
    : null
}
<h2>Levels of the whole period</h2>
${levels(findings, show)}
`;
  yield html`${exclusionSection(findings, namesOf(findings).leq, show)}
`;
  yield html`<h2>Levels over time</h2>
${history(input, show)}
`;
  yield html`<h2>Indices by day</h2>
${days(findings)}
`;
  yield html`${query.limit_db === undefined ? null : exceedances(input, query.limit_db, show)}
`;
  yield html`<h2>Calibration</h2>
${calibrationSection(findings, show)}
`;
  yield html`<h2>What is left out</h2>
${leftOut(input, localTime(zone, true))}
<h2>How the numbers are made</h2>
${method(input)}`;
}

const row = (name: string, value: string | number | Markup | null): Markup =>
  html`<tr><th scope="row">${name}</th><td>${value ?? 'not known'}</td></tr>`;

function facts({ asked, findings, identity, clock, fingerprint, now }: PageInput, show: ShowTime): Markup {
  const { config, span, query } = asked;
  const { weighting } = findings;
  return html`<h2>Place and meter</h2>
<table class="facts"><tbody>
${row('Unit', config.name ? `${config.name} (${config.unitId})` : config.unitId)}
${row('Place', config.place ?? 'not entered')}
${row('Position', position(config))}
${row('Meter', identity.type)}
${row('Serial number', identity.serial)}
${row('Channel', asked.channel)}
${row('Weighting', weighting ? `${weighting.frequency}, ${TIME_WORDS[weighting.time]}` : 'no data')}
${query.dated ? row('Clock of the meter', clock) : null}
${row('Levels', state(findings, show))}
${row('Period', `${iso(span.from)} to ${iso(span.to)} (UTC), ${duration((span.to - span.from) / 1_000)}`)}
${row('Evidence key', fingerprint)}
${query.dated ? row('Written', `${show(now)} (${iso(now)})`) : null}
</tbody></table>`;
}

const state = ({ provisional }: Findings, show: ShowTime): string =>
  provisional === null
    ? 'final'
    : `provisional from ${show(provisional * 1_000)} on: the card of the meter has not been read as far, and its levels may take the place of those seen live`;

const TIME_WORDS = { F: 'F (fast)', S: 'S (slow)', I: 'I (impulse)' } as const;

const position = ({ latitude, longitude }: DeviceConfig): string =>
  latitude === null || longitude === null ? 'not entered' : `${latitude}, ${longitude} (WGS 84)`;

const db = (level: number | null | undefined): string => (typeof level === 'number' ? tables.levelText(level) : '-');
/** `≤ 110.0` where it cannot be placed. */
const extreme = ({ bounds, ...row }: HistoryRow, name: quantities.ExtremeQuantity): string => {
  const bound = bounds[name];
  return bound ? `${name === 'lmin' ? '≥' : '≤'} ${db(bound.level)}` : db(row[name]);
};
const isBounded = ({ bounds }: HistoryRow): boolean => quantities.EXTREMES.some((name) => bounds[name] !== null);
const BOUND_WORDS =
  '≤ and ≥ are bounds: a row of the meter or of an import reaches over the end of the interval, and its maximum may lie beside it.';
const percent = (share: number): string => `${(Math.floor(share * 1_000) / 10).toFixed(1)} %`;

/** A quality that is not `measured` is set apart. */
const quality = (word: indices.Quality): Markup =>
  word === 'measured' ? html`${word}` : html`<span class="doubt">${word}</span>`;

/** `LAeq`, `LAFmax`, `LAF90`: a level of a report says how it is weighted. The weighting of the peak is not known. */
function namesOf({ weighting }: Findings) {
  const [f, t] = weighting ? [weighting.frequency, weighting.time] : ['', ''];
  return { leq: `L${f}eq`, lmax: `L${f}${t}max`, lmin: `L${f}${t}min`, ln: (n: number) => `L${f}${t}${n}` };
}

function levels(findings: Findings, show: ShowTime): Markup {
  const { whole } = findings;
  if (!whole || (whole.measured === 0 && whole.readings === 0)) return html`<p>There is no data in this period.</p>`;
  const { leq, lmaxAt, ln } = whole;
  const names = namesOf(findings);
  const cells: readonly (readonly [name: string, value: string])[] = [
    [names.leq, db(leq)],
    [names.lmax, extreme(whole, 'lmax')],
    [names.lmin, extreme(whole, 'lmin')],
    ['Lpeak', extreme(whole, 'lpeak')],
    ...PERCENTILES.map((n, index) => [names.ln(n), db(ln[index])] as const),
  ];
  return html`${wide(
    'Levels',
    html`<table>
<thead><tr>${cells.map(([name]) => html`<th class="n" scope="col">${name}</th>`)}</tr></thead>
<tbody><tr>${cells.map(([, value]) => html`<td class="n">${value}</td>`)}</tr></tbody>
</table>`,
  )}
<p>All levels in dB. Coverage ${percent(indices.coverageOf(whole.measured, whole.to - whole.from))}: ${duration(whole.measured)} of ${duration(whole.to - whole.from)} have data. Quality: ${quality(tables.qualityOfRow(whole))}. Source: ${whole.sources.join(', ') || 'none'}.${
    lmaxAt === null ? null : html` ${names.lmax} was reached at ${show(lmaxAt * 1_000)}.`
  }${isBounded(whole) ? html` ${BOUND_WORDS}` : null}</p>`;
}

function history({ asked, findings }: PageInput, show: ShowTime): Markup {
  const { rows, span, step } = findings;
  const { leq, lmax } = namesOf(findings);
  const { zone, query } = asked;
  const drawn = levelChart({ rows, span, zone, show, limit: query.limit_db });
  if (!drawn) return html`<p>There is nothing to draw.</p>`;
  return html`<figure>${wide('Chart', drawn)}
<figcaption class="note">${leq} (dark) and ${lmax} (light) of each ${withSpace(step)}, dB.${rows.some(isBounded) ? ` Dotted: what ${lmax} is at the most, where it cannot be placed.` : null}${rows.some(({ leq, lp }) => leq === null && lp !== null) ? ' Dark and dotted: means of single readings, where nothing was measured.' : null} Shaded: time without data, as wide as what is missing.${
    query.limit_db === undefined ? null : ' Dashed: the limit.'
  }</figcaption></figure>`;
}

const INDEX_TITLES = { lden: 'Lden', ldn: 'Ldn', cnel: 'CNEL' } as const;
const DAY_PERCENTILES = [10, 90] as const;
const PERIOD_TITLES = { day: 'Lday', evening: 'Levening', night: 'Lnight' } as const;

function days(findings: Findings): Markup {
  const { days: all, toCome, total, preset } = findings;
  const names = namesOf(findings);
  const index = INDEX_TITLES[preset.index];
  const cells = (each: Pick<indices.DayIndex, 'periods' | 'value' | 'whole' | 'hours'>, toCome = 0) =>
    html`${each.periods.map(
      ({ levels: { leq } }) => html`<td class="n">${db(leq)}</td>`,
    )}<td class="n">${db(each.value)}</td><td class="n">${db(each.whole.leq)}</td>${DAY_PERCENTILES.map(
      (n) => html`<td class="n">${db(each.whole.counts?.exceeded(n))}</td>`,
    )}<td class="n">${percent(indices.coverageOf(each.whole.seconds, each.hours * 3_600 - toCome))}</td>`;
  return html`${wide(
    'Days',
    html`<table>
<thead><tr><th scope="col">Day</th>${preset.periods.map(
      ({ name }) => html`<th class="n" scope="col">${PERIOD_TITLES[name]}</th>`,
    )}<th class="n" scope="col">${index}</th><th class="n" scope="col">${names.leq}</th>${DAY_PERCENTILES.map(
      (n) => html`<th class="n" scope="col">${names.ln(n)}</th>`,
    )}<th class="n" scope="col">Coverage</th><th scope="col">Valid</th></tr></thead>
<tbody>
${all.map((day, index) => html`<tr><td>${day.date}</td>${cells(day, index === all.length - 1 ? toCome : 0)}<td>${day.valid ? 'yes' : html`<span class="doubt">no</span>`}</td></tr>`)}
<tr><th scope="row">${total.days} valid of ${all.length}, by measured time</th>${cells(total)}<td></td></tr>
<tr><th scope="row">Mean of these days</th>${meanCells(total.meanOfDays)}${DAY_PERCENTILES.map(() => html`<td></td>`)}<td></td><td></td></tr>
</tbody></table>`,
  )}
<p class="note">Periods: ${preset.periods.map(periodWords).join(', ')}. The last two lines are made only of the valid days. By measured time: a day with
gaps counts less. Mean of these days: the energy mean in which each day counts the same, which is the long-term definition. ${names.leq} is over the time with data of
the whole day; in ${index} a gap counts as the rest of its period.</p>`;
}

const meanCells = ({ periods, value, leq }: indices.MeanOfDays): Markup =>
  html`${[...periods.map((each) => each.leq), value, leq].map((level) => html`<td class="n">${db(level)}</td>`)}`;

const periodWords = ({ name, from, to, weight }: indices.Period): string => {
  const hour = (minutes: number) => String(minutes / 60).padStart(2, '0');
  return `${name} ${hour(from)}-${hour(to)}${weight === 1 ? '' : ` (+${(10 * Math.log10(weight)).toFixed(1)} dB)`}`;
};

function exceedances({ asked, findings }: PageInput, limit: number, show: ShowTime): Markup {
  const { limited } = findings;
  const names = namesOf(findings);
  const over = limited.filter(({ leq }) => leq !== null && indices.isAbove(leq, limit));
  const silent = limited.filter(({ leq }) => leq === null).length;
  return html`<h2>${names.leq} above ${limit} dB</h2>
<p>${over.length} of ${limited.length} intervals of ${withSpace(asked.query.limit_step)}. ${silent} of them have no data and say nothing.</p>
${
  over.length === 0
    ? null
    : html`${wide(
        'Exceeded',
        html`<table><thead><tr><th scope="col">From</th><th class="n" scope="col">${names.leq}</th><th class="n" scope="col">${names.lmax}</th><th class="n" scope="col">Coverage</th><th scope="col">Quality</th></tr></thead>
<tbody>${over.slice(0, MOST_LISTED).map((each) => exceedance(each, show))}</tbody></table>`,
      )}`
}
${over.some(isBounded) ? html`<p>${BOUND_WORDS}</p>` : null}
${over.length > MOST_LISTED ? html`<p>And ${over.length - MOST_LISTED} more.</p>` : null}`;
}

const exceedance = (each: HistoryRow, show: ShowTime): Markup =>
  html`<tr><td>${show(each.from * 1_000)}</td><td class="n">${db(each.leq)}</td><td class="n">${extreme(each, 'lmax')}</td><td class="n">${percent(
    indices.coverageOf(each.measured, each.to - each.from),
  )}</td><td>${quality(tables.qualityOfRow(each))}</td></tr>`;

function leftOut({ asked, findings }: PageInput, show: ShowTime): Markup {
  const { span, whole, days: all, toCome, gaps, otherWeightings } = findings;
  const points: Markup[] = [];
  for (const day of all.filter(({ valid }) => !valid).slice(0, MOST_LISTED))
    points.push(
      html`<li>${day.date} is not part of the total. ${toCome > 0 && day === all.at(-1) ? 'It is not over yet.' : day.reason}</li>`,
    );
  if (span.to < asked.span.to)
    points.push(
      html`<li>The time from ${show(span.to)} on was still to come when this was written. It counts as missing nowhere.</li>`,
    );
  for (const { from, to } of gaps.slice(0, MOST_LISTED))
    points.push(html`<li>No data from ${show(from * 1_000)} to ${show(to * 1_000)} (${duration(to - from)}).</li>`);
  if (gaps.length > MOST_LISTED) points.push(html`<li>And ${countOf(gaps.length - MOST_LISTED, 'more gap')}.</li>`);
  for (const [flag, words] of Object.entries(FLAG_WORDS)) {
    const seconds = whole?.flagged[flag as keyof typeof FLAG_WORDS] ?? 0;
    if (seconds > 0) points.push(html`<li>${duration(seconds)} ${words}. They are part of the levels.</li>`);
  }
  for (const { frequency, time } of otherWeightings)
    points.push(
      html`<li>Levels with the weighting ${frequency}, ${TIME_WORDS[time]} are left out: weightings are not mixed.</li>`,
    );
  return points.length > 0 ? html`<ul>${points}</ul>` : html`<p>Nothing.</p>`;
}

const FLAG_WORDS = {
  over: 'above the range of the meter',
  under: 'below the range of the meter',
  frozen: 'with levels that did not change',
  implausible: 'with impossible values',
  weighting: 'with a weighting that may be another one: it was changed at the meter, nobody knows when',
} as const;

function method({ findings: { hash, rows, step }, rowsAddress }: PageInput): Markup {
  return html`<p>Leq are energy means over the time with data; what is missing is not filled in. LN is the level that is exceeded N % of the
time, of samples every 100 ms. Indices weight the mean level of each period by its real hours. A day is valid when each of its periods has
data for at least 75 % of its time. Intervals begin at full steps of the local clock. A row of the meter that reaches over several periods counts in none of them.
A maximum that may lie on either side of the end of an interval is given as a bound of both, never as a lower number.</p>
<p>The chart is made of ${countOf(rows.length, 'row')} of ${withSpace(step)}. They can be fetched from the gateway at<br><span class="hash">${rowsAddress}</span><br>SHA-256 of that file:<br><span class="hash">${hash}</span></p>`;
}
