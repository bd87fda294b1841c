/** Runs and documents by the API: asked for, listed, downloaded. */
import {
  invalid,
  listQuery,
  MOMENT,
  NEXT,
  type PageQuery,
  pageOf,
  TIME_OR_NULL,
  type zones,
} from '../../../lib/built-in.ts';
import {
  file,
  GatewayError,
  type Host,
  iso,
  json,
  named,
  type Request,
  spanOf,
  type Tables,
} from '../../../lib/index.ts';
import { PRINTED_TYPES } from '../schemas.ts';
import type { KeptParts } from './documents.ts';
import { mailText } from './mails.ts';
import { foundReport, mailsOf, readerOf, shownAddresses, shownRun } from './routes.ts';
import { documentName, MOST_RUNS, type Runs, shownDocument } from './runs.ts';
import { lastPeriod } from './scheduler.ts';
import { DOCUMENT, DOCUMENT_ID, REPORT_ID, REPORT_MAIL, RUN } from './schemas.ts';
import { REPORT_RUNS, type ReportRow, type ReportRun } from './store.ts';

/** The clocks of two computers may differ by so much: what is later than that is in the future, ms. */
const CLOCKS_MS = 60_000;

interface RunRouteParts extends KeptParts {
  readonly runs: Runs;
}

const READING = { params: REPORT_ID, access: 'viewer', filtersUnits: true } as const;
const CHANGE = { params: REPORT_ID, access: 'operator', filtersUnits: true } as const;

interface RunQuery {
  readonly from?: string;
  readonly to?: string;
  readonly mail: boolean;
}

const SPAN_OF_RUN = {
  from: { ...MOMENT, description: `${MOMENT.description}; it belongs to the span` },
  to: { ...MOMENT, description: `${MOMENT.description}; it does not belong to the span, and is not in the future` },
};

export function addRunRoutes(parts: RunRouteParts): void {
  addRun(parts);
  addMail(parts);
  addRuns(parts);
  addDocuments(parts);
  addDownload(parts);
  addCheck(parts);
}

