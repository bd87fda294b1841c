/**
 * Type and serial number of a meter. A meter whose stream is recorded is asked once, before its stream begins. It is not
 * asked again while its serial number is the same. Another meter is asked for its first report. A later question would
 * interrupt the recording. The last answer is kept: after a start, a report has it although the meter is silent.
 */
import { type KeptOfUnits, METER_FIELDS } from '../../lib/built-in.ts';
import {
  columns,
  type DeviceConfig,
  defineTable,
  forgetRemoved,
  type Host,
  isGatewayError,
  type TableMigration,
  type Tables,
} from '../../lib/index.ts';

const { text } = columns;

/** The last answer of the meter at the address of a unit. */
export const KEPT_IDENTITIES = defineTable('reports_identity', ['unitId'], {
  unitId: text(),
  /** Where it was asked, as `keyOf` writes it. */
  meter: text(),
  type: text(),
  serial: text(),
});

const FIELDS =
  'unit_id text not null, meter text not null, type text not null, serial text not null, primary key (unit_id)';

/** The steps in the life of the table. Up to 0.2.0 the plugin `report` had it. */
export const IDENTITY_MIGRATIONS: readonly TableMigration[] = [
  {
    name: '0004-identity',
    statements: [
      `create table if not exists report_identity (${FIELDS})`,
      `create table reports_identity (${FIELDS})`,
      'insert into reports_identity select unit_id, meter, type, serial from report_identity',
      'drop table report_identity',
    ],
  },
];

/** Null: not known. */
export interface ReportedIdentity {
  readonly type: string | null;
  readonly serial: string | null;
}

/** A report does not wait long for it, ms. */
const PATIENCE_MS = 5_000;
/** A meter that gave no readable answer is asked again at its next connection after this time, ms. */
const AGAIN_MS = 3_600_000;
/** Where nobody waits; a stream that begins meanwhile keeps the line for some seconds between two questions, ms. */
const BACKGROUND_MS = 60_000;

const REFUSALS = [
  'DEVICE_REFUSED_COMMAND',
  'DEVICE_REFUSED_PARAMETER',
  'DEVICE_WRONG_STATE',
  'DEVICE_GARBLED',
] as const;

const UNKNOWN: ReportedIdentity = Object.freeze({ type: null, serial: null });

type Parts = Pick<Host, 'clock' | 'log' | 'meter' | 'report' | 'signal'>;

/** The type and serial number of each meter: from a question since the start, else from the table. */
export class Identities implements KeptOfUnits {
  readonly unitTables = [KEPT_IDENTITIES];
  readonly #host: Parts;
  readonly #tables: Tables;
  readonly #known = new Map<string, ReportedIdentity>();
  /** When a meter gave no readable answer, on the monotonic clock. */
  readonly #unansweredAt = new Map<string, number>();

  constructor(host: Parts, tables: Tables) {
    this.#host = host;
    this.#tables = tables;
  }

  /** Nulls where the meter could not be asked now. Never rejects. */
  async of(config: DeviceConfig, signal: AbortSignal): Promise<ReportedIdentity> {
    const known = this.#known.get(keyOf(config));
    if (known) return known;
    const streams = (this.#host.report(config.unitId)?.watchers ?? 0) > 0;
    const asked = streams || !config.tcpEnabled ? undefined : await this.#ask(config, signal, PATIENCE_MS);
    return asked ?? (await this.#kept(config)) ?? UNKNOWN;
  }

  /** Another meter answers at its address, or the unit is gone. Never rejects. */
  async forget(unitId: string): Promise<void> {
    for (const keys of [this.#known, this.#unansweredAt])
      for (const key of keys.keys()) if (JSON.parse(key)[0] === unitId) keys.delete(key);
    await this.#write(unitId, (rows) => rows.remove(KEPT_IDENTITIES, { unitId }));
  }

  /** Its config has changed, or it has just been reached. Never rejects. */
  async meet(config: DeviceConfig): Promise<void> {
    const { history, tcpEnabled, unitId } = config;
    const key = keyOf(config);
    if (history !== 'stream' || !tcpEnabled || this.#known.has(key)) return;
    const unansweredAt = this.#unansweredAt.get(key) ?? Number.NEGATIVE_INFINITY;
    if (this.#host.clock.elapsed() - unansweredAt < AGAIN_MS) return;
    const kept = await this.#kept(config).catch(() => undefined);
    // Each session asks for the serial number first: the same one is the same meter, and its stream goes on.
    if (kept && kept.serial === this.#host.report(unitId)?.identity.serialNumber) {
      this.#known.set(key, kept);
      return;
    }
    if (this.#host.report(unitId)?.state !== 'streaming') await this.#ask(config, this.#host.signal, BACKGROUND_MS);
  }

  async #kept(config: DeviceConfig): Promise<ReportedIdentity | undefined> {
    const { unitId } = config;
    const [kept] = await this.#tables.read((rows) => rows.find(KEPT_IDENTITIES, { where: { unitId } }));
    return kept?.meter === keyOf(config) ? kept : undefined;
  }

  async #write(unit: string, work: Parameters<Tables['write']>[0]): Promise<void> {
    await this.#tables.write(work).catch((error: unknown) => {
      this.#host.log.warn({ unit, err: error }, 'type and serial number of a meter could not be kept');
    });
  }

  /** Undefined: it could not be asked. */
  async #ask(config: DeviceConfig, signal: AbortSignal, deadlineMs: number): Promise<ReportedIdentity | undefined> {
    const { clock, report } = this.#host;
    const timeouts = () => report(config.unitId)?.counters.timeouts ?? 0;
    const before = timeouts();
    try {
      const meter = this.#host.meter(config.unitId);
      meter.assertCan('model', 'serialNumber');
      // Two calls, no reservation: where the session is elsewhere and this gateway dies between them, the stream need not wait for the end of one.
      const caller = { signal, deadlineMs, priority: 'background' } as const;
      const [type, serial] = await Promise.all([meter.perform('model', caller), meter.perform('serialNumber', caller)]);
      const identity = { type, serial };
      const { unitId } = config;
      this.#known.set(keyOf(config), identity);
      const row = { unitId, meter: keyOf(config), ...identity };
      await this.#write(unitId, (rows) => rows.put(KEPT_IDENTITIES, [row]));
      return identity;
    } catch (error) {
      // A meter that was switched off is asked as soon as it is there.
      if (timeouts() > before || isGatewayError(error, ...REFUSALS))
        this.#unansweredAt.set(keyOf(config), clock.elapsed());
      return undefined;
    }
  }
}

/** Another address may be another meter. */
const keyOf = ({ unitId, family, host, tcpPort }: DeviceConfig): string =>
  JSON.stringify([unitId, family, host, tcpPort]);

export async function openIdentities(host: Host, kept: Tables): Promise<Identities> {
  const identities = new Identities(host, kept);
  await forgetRemoved(host, kept, identities);
  const meet = (unitId: string) => {
    const config = host.configs.get(unitId);
    if (config) void identities.meet(config);
  };
  host.configs.onChange(meet, [...METER_FIELDS, 'tcpEnabled', 'history']);
  host.on('exchange', ({ unitId }) => void identities.forget(unitId));
  host.on('reachability', ({ unitId, data }) => {
    if (data.reachability.state === 'online') meet(unitId);
  });
  return identities;
}
