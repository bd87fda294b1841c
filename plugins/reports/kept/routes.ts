/** Kept reports by the API: list, create, change, remove. A caller sees a report when it may see all its units. */
import {
  invalid,
  listQuery,
  MAIN_CHANNEL,
  NEXT,
  type PageQuery,
  pageOf,
  type Role,
  settable,
  zones,
} from '../../../lib/built-in.ts';
import {
  type Host,
  type Identity,
  iso,
  json,
  messageOf,
  type Request,
  reaches,
  type Schema,
  type Tables,
} from '../../../lib/index.ts';
import type { KeptParts } from './documents.ts';
import type { Runs } from './runs.ts';
import { nextDue, type ReportScheduler } from './scheduler.ts';
import {
  CHANGED_REPORT,
  MOST_REPORTS,
  queryOf,
  REPORT,
  REPORT_FIXED,
  REPORT_ID,
  type ReportBody,
  reportedUnits,
  WANTED_REPORT,
  type WantedReport,
  WISH_DEFAULTS,
  WISHES,
} from './schemas.ts';
import {
  noReport,
  REPORT_MAILS,
  REPORT_RUNS,
  type ReportMail,
  type ReportRow,
  type ReportRun,
  type ReportStore,
} from './store.ts';

const HOUR_MS = 3_600_000;

/** A report has levels of all its units: a caller who may not see one of them sees nothing of it. */
const isVisible = ({ units, tag }: Pick<ReportBody, 'units' | 'tag'>, identity: Identity): boolean =>
  tag
    ? identity.units === null || (identity.tags?.includes(tag) ?? false)
    : units.every((unitId) => reaches(identity, unitId));

/** Errors: REPORT_NOT_FOUND, also for one that the caller may not see. */
export function foundReport(store: ReportStore, { params, identity }: Pick<Request, 'params' | 'identity'>): ReportRow {
  const row = store.find(Number(params.id));
  if (!row || !isVisible(row.body, identity)) throw noReport(params.id ?? '');
  return row;
}

/**
 * The body to keep. The report is made once of the last hour, so that an error is seen now, and not when the report is due.
 * Errors: INVALID with the path, ASSESSMENT_NOT_FOUND.
 */
async function keptBody(host: Host, request: Request, given: WantedReport): Promise<ReportBody> {
  const { name, tag = null, period, at, formats, targets } = given;
  const sender = host.mails.sender();
  const stray = targets.findIndex((id) => !sender?.target(id));
  if (stray >= 0) throw invalid([{ path: `/targets/${stray}`, message: 'is no mail target of alerts' }]);
  const chosen = { units: tag ? [] : (given.units ?? []), tag };
  if (tag && !isVisible(chosen, request.identity))
    throw invalid([{ path: '/tag', message: 'is no tag that you have access by' }]);
  const units = reportedUnits(chosen, host.configs);
  if (units.length === 0)
    throw invalid([
      tag ? { path: '/tag', message: 'no unit has this tag' } : { path: '/units', message: 'is required, or a tag' },
    ]);
  const unknown = units.findIndex((unitId) => !host.configs.get(unitId) || !reaches(request.identity, unitId));
  if (unknown >= 0) throw invalid([{ path: `/units/${unknown}`, message: 'is no unit that you may see' }]);
  const zone = given.zone ?? host.configs.of(units[0] ?? '').timezone;
  if (!zones.isTimeZone(zone)) throw invalid([{ path: '/zone', message: 'is no time zone' }]);
  const wishes = Object.fromEntries(
    WISHES.flatMap((wish) => (typeof given[wish] === 'string' ? [[wish, given[wish]]] : [])),
  );
  const body: ReportBody = { name, ...chosen, period, at, zone, formats, targets, wishes };
  const to = Math.floor(host.clock.now() / HOUR_MS) * HOUR_MS;
  const span = { from: new Date(to - HOUR_MS).toISOString(), to: new Date(to).toISOString() };
  const query = { ...queryOf(body, units), ...span, format: 'json' };
  await host.ask(request, { method: 'GET', path: '/_reports/preview', query });
  return body;
}

interface ReportRouteParts extends KeptParts {
  readonly runs: Runs;
  readonly scheduler: ReportScheduler;
  /** Reasons why it cannot be made or sent. */
  readonly warnings: (report: ReportRow) => readonly string[];
}

