/** `GET /{unit_id}/report`: the report of one unit as a page to print and to pass on. */
import {
  ASKED_CHANNEL,
  etagOf,
  indices,
  invalid,
  LANGUAGES,
  type Language,
  MAIN_CHANNEL,
  pagePolicy,
  refuseChannel,
  tables,
  ZONE,
} from '../../lib/built-in.ts';
import { daysIn, type Host, type Request, type Schema, SPAN, spanOf, text } from '../../lib/index.ts';
import { type AskedExclusions, exclusionsSchema } from '../notes/index.ts';
import { composeReport, type ReportSource } from './compose.ts';
import type { LimitStep } from './gathered.ts';
import { REPORT_STYLE, reportPage } from './printed.ts';
import { UNIT_SECTIONS } from './templates.ts';
import { spanSoFar } from './unit-facts.ts';
import { ReportWords } from './words.ts';

export const MOST_DAYS = 370;
/** Intervals that are compared with the limit: more than seven months of a quarter of an hour. */
const MOST_INTERVALS = 20_000;
const DAY_MS = 86_400_000;
const utcText = (ms: number): string => new Date(ms).toISOString();

interface UnitReportQuery extends AskedExclusions {
  readonly from: string;
  readonly to: string;
  readonly zone?: string;
  readonly channel?: string;
  readonly preset: keyof typeof indices.PRESETS;
  readonly lang: Language;
  readonly title?: string;
  readonly remarks?: string;
  readonly limit_db?: number;
  readonly limit_step: LimitStep;
  readonly dated: boolean;
}

const UNIT_REPORT_QUERY: Readonly<Record<string, Schema>> = {
  ...SPAN,
  zone: ZONE,
  channel: ASKED_CHANNEL,
  preset: {
    type: 'string',
    enum: Object.keys(indices.PRESETS),
    default: 'eu',
    description: 'Periods of the day, as in GET indices.',
  },
  exclusions: exclusionsSchema('apply'),
  lang: {
    type: 'string',
    enum: [...LANGUAGES],
    default: 'en',
    description: 'Of words, numbers and dates. What people entered stays as it is.',
  },
  title: { type: 'string', maxLength: 200, description: 'Default: Noise report, and the name of the unit.' },
  remarks: {
    type: 'string',
    maxLength: 2_000,
    description:
      'What the gateway does not know: client, calibration before and after, weather, who measured. Lines stay lines.',
  },
  limit_db: {
    type: 'number',
    minimum: 0,
    maximum: 200,
    description:
      'List the intervals whose Leq is above this as it is shown, with one decimal: 75.04 dB is not above 75. dB.',
  },
  limit_step: {
    type: 'string',
    enum: ['5m', '15m', '30m', '1h', '1d'],
    default: '1h',
    description: 'Length of these intervals.',
  },
  dated: {
    type: 'boolean',
    default: true,
    description:
      'false: without the time of writing and the state of the clock of the meter at that time, so that the same data gives the same page.',
  },
};

export function addUnitReport(host: Host, source: ReportSource): void {
  host.route<unknown, UnitReportQuery>({
    method: 'GET',
    path: '/{unit_id}/report',
    access: 'viewer',
    summary: 'Show a report of a period: one HTML page that prints well',
    description:
      'Place, meter, channel, levels with coverage and quality, chart, indices by day, exceedances of a limit, what is left out and why, and a hash of the rows. Type and serial number of the meter are asked for once, where that interrupts no stream. At most 370 days. The template `unit` of GET _reports/preview gives the same sections as PDF, CSV, XLSX and data.',
    query: UNIT_REPORT_QUERY,
    answer: 'text',
    contentTypes: ['text/html'],
    etag: true,
    errors: ['UNIT_NOT_FOUND'],
    cost: ({ query }) => daysIn(query),
    async handle(request) {
      const { written, page } = await unitPage(host, source, request);
      return text(
        { text: page, contentType: 'text/html; charset=utf-8' },
        // Two pages that differ only in the time of writing say the same.
        {
          etag: etagOf(written === undefined ? page : page.replace(written, '')),
          headers: { 'Content-Security-Policy': pagePolicy(REPORT_STYLE) },
        },
      );
    },
  });
}

/** Errors: INVALID with the path of the parameter. */
async function unitPage(
  host: Pick<Host, 'clock' | 'configs' | 'families' | 'history'>,
  source: ReportSource,
  request: Request<unknown, UnitReportQuery>,
): Promise<{ readonly written: string | undefined; readonly page: string }> {
  const { path, unitId, query, caller } = request;
  const config = host.configs.of(unitId);
  const asked = spanOf(query);
  if (asked.to - asked.from > MOST_DAYS * DAY_MS)
    throw invalid([{ path: '/to', message: `is more than ${MOST_DAYS} days after from` }]);
  const { limit_db: db, limit_step: step, channel = MAIN_CHANNEL, zone = config.timezone, lang } = query;
  if (db !== undefined && tables.rowCount(asked, step) > MOST_INTERVALS)
    throw invalid([
      { path: '/limit_step', message: `would give more than ${MOST_INTERVALS} intervals; use a longer one` },
    ]);
  refuseChannel(channel, host.families.find(config.family), '/channel');
  const words = new ReportWords(lang, zone);
  const now = host.clock.now();
  // A page that is not dated says the same whenever it is made.
  const about = { span: asked, channel, now: query.dated ? now : asked.to };
  const { span, until } = await spanSoFar(host, unitId, about, caller.signal);
  const written = query.dated ? `${words.moment(utcText(now))} (${utcText(now)})` : undefined;
  const report = await composeReport(source, request, {
    units: [unitId],
    wish: {
      from: utcText(span.from),
      to: utcText(span.to),
      zone,
      lang,
      channel,
      periods: query.preset,
      judged: { preset: '' },
      sections: UNIT_SECTIONS.filter((section) => section !== 'exclusions' || query.exclusions === 'apply'),
      titles: {},
      exclusions: query.exclusions,
      limit: db === undefined ? null : { db, step },
      basePath: path.slice(0, -`/${unitId}/report`.length),
      until,
      isCut: span.to < asked.to,
      ...(written !== undefined && { written }),
    },
    template: 'unit',
    title: query.title ?? '',
    remarks: query.remarks ?? '',
    letterhead: null,
    checkAddress: null,
  });
  return { written, page: await reportPage(report, undefined) };
}
