/** The state of the gateway: `/health` for people and monitors, `/livez` and `/readyz` for programs that start and restart it. */
import type { Clock } from '../clock.ts';
import { whole } from '../domain/fields/field.ts';
import { type ErrorCode, GatewayError } from '../errors.ts';
import type { Schema } from './contract.ts';
import type { OwnPath } from './router.ts';

/** A part that does not work. Anybody may see this: no path of this machine, no address, no secret. */
export interface Trouble {
  /** `plugin live`, `database`. */
  readonly part: string;
  /** One English sentence. */
  readonly detail: string;
  /** True if all requests are still answered as usual: `/readyz` does not report the trouble. */
  readonly harmless?: boolean;
}

export interface HealthParts {
  readonly version: string;
  readonly clock: Clock;
  readonly troubles: () => readonly Trouble[];
  /** Why this process waits although nothing is wrong; undefined: it does not wait. */
  readonly waits?: () => string;
}

/** The three paths. `readyz` is 503 while a part does not work; `livez` is 200 as long as the process answers. */
export function answerProbes({ version, clock, troubles, waits }: HealthParts): OwnPath[] {
  const began = clock.elapsed();
  const health = () => {
    const problems = troubles();
    const uptime_s = Math.floor((clock.elapsed() - began) / 1_000);
    return problems.length === 0
      ? { status: 'ok', version, uptime_s }
      : { status: 'degraded', version, uptime_s, problems: problems.map(({ part, detail }) => ({ part, detail })) };
  };
  const ready = () => {
    if (waits) throw new GatewayError('NOT_READY', waits());
    const problems = troubles().filter(({ harmless }) => !harmless);
    if (problems.length > 0) throw new GatewayError('NOT_READY', problems.map(({ detail }) => detail).join(' '));
    return { status: 'ok' };
  };
  return [
    { path: '/health', answer: health },
    { path: '/livez', answer: () => ({ status: 'ok' }) },
    { path: '/readyz', answer: ready },
  ];
}

const OK = whole({ status: { const: 'ok' } });

const HEALTH_PROPERTIES: Readonly<Record<string, Schema>> = {
  status: { enum: ['ok', 'degraded'], description: 'degraded: it answers, but a part does not work.' },
  version: { type: 'string' },
  uptime_s: { type: 'integer', 'x-unit': 's' },
  problems: {
    type: 'array',
    description: 'Only while degraded.',
    items: whole({ part: { type: 'string' }, detail: { type: 'string' } }),
  },
};
const HEALTH = whole(HEALTH_PROPERTIES, {}, ['problems']);

/** The same paths for the OpenAPI document. */
export const PROBES = Object.freeze([
  {
    path: '/health',
    operation: 'getHealth',
    summary: 'Show that the gateway runs, and which parts do not work',
    schema: HEALTH,
    errors: [],
  },
  { path: '/livez', operation: 'isAlive', summary: 'Show that the process answers', schema: OK, errors: [] },
  {
    path: '/readyz',
    operation: 'isReady',
    summary: 'Show whether every part of the gateway works',
    schema: OK,
    errors: ['NOT_READY'],
  },
] as const satisfies readonly {
  path: string;
  operation: string;
  summary: string;
  schema: Schema;
  errors: readonly ErrorCode[];
}[]);