const READING = { access: 'viewer', filtersUnits: true } as const;
const CHANGE = { access: 'operator', filtersUnits: true } as const;

export function addReportRoutes(parts: ReportRouteParts): void {
  addReading(parts);
  addCreation(parts);
  addChange(parts);
  addRemoval(parts);
}

interface Reader {
  readonly role: Role;
  readonly sender: ReturnType<Host['mails']['sender']>;
}

export const readerOf = ({ mails }: Pick<Host, 'mails'>, { role }: Identity): Reader => ({
  role,
  sender: mails.sender(),
});

export const shownRun = (run: ReportRun, mails: readonly ReportMail[], reader: Reader) => ({
  id: String(run.id),
  from: iso(run.fromAt),
  to: iso(run.toAt),
  due_at: iso(run.dueAt),
  state: run.state,
  late: run.late,
  started_by: run.startedBy,
  job: run.job,
  tries: run.tries,
  ended_at: iso(run.endedAt),
  detail: run.detail,
  mails: mails.filter(({ runId }) => runId === run.id).map((mail) => shownMail(mail, reader)),
});

/** Mail addresses are for those who may see the targets. */
export const shownAddresses = (text: string, role: Role): string =>
  role === 'admin' ? text : text.replaceAll(/[^\s<>(),:;"]+@/g, '...@');

const shownMail = (mail: ReportMail, { role, sender }: Reader) => ({
  target: String(mail.targetId),
  state: mail.state,
  tries: mail.tries,
  ended_at: iso(mail.endedAt),
  outcome: shownAddresses(mail.outcome, role),
  recipients: recipientsOf(mail, sender?.target(String(mail.targetId))?.to ?? []).map(({ address, state, said }) => ({
    address: shownAddresses(address, role),
    state,
    said: shownAddresses(said, role),
  })),
});

/** Each address with its own result: a server may take a mail for one and refuse it for another. */
function recipientsOf({ state, reach }: ReportMail, to: readonly string[]) {
  const refused = new Map(reach?.refused.map(({ address, said }) => [address, said]));
  const open = state === 'waiting' || state === 'sending' ? ('waiting' as const) : ('not_sent' as const);
  return [...new Set([...to, ...refused.keys()])].map((address) => {
    const said = refused.get(address);
    if (said !== undefined) return { address, state: 'refused' as const, said };
    const isSent = state === 'done' || (reach !== null && !reach.left.includes(address));
    return { address, state: isSent ? ('sent' as const) : open, said: '' };
  });
}

export const mailsOf = (tables: Tables, runs: readonly ReportRun[]): Promise<readonly ReportMail[]> => {
  const where = { runId: runs.map(({ id }) => id) };
  return tables.read((rows) => rows.find(REPORT_MAILS, { where, order: { targetId: 'asc' } }));
};

async function shown({ host, tables, warnings }: ReportRouteParts, report: ReportRow, identity: Identity) {
  const { id, body, createdAt, createdBy, changedAt, handledUntil } = report;
  const { wishes, ...own } = body;
  const units = reportedUnits(body, host.configs);
  const newest = { where: { reportId: id }, order: { id: 'desc' }, limit: 1 } as const;
  const [last] = await tables.read((rows) => rows.find(REPORT_RUNS, newest));
  const gone = units.filter((unitId) => !host.configs.get(unitId));
  const { channel = MAIN_CHANNEL } = wishes;
  const lacking = units.filter((unitId) => {
    const recorded = host.configs.get(unitId)?.historyChannels;
    return channel !== MAIN_CHANNEL && recorded && !recorded.includes(channel);
  });
  return {
    id: String(id),
    ...own,
    units,
    tag: body.tag ?? null,
    ...WISH_DEFAULTS,
    ...wishes,
    next_due_at: iso(nextDue(body, handledUntil)),
    last_run: last ? shownRun(last, await mailsOf(tables, [last]), readerOf(host, identity)) : null,
    warnings: [
      ...(units.length === 0 ? [`No meter has the tag ${body.tag} now.`] : []),
      ...gone.map((unitId) => `There is no meter ${unitId} any more.`),
      ...lacking.map((unitId) => `${unitId} does not record the channel ${channel}.`),
      ...warnings(report),
    ],
    created_at: iso(createdAt),
    created_by: createdBy,
    changed_at: iso(changedAt),
  };
}

function addReading(parts: ReportRouteParts): void {
  const { host, store } = parts;
  host.route<unknown, PageQuery>({
    method: 'GET',
    path: '/_reports',
    operation: 'listReports',
    ...READING,
    summary: 'List the reports that are kept',
    description: 'Only reports whose units the caller may all see.',
    query: listQuery(),
    answer: { data: { type: 'array', items: REPORT }, next: NEXT },
    etag: true,
    errors: [],
    async handle({ query, identity }) {
      const after = Number(query.cursor ?? 0);
      const left = store.list().filter((row) => row.id > after && isVisible(row.body, identity));
      const { page, next } = pageOf(left, query.limit, ({ id }) => id);
      const data: object[] = [];
      for (const row of page) data.push(await shown(parts, row, identity));
      return { data, next };
    },
  });
  host.route({
    method: 'GET',
    path: '/_reports/{id}',
    operation: 'showReport',
    params: REPORT_ID,
    ...READING,
    summary: 'Show a report that is kept',
    answer: { data: REPORT },
    etag: true,
    errors: ['REPORT_NOT_FOUND'],
    handle: async (request) => ({ data: await shown(parts, foundReport(store, request), request.identity) }),
  });
}

const ANSWER: Readonly<Record<string, Schema>> = { message: { type: 'string' }, data: REPORT };

function addCreation(parts: ReportRouteParts): void {
  const { host, store, scheduler } = parts;
  host.route<WantedReport, unknown>({
    method: 'POST',
    path: '/_reports',
    operation: 'createReport',
    ...CHANGE,
    summary: 'Keep a report: what it is about, when it is due, and who gets it',
    description: `The fields beside name, units, period, at, formats and targets are those of GET /_reports/preview. At most ${MOST_REPORTS}.`,
    body: WANTED_REPORT,
    answer: ANSWER,
    statuses: [201],
    errors: ['ASSESSMENT_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle(request) {
      const row = await store.add(await keptBody(host, request, request.body), request.identity.name);
      scheduler.wake();
      const answer = {
        message: `The report ${row.body.name} is kept.`,
        data: await shown(parts, row, request.identity),
      };
      return json(answer, { status: 201, location: `/_reports/${row.id}` });
    },
  });
}

function addChange(parts: ReportRouteParts): void {
  const { host, store, scheduler } = parts;
  host.route<WantedReport, unknown>({
    method: 'PUT',
    path: '/_reports/{id}',
    operation: 'changeReport',
    params: REPORT_ID,
    ...CHANGE,
    summary: 'Replace a report that is kept; what was printed stays',
    description: 'The data of a GET may be sent back. With another period, time or zone, only what comes is due.',
    body: CHANGED_REPORT,
    answer: ANSWER,
    errors: ['REPORT_NOT_FOUND', 'ASSESSMENT_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle(request) {
      const present = foundReport(store, request);
      request.before(await shown(parts, present, request.identity));
      const given = settable(request.body, REPORT_FIXED, String(present.id));
      const row = await store.change(present.id, await keptBody(host, request, given));
      scheduler.wake();
      return {
        message: `The report ${row.body.name} is changed.`,
        data: await shown(parts, row, request.identity),
      };
    },
  });
}

function addRemoval(parts: ReportRouteParts): void {
  const { host, tables, store, scheduler } = parts;
  host.route({
    method: 'DELETE',
    path: '/_reports/{id}',
    operation: 'removeReport',
    params: REPORT_ID,
    ...CHANGE,
    summary: 'Remove a report with all its documents',
    answer: { message: { type: 'string' } },
    errors: ['REPORT_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle(request) {
      const row = foundReport(store, request);
      request.before(await shown(parts, row, request.identity));
      const runs = await tables.read((rows) => rows.find(REPORT_RUNS, { where: { reportId: row.id } }));
      await store.remove(row.id);
      scheduler.wake();
      await parts.runs
        .forget(runs)
        .catch((error: unknown) =>
          host.log.warn({ reason: messageOf(error) }, 'documents could not be removed; the next start does'),
        );
      return { message: `The report ${row.body.name} and its documents are removed.` };
    },
  });
}
