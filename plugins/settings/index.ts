/**
 * The settings of a meter: one path each, and all in one answer. Unknown ones are read one after the other. The meter
 * is not reserved, so operators can use it during the eleven seconds or more. A watched stream is interrupted once.
 */
import { inSeconds, notSupported } from '../../lib/built-in.ts';
import {
  type Caller,
  COMMAND_ERRORS,
  type ErrorCode,
  GatewayError,
  type Host,
  isGatewayError,
  type Meter,
  type Plugin,
  type Reservation,
  type Schema,
} from '../../lib/index.ts';
import type { ReadableMeter, SettingRow } from './setting.ts';
import { settingRows } from './table.ts';

/** After one of these errors no further setting is read: each would fail in the same way, after a wait. */
const GONE: readonly ErrorCode[] = ['DEVICE_UNREACHABLE', 'DEVICE_WEDGED', 'DEVICE_BUSY', 'QUEUE_TIMEOUT'];

const VALUE: Schema = { type: 'string', description: 'The value as its own GET shows it, or `Error: <message>`.' };
/** A sleeping meter does not answer. The mode is a setting that lets it fall asleep, not a command that sends it to sleep. */
const SILENCE =
  'The meter may stop answering whenever it does not measure; then only a person at the meter can wake it.';

const plugin: Plugin = {
  name: 'settings',
  about: 'The settings of a meter, as the meter has them',
  register(host) {
    const rows = settingRows(host.families);
    for (const setting of rows) setting.routes(host);
    sleepSwitches(host);
    host.route({
      method: 'GET',
      path: '/{unit_id}/settings/all',
      access: 'viewer',
      operation: 'getAllSettings',
      summary: 'Read all settings of the meter',
      description:
        'Takes at least one second for each setting, because the meter needs a pause between commands. A setting that cannot be read is a text with the error. While the stream is watched or recorded, settings that were read in the last minute are not asked again.',
      answer: {
        settings: {
          type: 'object',
          description: 'The settings that the family of the meter has.',
          properties: Object.fromEntries(rows.map(({ name }) => [name, VALUE])),
          additionalProperties: false,
        },
      },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        return { settings: await readAll(host, rows, unitId, caller) };
      },
    });
  },
};
export default plugin;

function sleepSwitches(host: Host) {
  for (const [path, on, description] of [['sleep', true, SILENCE] as const, ['wake', false, undefined] as const]) {
    const word = on ? 'on' : 'off';
    host.route({
      method: 'POST',
      path: `/{unit_id}/${path}`,
      access: 'operator',
      operation: on ? 'allowSleep' : 'preventSleep',
      summary: `Switch the sleep mode ${word}`,
      ...(description && { description }),
      answer: { message: { type: 'string' } },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        await host.meter(unitId).perform('setSleepMode', caller, on);
        return { message: [`The sleep mode is ${word}.`, ...(description ? [description] : [])].join(' ') };
      },
    });
  }
}

async function readAll(
  host: Host,
  rows: readonly SettingRow[],
  unitId: string,
  caller: Caller,
): Promise<Record<string, string>> {
  const meter = host.meter(unitId);
  const present = rows.filter((setting) => setting.isIn(meter));
  if (present.length === 0) throw notSupported(unitId, meter.family, 'setting');
  const { clock } = host;
  const settings: Record<string, string> = {};
  const { deadlineMs = Number.POSITIVE_INFINITY } = caller;
  const began = clock.elapsed();
  let before: GatewayError | undefined;
  let gone: GatewayError | undefined;
  // The first question waits for the budget of a watched stream; the others go in the interruption that it has begun.
  let continues = false;
  const leftMs = () => Math.ceil(began + deadlineMs - clock.elapsed());
  const known = await knownOf(meter, present, caller);
  for (const { name, text } of present) {
    const value = known.get(name);
    if (value !== undefined) {
      settings[name] = value;
      continue;
    }
    const limit = Number.isFinite(deadlineMs) ? { deadlineMs: leftMs() } : {};
    const failed: GatewayError | undefined =
      gone ?? (await attempt(name, text, meter, { ...caller, ...limit, continues }, settings));
    continues ||= !failed;
    const failure = failed && leftMs() <= 0 ? tooLate(deadlineMs) : failed;
    if (failure) settings[name] = `Error: ${failure.message}`;
    else host.publish(unitId, 'setting', { name, value: settings[name] ?? '' });
    if (failure && ends(failure, before)) gone = failure;
    before = failure;
  }
  return settings;
}

/** Called before the first command: during commands, frames show other states. */
async function knownOf(
  meter: Meter,
  rows: readonly SettingRow[],
  caller: Caller,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { name, text } of rows) {
    const read = (reservation: Reservation) => text(readableFrom(reservation), caller);
    const known = await meter.known(read, caller);
    if (known) found.set(name, known.value);
  }
  return found;
}

const readableFrom = (reservation: Reservation): ReadableMeter => ({
  perform: (name, _caller, ...values) => reservation.perform(name, ...values),
  readSetting: (name) => reservation.readSetting(name),
});

/** The deadline is for the whole request, not for each setting. */
const tooLate = (ms: number) => new GatewayError('QUEUE_TIMEOUT', `It was not read within ${inSeconds(ms)}.`);

async function attempt(
  name: string,
  text: SettingRow['text'],
  meter: Meter,
  caller: Caller,
  settings: Record<string, string>,
) {
  try {
    settings[name] = await text(meter, caller);
    return undefined;
  } catch (error) {
    // The caller has gone, or the gateway stops: no answer is needed.
    if (!isGatewayError(error) || error.code === 'STOPPING') throw error;
    return error;
  }
}

/** One reply may get lost on a good connection; a second in a row means that the meter cannot be reached. */
const ends = (failure: GatewayError, before: GatewayError | undefined): boolean =>
  GONE.includes(failure.code) || (failure.code === 'DEVICE_TIMEOUT' && before?.code === 'DEVICE_TIMEOUT');