function addRun({ host, store, runs }: RunRouteParts): void {
  host.route<unknown, RunQuery>({
    method: 'POST',
    path: '/_reports/{id}/run',
    operation: 'runReport',
    ...CHANGE,
    summary: 'Make the documents of a report now',
    description: `A job; its result has \`report\`, \`run\` and \`documents\`. Without from and to it is about the last whole period of the report. The last ${MOST_RUNS} runs of a report are kept.`,
    query: {
      ...SPAN_OF_RUN,
      mail: { type: 'boolean', default: false, description: 'Whether the targets of the report get it, too.' },
    },
    answer: { message: { type: 'string' }, job: { type: 'string', description: 'Id of the job.' } },
    statuses: [202],
    errors: ['REPORT_NOT_FOUND', 'DEVICE_BUSY', 'STOPPING', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle(request) {
      const report = foundReport(store, request);
      const span = await spanOfRun(host, request, report);
      const { id } = await runs.order({
        reportId: report.id,
        fromAt: span.from,
        toAt: span.to,
        dueAt: null,
        late: false,
        mailed: request.query.mail,
        startedBy: request.identity.name,
      });
      const message = `The report ${report.body.name} is being made.`;
      return json({ message, job: String(id) }, { status: 202, location: `/_jobs/${id}` });
    },
  });
}

async function spanOfRun(
  { clock }: Host,
  { query: { from, to } }: Request<unknown, Omit<RunQuery, 'mail'>>,
  { body }: Pick<ReportRow, 'body'>,
): Promise<zones.Span> {
  if (from === undefined && to === undefined) {
    const last = lastPeriod(body, clock.now());
    if (last) return last;
    throw invalid([{ path: '/from', message: 'is missing: the report has no period of its own' }]);
  }
  if (from === undefined) throw invalid([{ path: '/from', message: 'is missing' }]);
  if (to === undefined) throw invalid([{ path: '/to', message: 'is missing' }]);
  const span = spanOf({ from, to });
  if (span.to > clock.now() + CLOCKS_MS)
    throw invalid([{ path: '/to', message: 'must not be in the future: what is printed stays' }]);
  return span;
}

function addMail({ host, store }: RunRouteParts): void {
  host.route<unknown, Omit<RunQuery, 'mail'>>({
    method: 'GET',
    path: '/_reports/{id}/mail',
    operation: 'showReportMail',
    ...CHANGE,
    summary: 'Show the mail of a report before it is sent',
    description:
      'Nothing is made and nothing is sent: `POST /_reports/{id}/run?mail=true` with the same span does that. Names and whole addresses of targets are for admins.',
    query: SPAN_OF_RUN,
    answer: { data: REPORT_MAIL },
    errors: ['REPORT_NOT_FOUND'],
    async handle(request) {
      const { body } = foundReport(store, request);
      const span = await spanOfRun(host, request, { body });
      const documents = body.formats.map((format) => ({ name: documentName(body, span, format) }));
      const run = { fromAt: span.from, toAt: span.to, dueAt: null, late: false, documents };
      const { role, sender } = readerOf(host, request.identity);
      const targets = body.targets.map((id) => {
        const { name = '', enabled = false, to = [] } = sender?.target(id) ?? {};
        const addresses = to.map((address) => shownAddresses(address, role));
        return { id, name: role === 'admin' ? name : '', enabled, addresses };
      });
      const attachments = documents.map(({ name }) => name);
      return {
        data: { from: iso(span.from), to: iso(span.to), ...mailText(body, run, documents), attachments, targets },
      };
    },
  });
}

function addRuns({ host, tables, store }: RunRouteParts): void {
  host.route<unknown, PageQuery>({
    method: 'GET',
    path: '/_reports/{id}/runs',
    operation: 'listReportRuns',
    ...READING,
    summary: 'List the runs of a report, the newest first',
    query: listQuery(),
    answer: { data: { type: 'array', items: RUN }, next: NEXT },
    etag: true,
    errors: ['REPORT_NOT_FOUND'],
    async handle(request) {
      const { limit, cursor } = request.query;
      const all = await runsOf(tables, foundReport(store, request), cursor);
      const { page, next } = pageOf(all, limit, ({ id }) => id);
      const mails = await mailsOf(tables, page);
      return { data: page.map((run) => shownRun(run, mails, readerOf(host, request.identity))), next };
    },
  });
}

/** The newest first; `before`: only older ones. */
const runsOf = (
  tables: Tables,
  { id: reportId }: ReportRow,
  before: string | undefined,
): Promise<readonly ReportRun[]> => {
  const id = before === undefined ? undefined : { below: Number(before) };
  return tables.read((rows) => rows.find(REPORT_RUNS, { where: { reportId, id }, order: { id: 'desc' } }));
};

function addDocuments({ host, tables, store }: RunRouteParts): void {
  host.route<unknown, PageQuery>({
    method: 'GET',
    path: '/_reports/{id}/documents',
    operation: 'listReportDocuments',
    ...READING,
    summary: 'List the documents of a report, the newest first',
    query: listQuery({}, DOCUMENT_ID.document),
    answer: { data: { type: 'array', items: DOCUMENT }, next: NEXT },
    etag: true,
    errors: ['REPORT_NOT_FOUND'],
    async handle(request) {
      const { limit, cursor } = request.query;
      const all = (await runsOf(tables, foundReport(store, request), undefined)).flatMap((run) =>
        run.documents.map((document) => shownDocument(run, document)),
      );
      const { page, next } = pageOf(afterDocument(all, cursor), limit, ({ id }) => id);
      return { data: page, next };
    },
  });
}

/** Also where the document of the cursor was removed since. */
function afterDocument<Shown extends { readonly id: string; readonly run: string }>(
  all: readonly Shown[],
  cursor: string | undefined,
): readonly Shown[] {
  if (cursor === undefined) return all;
  const at = all.findIndex(({ id }) => id === cursor);
  const run = Number(cursor.split('-')[0]);
  return at >= 0 ? all.slice(at + 1) : all.filter((document) => Number(document.run) < run);
}

function addDownload({ host, tables, store, folders }: RunRouteParts): void {
  host.route({
    method: 'GET',
    path: '/_reports/{id}/documents/{document}',
    operation: 'downloadReportDocument',
    ...READING,
    params: { ...REPORT_ID, ...DOCUMENT_ID },
    summary: 'Download a document of a report',
    description: 'As it was printed. The ETag is its SHA-256. Takes Range.',
    answer: 'file',
    contentTypes: PRINTED_TYPES,
    errors: ['REPORT_NOT_FOUND', 'FILE_NOT_FOUND'],
    async handle(request) {
      const report = foundReport(store, request);
      const wanted = request.params.document ?? '';
      const [runId = 0] = wanted.split('-').map(Number);
      const where = { id: runId, reportId: report.id };
      const [run] = await tables.read((rows) => rows.find(REPORT_RUNS, { where }));
      const found = run?.documents.find(({ id }) => id === wanted);
      if (!run || !found)
        throw new GatewayError('REPORT_NOT_FOUND', `The report ${report.id} has no document ${wanted}.`);
      const { name, bytes: size, format, contentType, sha256 } = found;
      return file({ name, size, contentType, bytes: (range) => folders.read(run.id, format, range) }, { etag: sha256 });
    },
  });
}

/** For people who have a file and no key. It reads memory alone, and only who has the file knows the hash. */
function addCheck({ host, runs }: RunRouteParts): void {
  host.route<unknown, { readonly sha256: string }>({
    method: 'GET',
    path: '/_reports/check',
    operation: 'checkReportFile',
    access: 'public',
    summary: 'Show whether a file is a document of a kept report',
    description: 'By its SHA-256, without an API key. A document that was removed with its run or report is not known.',
    query: {
      sha256: { type: 'string', pattern: '^[0-9a-f]{64}$', required: true, description: 'Of the file, in hex.' },
    },
    answer: {
      data: named('CheckedFile', {
        kept: { type: 'boolean' },
        made_at: { ...TIME_OR_NULL, description: 'The first time, where it was made more than once. Null: not kept.' },
      }),
    },
    errors: [],
    handle({ query }) {
      const times = runs.madeAt(query.sha256);
      const isKept = times.length > 0;
      return { data: { kept: isKept, made_at: isKept ? iso(Math.min(...times)) : null } };
    },
  });
}
