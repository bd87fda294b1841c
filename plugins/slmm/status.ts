/** The last values of a unit as SLMM keeps them in a row, made of the gateway's status. */
import type { UnitStatus } from '../../lib/built-in.ts';
import { type DeviceConfig, iso, reaches } from '../../lib/index.ts';
import { type SlmmGateway, type SlmmRequest, slmmTime } from './route.ts';

interface Poll {
  readonly last_poll: string | null;
  readonly last_success: string | null;
  readonly last_error: { readonly detail: string; readonly resolved_at: string | null } | null;
  readonly consecutive_failures: number;
}

/** By unit; only units that the caller may see. */
async function pollsOf(gateway: SlmmGateway, request: SlmmRequest): Promise<ReadonlyMap<string, Poll>> {
  const { units } = await gateway.ask(request, { method: 'GET', path: '/_polling/status' });
  return new Map((units as readonly (Poll & { unit_id: string })[]).map((one) => [one.unit_id, one]));
}

/** The units that the caller may see, with their rows. */
export async function unitsFor(gateway: SlmmGateway, request: SlmmRequest) {
  const polls = await pollsOf(gateway, request);
  const seen = gateway.host.configs.list().filter(({ unitId }) => reaches(request.identity, unitId));
  return seen.map((config) => ({ config, row: statusRow(gateway, config, polls.get(config.unitId)) }));
}

export async function rowFor(gateway: SlmmGateway, request: SlmmRequest): Promise<StatusRow | undefined> {
  const config = gateway.host.configs.of(request.unitId);
  return statusRow(gateway, config, (await pollsOf(gateway, request)).get(config.unitId));
}

export type StatusRow = NonNullable<ReturnType<typeof statusRow>>;

/** The state in SLMM's words: `Start` while the meter measures. */
export const stateWord = (state: string | null): 'unknown' | 'Start' | 'Stop' =>
  state === null ? 'unknown' : state === 'Stop' ? 'Stop' : 'Start';

const NO_VALUE = '-.-';

/** SLMM passes the text of the meter on: null means that nothing was read. */
export const slmmText = (level: string | null, wasRead: boolean): string | null => level ?? (wasRead ? NO_VALUE : null);

/** `raw_payload` is null: the line is not stored here. `counter` belongs to the frames of the stream. */
export const measuredValues = ({ values }: UnitStatus) => ({
  measurement_state: stateWord(values.measurementState),
  measurement_start_time: slmmTime(values.measurementStartTime),
  counter: null,
  lp: slmmText(values.lp, values.lpAt !== null),
  leq: slmmText(values.leq, values.levelsAt !== null),
  lmax: slmmText(values.lmax, values.levelsAt !== null),
  lmin: slmmText(values.lmin, values.levelsAt !== null),
  lpeak: slmmText(values.lpeak, values.levelsAt !== null),
  ln1: slmmText(values.ln1, values.levelsAt !== null),
  ln2: slmmText(values.ln2, values.levelsAt !== null),
  battery_level: values.batteryState ?? values.batteryLevel,
  power_source: values.powerSource,
  sd_remaining_mb: values.sdRemainingMb,
  sd_free_ratio: values.sdFreeRatio,
  raw_payload: null,
});

/** Undefined: the unit was never tried, and has no row. */
function statusRow({ host }: SlmmGateway, { unitId }: DeviceConfig, poll: Poll | undefined) {
  const known = host.status.of(unitId);
  const reachability = host.reachability(unitId);
  const { lastSeen } = known.values;
  if (lastSeen === null && (reachability === undefined || reachability.reachable === null)) return undefined;
  const { counter: _, ...values } = measuredValues(known);
  const error = poll?.last_error ?? null;
  return {
    unit_id: unitId,
    last_seen: slmmTime(lastSeen ?? reachability?.lastError?.at),
    ...values,
    is_reachable: reachability?.reachable ?? true,
    consecutive_failures: poll?.consecutive_failures ?? 0,
    last_poll_attempt: slmmTime(poll?.last_poll),
    last_success: slmmTime(poll?.last_success ?? iso(reachability?.lastSuccess ?? null)),
    last_error: error && error.resolved_at === null ? error.detail : null,
  };
}
