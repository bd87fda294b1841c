/** Reports as documents: one document as data, and its printed forms. */
import { Readable } from 'node:stream';
import { callerOf, etagOf, inSeconds, invalid, pagePolicy, tables } from '../../lib/built-in.ts';
import {
  daysIn,
  file,
  GatewayError,
  type Host,
  type Plugin,
  type Reply,
  type Request,
  reaches,
  spanOf,
  text,
  within,
} from '../../lib/index.ts';
import notes from '../notes/index.ts';
import permits from '../permits/index.ts';
import { composeReport, type ReportOrder, type ReportSource } from './compose.ts';
import type { ReportDocument } from './document.ts';
import { JUDGED } from './gathered.ts';
import { IDENTITY_MIGRATIONS, KEPT_IDENTITIES, openIdentities } from './identity.ts';
import { addKeptReports } from './kept/index.ts';
import { LAST_IDS, REPORT_MAILS, REPORT_MIGRATIONS, REPORT_RUNS, REPORTS } from './kept/store.ts';
import { addLetterheads, type LetterheadBody, type Logo, letterheadOf, logoOf } from './letterheads.ts';
import { NAMED_BODIES, NAMED_MIGRATIONS, type NamedStore, namedStore } from './named-store.ts';
import { PdfPrinter } from './pdf/printer.ts';
import { REPORT_STYLE, reportCsv, reportPage, reportXlsx } from './printed.ts';
import { MOST_REPORTED, PREVIEW_QUERY, PRINTED_TYPES, type PreviewQuery, REPORT_DOCUMENT } from './schemas.ts';
import { addTemplates, REPORT_TEMPLATES, type TemplateBody, templateOf } from './templates.ts';
import { addUnitReport, MOST_DAYS } from './unit-report.ts';

/** Of all units together: printing more would need more memory than its process may have. */
const MOST_UNIT_DAYS = 1_480;
const DAY_MS = 86_400_000;
const utcText = (ms: number): string => new Date(ms).toISOString();

const plugin: Plugin = {
  name: 'reports',
  uses: ['assessment', 'notes', 'permits'],
  about: 'Reports of one or several units: levels, limits, days, charts, events, as data, PDF, HTML, CSV and XLSX',
  async register(host) {
    const kept = [REPORTS, REPORT_RUNS, REPORT_MAILS, LAST_IDS, NAMED_BODIES, KEPT_IDENTITIES];
    const tables = await host.tables(kept, [...REPORT_MIGRATIONS, ...NAMED_MIGRATIONS, ...IDENTITY_MIGRATIONS]);
    const source = {
      ...host,
      notes: host.use(notes),
      permits: host.use(permits),
      identities: await openIdentities(host, tables),
    };
    const templates = namedStore<TemplateBody>(tables, 'template', host.clock);
    const letterheads = namedStore<LetterheadBody>(tables, 'letterhead', host.clock);
    await Promise.all([templates.load(), letterheads.load()]);
    for (const store of [templates, letterheads]) host.onStop(() => store.close());
    addTemplates(host, templates);
    const printer = new PdfPrinter(host.clock, {
      failed: (err) => host.log.warn({ err }, 'a report could not be printed'),
    });
    addLetterheads(host, letterheads, printer);
    addPreview(host, source, { templates, letterheads, printer });
    addUnitReport(host, source);
    await addKeptReports(host, tables, ({ template = REPORT_TEMPLATES[0]?.name ?? '', letterhead }) => [
      ...(templateOf(templates, template) ? [] : [`There is no template ${template} any more.`]),
      ...(letterhead === undefined || letterheads.find(letterhead)
        ? []
        : [`There is no letterhead ${letterhead} any more.`]),
    ]);
  },
};
export default plugin;

/** A workbook that takes so long will not come: the largest takes seconds. ms */
const XLSX_MS = 300_000;

interface OwnForms {
  readonly templates: NamedStore<TemplateBody>;
  readonly letterheads: NamedStore<LetterheadBody>;
  readonly printer: PdfPrinter;
}

