/**
 * Two rules and a permit for the demo, and the events of its past: verdicts, the rest of a budget and alerts are seen at
 * once. Made through the API, as a person makes them. If the API asks for a key, or already has rules, the demo adds none.
 */

/** Above the sound of the working days, below the hour that is too loud. */
const LIMIT_DB = 70;
/** The last time that is too loud is within this many last hours. */
export const EVENT_HOURS = 26;

/** Answer of the gateway about a level rule. */
export interface Rule {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly units: readonly string[];
  readonly severity: string;
  readonly quantity: string;
  readonly limit_db: number;
}

/** The answer of a person to an event. */
export interface Answered {
  readonly cause: string;
  readonly ack: { readonly by: string; readonly at: string };
}

interface Previewed {
  readonly unit_id: string;
  readonly opened_at: string;
  readonly closed_at: string | null;
  readonly worst: number;
}

/** One gateway, called until the signal aborts. Rejects with what it answers when it refuses. */
export type DemoCall = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => Promise<unknown>;

export const callerOf =
  (baseUrl: string, signal: AbortSignal): DemoCall =>
  async (method, path, body) => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      signal,
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return ((await answer.json()) as { readonly data: unknown }).data;
  };

/** Answers the rules that were made. */
export async function makeRules(
  baseUrl: string,
  unitIds: readonly string[],
  signal: AbortSignal,
): Promise<readonly Rule[]> {
  const call = callerOf(baseUrl, signal);
  const present = (await call('GET', '/_alerts/rules')) as readonly object[];
  const made: Rule[] = [];
  for (const rule of present.length === 0 ? rulesOf(unitIds) : [])
    made.push((await call('POST', '/_alerts/rules', rule)) as Rule);
  if (made.length > 0) await call('PUT', '/_permits/demo', permitOf(unitIds));
  return made;
}

/** Events that the rules would have had in this part of the simulated past (ms); they are over. `answerTo`: what a person said about one. */
export async function bringEvents(
  baseUrl: string,
  rules: readonly Rule[],
  past: { readonly from: number; readonly to: number },
  signal: AbortSignal,
  answerTo: (unitId: string, openedAt: string) => Answered | undefined = () => undefined,
): Promise<void> {
  const call = callerOf(baseUrl, signal);
  const [from, to] = [new Date(past.from), new Date(past.to)].map((time) => time.toISOString());
  for (const rule of rules.filter(({ kind }) => kind === 'level')) {
    const found = (await call('POST', '/_alerts/rules/preview', { rule, from, to })) as readonly Previewed[];
    const events = found
      .filter(({ closed_at }) => closed_at !== null)
      .map((one) => ({
        ...eventOf(rule, one),
        ...answerTo(one.unit_id, one.opened_at),
      }));
    if (events.length > 0) await call('POST', '/_alerts/events/import', { events });
  }
}

const eventOf = (rule: Rule, { unit_id, opened_at, closed_at, worst }: Previewed): object => ({
  rule: Number(rule.id),
  rule_name: rule.name,
  severity: rule.severity,
  kind: rule.kind,
  what: rule.quantity,
  limit: rule.limit_db,
  detail: `The Leq of 15 min was above ${rule.limit_db} dB.`,
  unit_id,
  opened_at,
  closed_at,
  worst,
});

const DAYTIME = { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '07:00', to: '20:00' };

const permitOf = (unitIds: readonly string[]): object => ({
  title: 'Construction noise by day',
  units: unitIds,
  limits: [{ index: 'leq', window: '15m', limit_db: LIMIT_DB, amber_db: LIMIT_DB - 3, ...DAYTIME }],
  responsible: 'Site management',
});

const rulesOf = (unitIds: readonly string[]): readonly object[] => [
  {
    name: 'Construction noise by day',
    units: unitIds,
    kind: 'level',
    quantity: 'leq',
    window: '15m',
    limit_db: LIMIT_DB,
    schedule: [DAYTIME],
  },
  {
    name: 'Measurement ended',
    units: unitIds,
    kind: 'device',
    condition: 'not_measuring',
    for: '1m',
    severity: 'info',
  },
];
