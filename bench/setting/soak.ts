/** Memory after a collection, MB; open descriptors; delay of the event loop, ms (p99). */
export interface Sample {
  readonly mb: number;
  readonly descriptors: number;
  readonly lateMs: number;
}

/** Something that works on and can be looked at. */
export interface Soak {
  /** The next part of its time. */
  pass(): Promise<Sample>;
  /** Its work, in words. */
  done(): string;
  close(): Promise<void>;
}

/** A rule that is broken now and then. Errors: the answer of the gateway when it takes none. */
export async function levelRule(base: string, unitId: string): Promise<void> {
  const rule = {
    name: unitId,
    units: [unitId],
    kind: 'level',
    quantity: 'leq',
    window: '1m',
    limit_db: 50,
    continue: false,
  };
  await sent(base, 'POST', '/_alerts/rules', rule);
}

/** Sends JSON to the gateway. Errors: an answer that is none of success. */
export async function sent(base: string, method: string, path: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${base}${path}`, { method, headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
}
