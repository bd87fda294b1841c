/** One page about one meter and one period, to print and to pass on. */
import {
  type DeviceConfig,
  daysIn,
  fingerprintForReports,
  forgetRemoved,
  type Host,
  invalid,
  iso,
  MAIN_CHANNEL,
  type Plugin,
  pagePolicy,
  refuseChannel,
  spanOf,
  tables,
  text,
} from '../../lib/index.ts';
import { type Findings, gather, type ReportRequest } from './gather.ts';
import { Identities, identityMigrations, KEPT_IDENTITIES } from './identity.ts';
import { page, tagOf } from './page.ts';
import { REPORT_QUERY, type ReportQuery } from './schemas.ts';
import { STYLE } from './style.ts';

/** A little more than a year. */
const MOST_DAYS = 370;
/** Intervals that are held against the limit: more than seven months of a quarter of an hour. */
const MOST_INTERVALS = 20_000;
const DAY_MS = 86_400_000;

const plugin: Plugin = {
  name: 'report',
  about: 'A report that prints',
  async register(host) {
    const kept = await host.tables([KEPT_IDENTITIES], identityMigrations);
    const identities = new Identities(host, kept);
    await forgetRemoved(host, kept, identities);
    const meet = (unitId: string) => {
      const config = host.configs.get(unitId);
      if (config) void identities.meet(config);
    };
    host.on('config', ({ unitId }) => meet(unitId));
    host.on('exchange', ({ unitId }) => void identities.forget(unitId));
    host.on('reachability', ({ unitId, data }) => {
      if (data.reachability.state === 'online') meet(unitId);
    });
    host.route<unknown, ReportQuery>({
      method: 'GET',
      path: '/{unit_id}/report',
      access: 'viewer',
      summary: 'Show a report of a period: one HTML page that prints well',
      description:
        'Place, meter, channel, levels with coverage and quality, chart, indices by day, exceedances of a limit, what is left out and why, and a hash of the rows. Type and serial number of the meter are asked for once, where that interrupts no stream. At most 370 days.',
      query: REPORT_QUERY,
      answer: 'text',
      contentTypes: ['text/html'],
      etag: true,
      errors: ['UNIT_NOT_FOUND'],
      cost: ({ query }) => daysIn(query),
      async handle({ path, unitId, query, caller }) {
        const asked = read(host, host.configs.of(unitId), query);
        const now = host.clock.now();
        // A page that is not dated says the same whenever it is made.
        const findings = await gather(host, asked, query.dated ? now : asked.span.to, caller.signal);
        const written = await page({
          asked,
          findings,
          identity: await identities.of(asked.config, caller.signal),
          clock: clockWords(host, unitId),
          fingerprint: await fingerprintForReports(host.evidence, host.log),
          now,
          rowsAddress: `${path.replace(/report$/, 'history')}?${rowsQuery(asked, findings)}`,
        });
        return text(
          { text: written, contentType: 'text/html; charset=utf-8' },
          { etag: tagOf(written), headers: { 'Content-Security-Policy': pagePolicy(STYLE) } },
        );
      },
    });
  },
};
export default plugin;

function read({ families }: Host, config: DeviceConfig, query: ReportQuery): ReportRequest {
  const span = spanOf(query);
  if (span.to - span.from > MOST_DAYS * DAY_MS)
    throw invalid([{ path: '/to', message: `is more than ${MOST_DAYS} days after from` }]);
  if (query.limit_db !== undefined && tables.rowCount(span, query.limit_step) > MOST_INTERVALS)
    throw invalid([
      { path: '/limit_step', message: `would give more than ${MOST_INTERVALS} intervals; use a longer one` },
    ]);
  const zone = query.zone ?? config.timezone;
  const { channel = MAIN_CHANNEL } = query;
  refuseChannel(channel, families.find(config.family), '/channel');
  return { config, span, zone, query, channel };
}

function clockWords(host: Host, unitId: string): string {
  const clock = host.reachability(unitId)?.clock;
  if (!clock) return 'not compared; the times of this page are those of the gateway';
  const { offsetMs, at } = clock;
  const seconds = (Math.abs(offsetMs) / 1_000).toFixed(1);
  return `${seconds} s ${offsetMs < 0 ? 'behind' : 'ahead of'} the gateway at ${iso(at)}; the times of this page are those of the gateway`;
}

function rowsQuery({ zone, channel }: ReportRequest, { span, step, excluded }: Findings): string {
  const ofChannel = channel === MAIN_CHANNEL ? '' : `&channel=${channel}`;
  const query = `from=${iso(span.from)}&to=${iso(span.to)}&step=${step}&zone=${encodeURIComponent(zone)}${ofChannel}&format=csv`;
  return excluded.ranges.length > 0 ? `${query}&exclusions=apply` : query;
}
