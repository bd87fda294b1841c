/**
 * Two rules for the demo, so that limits, what is left of them and alerts are seen at the first look. Made through the API, as a
 * person makes them; where it asks for a key, or has rules already, the demo goes without.
 */

/** Above the sound of the working days, below the hour that is too loud. */
const LIMIT_DB = 70;

export async function makeRules(baseUrl: string, unitIds: readonly string[], signal: AbortSignal): Promise<void> {
  const rules = `${baseUrl}/_alerts/rules`;
  const present = await fetch(rules, { signal });
  const { data } = present.ok ? ((await present.json()) as { readonly data: readonly object[] }) : { data: undefined };
  if (data?.length !== 0) return;
  for (const rule of rulesOf(unitIds))
    await fetch(rules, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(rule),
      signal,
    });
}

const rulesOf = (unitIds: readonly string[]): readonly object[] => [
  {
    name: 'Construction noise by day',
    units: unitIds,
    kind: 'level',
    quantity: 'leq',
    window: '15m',
    limit_db: LIMIT_DB,
    schedule: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '07:00', to: '20:00' }],
  },
  {
    name: 'A meter does not measure',
    units: unitIds,
    kind: 'device',
    condition: 'not_measuring',
    for: '1m',
    severity: 'info',
  },
];
