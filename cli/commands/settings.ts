/** Settings of a meter: asked of it, and set. */
import { givenIn, UNIT, unitPath } from '../command-line.ts';
import { type Command, type CommandCall, WrongWords } from '../contract.ts';
import { printed, printedMessage, table, text } from '../output.ts';

/** Path below the unit to read it, and the property of the body that sets it. */
interface Setting {
  readonly path: string;
  readonly body?: string;
  readonly perChannel?: true;
  readonly switches?: Readonly<Record<string, string>>;
}

const SETTINGS: Readonly<Record<string, Setting>> = {
  clock: { path: 'clock', body: 'datetime', switches: { now: 'clock/sync' } },
  'frequency-weighting': { path: 'frequency-weighting', body: 'weighting', perChannel: true },
  'time-weighting': { path: 'time-weighting', body: 'weighting', perChannel: true },
  channel: { path: 'channel', body: 'state', perChannel: true },
  'measurement-time': { path: 'measurement-time', body: 'preset' },
  'leq-interval': { path: 'leq-interval', body: 'preset' },
  'lp-interval': { path: 'lp-interval', body: 'preset' },
  'index-number': { path: 'index-number', body: 'index' },
  battery: { path: 'battery' },
  'measurement-state': { path: 'measurement-state' },
  results: { path: 'results' },
  sleep: { path: 'sleep/status', switches: { on: 'sleep', off: 'wake' } },
  ftp: { path: 'ftp/status', switches: { on: 'ftp/enable', off: 'ftp/disable' } },
};

const NAMES = Object.keys(SETTINGS);
const SETTABLE = NAMES.filter((name) => SETTINGS[name]?.body ?? SETTINGS[name]?.switches);
const CHANNEL = {
  name: 'channel',
  value: 'NAME',
  help: 'of a weighting: Main, Sub1, Sub2 or Sub3 (Main); of channel: Sub1, Sub2 or Sub3',
  completion: ['Main', 'Sub1', 'Sub2', 'Sub3'],
};

export const SETTING_COMMANDS: readonly Command[] = [
  {
    name: 'get',
    summary: 'Read a setting of the meter, or all of them',
    words: [UNIT, { name: 'SETTING', optional: true, completion: NAMES }],
    options: [CHANNEL],
    examples: ['slm get roof clock', 'slm get roof frequency-weighting --channel Sub1', 'slm get roof'],
    notes: [`SETTING is one of ${NAMES.join(', ')}. Reading all of them takes more than ten seconds.`],
    run: get,
  },
  {
    name: 'set',
    summary: 'Change a setting of the meter',
    words: [UNIT, { name: 'SETTING', completion: SETTABLE }, { name: 'VALUE' }],
    options: [CHANNEL],
    examples: [
      'slm set roof clock now',
      'slm set roof clock "2026/11/21 12:00:00"',
      'slm set roof frequency-weighting C --channel Sub1',
      'slm set roof channel On --channel Sub1',
      'slm set roof measurement-time 15m',
      'slm set roof ftp on',
    ],
    notes: [
      `SETTING is one of ${SETTABLE.join(', ')}.`,
      'Most settings are refused while the meter measures: stop it first.',
    ],
    run: set,
  },
];

async function get(call: CommandCall): Promise<undefined> {
  const { SETTING: name } = call.words;
  const path = `${unitPath(call)}/${name ? settingOf(name).path : 'settings/all'}`;
  const asked = { query: givenIn(call.options, 'channel'), signal: call.signal };
  const answer = await call.client().call<Record<string, unknown>>(path, asked);
  const { status: _status, ...values } = answer;
  const inner = values.settings ?? values.data ?? values;
  return printed(call, inner, () => valuesText(inner as Record<string, unknown>));
}

async function set(call: CommandCall): Promise<undefined> {
  const { UNIT: unit = '', SETTING: name = '', VALUE: value = '' } = call.words;
  const { path, body, switches, perChannel } = settingOf(name);
  const by = switches && Object.hasOwn(switches, value) ? switches[value] : undefined;
  if (by === undefined && body === undefined) {
    throw new WrongWords(switches ? `${name} takes ${Object.keys(switches).join(' or ')}` : `${name} can only be read`);
  }
  if (by !== undefined) return printedMessage(call, call.client().post(unit, by));
  const channel = perChannel && givenIn(call.options, 'channel');
  return printedMessage(call, call.client().set(unit, path, { [body ?? '']: value, ...channel }));
}

/** `get` without a name shows them as the API does, with `_`: that is taken as well. */
function settingOf(given: string): Setting {
  const name = given.replaceAll('_', '-');
  const found = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
  if (!found) throw new WrongWords(`${JSON.stringify(given)} is not a setting; the settings are ${NAMES.join(', ')}`);
  return found;
}

const valuesText = (values: Record<string, unknown>): string =>
  table(
    ['setting', 'value'],
    Object.entries(values).map(([name, value]) => [name, text(value)]),
    'Nothing.',
  );