function addPreview(host: Host, source: ReportSource, own: OwnForms): void {
  const { printer } = own;
  host.route<unknown, PreviewQuery>({
    method: 'GET',
    path: '/_reports/preview',
    access: 'viewer',
    filtersUnits: true,
    operation: 'previewReport',
    summary: 'Make a report of units and a span, as data, PDF, HTML, CSV or XLSX, and keep nothing',
    description: `Two sentences, limits, days, charts, events, exclusions, calibrations and how the numbers are made, all of one channel of the meters. The numbers are those of GET indices, assessment, history, notes, calibrations and _alerts/events. At most ${MOST_REPORTED} units, ${MOST_DAYS} days, and ${MOST_UNIT_DAYS} days of all units together; the same levels give the same bytes.`,
    query: PREVIEW_QUERY,
    answer: { data: REPORT_DOCUMENT },
    contentTypes: PRINTED_TYPES,
    etag: true,
    errors: ['ASSESSMENT_NOT_FOUND'],
    cost: ({ query }) => daysIn(query) * query.units.split(',').length,
    async handle(request) {
      const { query, caller, identity } = request;
      const head = own.letterheads.find(query.letterhead ?? '');
      const logo = head && logoOf(head);
      const report = await composeReport(source, request, orderOf(host, request, own));
      if (query.format === 'json') return { data: report };
      if (query.format === 'csv' || query.format === 'html') return textOf(report, query.format, logo);
      const signal = AbortSignal.any([caller.signal, host.signal]);
      if (query.format === 'xlsx') {
        const late = () => new GatewayError('INTERNAL', `The workbook took more than ${inSeconds(XLSX_MS)}.`);
        const work = (inTime: AbortSignal) => reportXlsx(report, inTime);
        return fileOf(report, query, await within(host.clock, XLSX_MS, late, work, signal), tables.XLSX_TYPE);
      }
      return fileOf(
        report,
        query,
        await printer.print({ report, paper: query.paper, logo: logo?.bytes, caller: callerOf(identity) }, signal),
        'application/pdf',
      );
    },
  });
}

const nameOf = ({ from, to }: ReportDocument, ending: string): string =>
  `report_${from.slice(0, 10)}_${to.slice(0, 10)}.${ending}`;

function fileOf(report: ReportDocument, { format, paper }: PreviewQuery, made: Buffer, contentType: string): Reply {
  const bytes = (range?: { readonly start: number; readonly end: number }) =>
    Readable.from([range ? made.subarray(range.start, range.end + 1) : made]);
  const etag = etagOf(JSON.stringify([format, paper, report]));
  return file({ name: nameOf(report, format), size: made.length, contentType, bytes }, { etag });
}

async function textOf(report: ReportDocument, format: 'html' | 'csv', logo: Logo | undefined): Promise<Reply> {
  if (format === 'csv') {
    const written = await reportCsv(report);
    const headers = { 'Content-Disposition': `attachment; filename="${nameOf(report, format)}"` };
    return text({ text: written, contentType: 'text/csv; charset=utf-8' }, { etag: etagOf(written), headers });
  }
  const written = await reportPage(report, logo);
  const headers = { 'Content-Security-Policy': pagePolicy(REPORT_STYLE, { hasOwnPictures: logo !== undefined }) };
  return text({ text: written, contentType: 'text/html; charset=utf-8' }, { etag: etagOf(written), headers });
}

/** Errors: INVALID with the path of the parameter. */
function orderOf(
  { configs, publicUrl }: Pick<Host, 'configs' | 'publicUrl'>,
  { path, query, identity }: Request<unknown, PreviewQuery>,
  { templates, letterheads }: OwnForms,
): ReportOrder {
  const units = [...new Set(query.units.split(','))];
  // A unit that the caller may not see is as one that is not there.
  const unknown = units.find((unitId) => !configs.get(unitId) || !reaches(identity, unitId));
  if (unknown !== undefined) throw invalid([{ path: '/units', message: `${unknown} is no unit that you may see` }]);
  const span = spanOf(query);
  if (span.to - span.from > MOST_DAYS * DAY_MS)
    throw invalid([{ path: '/to', message: `is more than ${MOST_DAYS} days after from` }]);
  if ((units.length * (span.to - span.from)) / DAY_MS > MOST_UNIT_DAYS)
    throw invalid([{ path: '/units', message: `with this span these are more than ${MOST_UNIT_DAYS} days of units` }]);
  const { periods, preset, title, remarks, template, lang, channel, letterhead } = query;
  const zone = query.zone ?? configs.of(units[0] ?? '').timezone;
  const given = JUDGED.flatMap((name) => (query[name] ? [[name, query[name]]] : []));
  const judged = { preset, ...Object.fromEntries(given) };
  const found = templateOf(templates, template);
  if (!found) throw invalid([{ path: '/template', message: 'is no template; see GET _reports/templates' }]);
  const { sections, titles } = found;
  const wish = {
    from: utcText(span.from),
    to: utcText(span.to),
    zone,
    lang,
    channel,
    periods,
    judged,
    sections,
    titles,
    exclusions: 'apply' as const,
    limit: null,
    basePath: path.slice(0, -'/_reports/preview'.length),
  };
  const head = letterhead === undefined ? null : letterheads.find(letterhead);
  if (head === undefined)
    throw invalid([{ path: '/letterhead', message: 'is no letterhead; see GET _reports/letterheads' }]);
  return {
    units,
    wish,
    template,
    title,
    remarks,
    letterhead: head && letterheadOf(head),
    checkAddress: query.check && publicUrl !== '' ? `${publicUrl}/verify` : null,
  };
}
