/** Days and limits of the units of a share, from other routes of the gateway. They are called as a caller who may see only these units. */
import type { AlertEvent, AlertRule, Indices, SharedDay, SharedLimit, UnitVerdicts } from '../../client/schemas.ts';
import { MAIN_CHANNEL, viewerRequest, zones } from '../../lib/built-in.ts';
import { type Host, isGatewayError } from '../../lib/index.ts';
import { measuredPart, roundedTo, type SharedPlace } from './levels.ts';

const DAY_MS = 86_400_000;
const DAYS = 7;
/** The most events of one rule and one unit. */
const MOST_EVENTS = 1_000;
/** The longest wait for the answer of another part, ms. */
const DEADLINE_MS = 20_000;

/** The last days that ended before the delay, the newest first. Errors: those of the history. */
export async function lastDays({ host, share, config, until }: SharedPlace): Promise<readonly SharedDay[] | null> {
  const { unitId, timezone } = config;
  const over = zones
    .calendarSpans(timezone, { from: until - (DAYS + 1) * DAY_MS, to: until }, 'day')
    .filter(({ from, to }) => to <= until && from >= (share.fromAt ?? 0))
    .slice(-DAYS);
  const [first, last] = [over[0], over.at(-1)];
  if (!first || !last) return [];
  const query = { from: utc(first.from), to: utc(last.to), zone: timezone };
  const answer = await ask<Indices>(host, unitId, '/{unit_id}/indices', query);
  const dates = { from: first.name, to: last.name };
  const judged = await ask<UnitVerdicts>(host, unitId, '/{unit_id}/verdicts', dates);
  const verdicts = new Map(judged?.data.days.map(({ date, verdict }) => [date, verdict]));
  const step = share.roundDb;
  return (
    answer?.data.days.toReversed().map(({ date, lday, levening, lnight, leq_24h, lden, valid }) => ({
      date,
      lday_db: roundedTo(lday, step),
      levening_db: roundedTo(levening, step),
      lnight_db: roundedTo(lnight, step),
      leq_24h_db: roundedTo(leq_24h, step),
      lden_db: roundedTo(lden, step),
      is_complete: valid,
      verdict: verdicts.get(date) ?? null,
    })) ?? null
  );
}

type LevelRule = AlertRule & Required<Pick<AlertRule, 'quantity' | 'window' | 'limit_db'>>;

/** Null: this gateway has no limits. Errors: those of the history and of alerts. */
export async function limitsOf(place: SharedPlace): Promise<readonly SharedLimit[] | null> {
  const { host, share, config, until } = place;
  const rules = await rulesOf(host, config.unitId);
  if (!rules) return null;
  const own = rules.filter(
    ({ kind, enabled, units, tag, created_at }) =>
      kind === 'level' &&
      enabled &&
      Date.parse(created_at) <= until &&
      (units?.includes(config.unitId) || (tag !== undefined && config.tags.includes(tag))),
  );
  return Promise.all(
    own.map(async (rule) => {
      const { channel = MAIN_CHANNEL } = rule;
      const since = Math.max(until - DAYS * DAY_MS, share.fromAt ?? 0, Date.parse(rule.changed_at));
      const events =
        since < until ? await eventsOf(place, rule, { from: utc(since), to: utc(until) }, MOST_EVENTS) : [];
      // A rule has one event at a time: of the earlier events, only the newest may go on.
      const before = await eventsOf(place, rule, { to: utc(Math.min(since, until)) }, 1);
      const isOpen = ({ closed_at }: AlertEvent) => closed_at === null || Date.parse(closed_at) > until;
      return {
        quantity: rule.quantity,
        channel,
        window: rule.window,
        limit_db: rule.limit_db,
        schedule: rule.schedule ?? [],
        since: utc(Math.min(since, until)),
        exceeded_now: [...events, ...before].some(isOpen),
        exceeded_count: events.length,
        coverage: await measuredPart(place, channel, since, until),
      };
    }),
  );
}

async function rulesOf(host: Host, unitId: string): Promise<readonly LevelRule[] | null> {
  const all: LevelRule[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: '1000', ...(cursor !== undefined && { cursor }) };
    const page = await ask<readonly LevelRule[]>(host, unitId, '/_alerts/rules', query);
    if (!page) return null;
    all.push(...page.data);
    cursor = page.next;
  }
  return all;
}

async function eventsOf(
  { host, config: { unitId } }: SharedPlace,
  { id }: LevelRule,
  span: { readonly from?: string; readonly to: string },
  limit: number,
): Promise<readonly AlertEvent[]> {
  const query = { unit: unitId, rule: id, ...span, limit: String(limit) };
  const page = await ask<readonly AlertEvent[]>(host, unitId, '/_alerts/events', query);
  return page?.data ?? [];
}

/** Null: the plugin that would answer is not loaded. */
async function ask<Data>(
  host: Host,
  unitId: string,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<{ readonly data: Data; readonly next: string | null } | null> {
  try {
    // The work is for all readers: it ends with the plugin, not with one reader.
    const caller = { signal: host.signal, deadlineMs: DEADLINE_MS };
    const { content } = await host.ask(viewerRequest('a share', [unitId], host.log, caller), {
      method: 'GET',
      path,
      query,
    });
    return content.kind === 'json' ? { next: null, ...(content.data as { readonly data: Data }) } : null;
  } catch (error) {
    if (isGatewayError(error, 'NOT_FOUND')) return null;
    throw error;
  }
}

const utc = (ms: number): string => new Date(ms).toISOString();
