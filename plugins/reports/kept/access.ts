/** Which reports a caller sees, and what it may write into one. */
import { type Host, type Identity, invalid, type Request, reaches, zones } from '../../../lib/index.ts';
import { type ReportBody, type WantedReport, WISHES } from './schemas.ts';
import { noReport, type ReportStore } from './store.ts';
import type { ReportRow } from './tables.ts';

const HOUR_MS = 3_600_000;

/** A report has levels of all its units: who may not see one of them sees nothing of it. */
export const isVisible = ({ body: { units } }: ReportRow, identity: Identity): boolean =>
  units.every((unitId) => reaches(identity, unitId));

/** Errors: REPORT_NOT_FOUND, also for one that the caller may not see. */
export function foundReport(store: ReportStore, { params, identity }: Pick<Request, 'params' | 'identity'>): ReportRow {
  const row = store.find(Number(params.id));
  if (!row || !isVisible(row, identity)) throw noReport(params.id ?? '');
  return row;
}

/** The parameters of the preview that is this report, but for span and format. */
export const queryOf = ({ units, zone, wishes }: ReportBody): Readonly<Record<string, string>> => ({
  ...{ units: units.join(','), zone },
  ...wishes,
});

/**
 * What is kept of what was given. It is made once of the last hour, so that what cannot be made is told now, and not when it is due.
 * Errors: INVALID with the path, ASSESSMENT_NOT_FOUND.
 */
export async function keptBody(host: Host, request: Request, given: WantedReport): Promise<ReportBody> {
  const { name, units, period, at, formats, targets } = given;
  const sender = host.mails.sender();
  const stray = targets.findIndex((id) => !sender?.target(id));
  if (stray >= 0) throw invalid([{ path: `/targets/${stray}`, message: 'is no mail target of alerts' }]);
  const unknown = units.findIndex((unitId) => !host.configs.get(unitId) || !reaches(request.identity, unitId));
  if (unknown >= 0) throw invalid([{ path: `/units/${unknown}`, message: 'is no unit that you may see' }]);
  const zone = given.zone ?? host.configs.of(units[0] ?? '').timezone;
  if (!zones.isTimeZone(zone)) throw invalid([{ path: '/zone', message: 'is no time zone' }]);
  const wishes = Object.fromEntries(
    WISHES.flatMap((wish) => (typeof given[wish] === 'string' ? [[wish, given[wish]]] : [])),
  );
  const body: ReportBody = { name, units, period, at, zone, formats, targets, wishes };
  const to = Math.floor(host.clock.now() / HOUR_MS) * HOUR_MS;
  const span = { from: new Date(to - HOUR_MS).toISOString(), to: new Date(to).toISOString() };
  const query = { ...queryOf(body), ...span, format: 'json' };
  await host.ask(request, { method: 'GET', path: '/_reports/preview', query });
  return body;
}
