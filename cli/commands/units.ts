/** The units that the gateway knows: list, add, change, remove. */
import { readFileSync } from 'node:fs';
import { type Config, type ConfigChange, GatewayProblem, type Unit } from '../../client/index.ts';
import { listIn, UNIT } from '../command-line.ts';
import { type Command, type CommandCall, type Option, WrongWords } from '../contract.ts';
import { duration, level, measuring, printed, printedMessage, printedRows, table, text } from '../output.ts';

/** Fields of a config that are options of `add`. A password comes from a file. */
const FIELDS: readonly (Option & {
  readonly field: keyof ConfigChange | 'ftp_password';
  /** Its value from the text that was given; text where it is left out. */
  readonly read?: (text: string, option: string) => unknown;
})[] = [
  { name: 'port', value: 'N', help: 'TCP port of the meter (2255)', field: 'tcp_port', read: numberOf },
  { name: 'name', value: 'TEXT', help: 'what people call it', field: 'name' },
  { name: 'place', value: 'TEXT', help: 'where it stands', field: 'place' },
  { name: 'timezone', value: 'ZONE', help: 'such as Europe/Berlin', field: 'timezone' },
  { name: 'tags', value: 'A,B', help: 'words for searching and grouping', field: 'tags', read: listIn },
  { name: 'verified-until', value: 'DATE', help: 'last day of its legal verification', field: 'verified_until' },
  { name: 'sim-valid-until', value: 'DATE', help: 'last day of its SIM card', field: 'sim_valid_until' },
  {
    name: 'history',
    value: 'WHAT',
    help: 'what is recorded: off, poll or stream',
    field: 'history',
    completion: ['off', 'poll', 'stream'],
  },
  {
    name: 'history-channels',
    value: 'A,B',
    help: 'channels that are recorded: main, and others that the meter gives (main)',
    field: 'history_channels',
    read: listIn,
  },
  {
    name: 'poll',
    value: 'SECONDS',
    help: 'how often it is read in the background (60)',
    field: 'poll_interval_seconds',
    read: numberOf,
  },
  { name: 'ftp-port', value: 'N', help: 'FTP port of the meter (21)', field: 'ftp_port', read: numberOf },
  { name: 'ftp-user', value: 'NAME', help: 'FTP user, if it is not the usual one', field: 'ftp_username' },
  {
    name: 'ftp-password-file',
    value: 'FILE',
    help: 'file with the FTP password',
    field: 'ftp_password',
    completion: 'file',
    read: secretIn,
  },
];

const LISTS: readonly string[] = ['tags', 'history_channels'];

export const UNITS: readonly Command[] = [
  {
    name: 'units',
    summary: 'List the meters with their last level and reachability',
    options: [
      { name: 'tag', value: 'WORD', help: 'only those with this tag' },
      { name: 'state', value: 'A,B', help: 'only those that are online, degraded, offline, asleep? or wedged' },
      { name: 'find', value: 'TEXT', help: 'only those with this text in id, name or place' },
    ],
    examples: ['slm units', 'slm units --state offline,wedged', 'slm units --json'],
    async run(call) {
      const { tag, state, find } = call.options as Record<string, string | undefined>;
      const head = ['unit', 'name', 'state', 'measurement', 'Lp', 'Leq', 'battery', 'seen'];
      const units = call.client().units({ tag, state, q: find });
      return printedRows(call, units, head, row, 'No meters. slm add adds one.');
    },
  },
  {
    name: 'add',
    summary: 'Add a meter to the gateway',
    words: [{ name: 'UNIT' }, { name: 'HOST' }],
    options: [
      ...FIELDS.map(({ field: _field, read: _read, ...option }) => option),
      { name: 'ftp', help: 'allow files to be fetched by FTP' },
    ],
    examples: ['slm add roof 192.0.2.40', 'slm add roof 192.0.2.40 --name "North roof" --history stream --ftp'],
    notes: ['You choose UNIT: letters, digits, dot, dash and underscore. HOST is the address or name of the meter.'],
    async run(call) {
      const { UNIT: unit = '', HOST: host = '' } = call.words;
      const known = await call.client().config(unit).catch(unlessUnknown);
      if (known) throw new Error(`${unit} exists already, at ${known.host}: slm edit changes it`);
      const body = { host, ...fieldsOf(call), ...(call.options.ftp === true && { ftp_enabled: true }) };
      return changed(call, unit, body as ConfigChange);
    },
  },
  {
    name: 'config',
    summary: 'Show the config of a meter: address, polling, history',
    words: [UNIT],
    examples: ['slm config roof'],
    async run(call) {
      const config = await call.client().config(call.words.UNIT ?? '');
      return printed(call, config, () => configText(config));
    },
  },
  {
    name: 'edit',
    summary: 'Change the config of a meter',
    words: [UNIT, { name: 'FIELD=VALUE', many: true }],
    options: [{ name: 'ftp-password-file', value: 'FILE', help: 'file with a new FTP password', completion: 'file' }],
    examples: [
      'slm edit roof name="North roof" history=stream',
      'slm edit roof poll_enabled=false',
      'slm edit roof host=192.0.2.41 tcp_port=2256',
    ],
    notes: ['The fields are those that slm config shows.'],
    run: (call) =>
      changed(call, call.words.UNIT ?? '', { ...assignments(call.rest), ...passwordOf(call) } as ConfigChange),
  },
  {
    name: 'remove',
    summary: 'Remove a meter from the gateway',
    words: [UNIT],
    options: [{ name: 'yes', help: 'required, because the config and the last values are removed' }],
    examples: ['slm remove roof --yes'],
    notes: ['Its recorded levels stay until they are too old.'],
    async run(call) {
      if (call.options.yes !== true) throw new WrongWords('add --yes to remove the unit');
      return printedMessage(call, call.client().remove(call.words.UNIT ?? ''));
    },
  },
];

const row = (unit: Unit): string[] => [
  unit.unit_id,
  text(unit.name),
  unit.tcp_enabled ? unit.state : 'disabled',
  measuring(unit.measurement_state),
  level(unit.lp),
  level(unit.leq),
  unit.battery_level === null ? '-' : `${unit.battery_level} %`,
  unit.age_s === null ? '-' : `${duration(unit.age_s)} ago`,
];

/** If the name is wrong, too, the answer to the change says so. */
function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof GatewayProblem) || ![404, 422].includes(error.status)) throw error;
}

async function changed(call: CommandCall, unit: string, body: ConfigChange): Promise<undefined> {
  const answer = await call.client().configure(unit, body);
  return printed(call, answer.data, () =>
    [answer.message, ...(answer.warning ? [`Warning: ${answer.warning}`] : [])].join('\n'),
  );
}

const configText = (config: Config): string =>
  table(
    ['field', 'value'],
    Object.entries(config).map(([name, value]) => [name, text(value)]),
    '',
  );

function fieldsOf({ options }: CommandCall): Record<string, unknown> {
  const given = FIELDS.flatMap(({ name, field, read }) => {
    const value = options[name];
    return typeof value === 'string' ? [[field, read ? read(value, name) : value]] : [];
  });
  return Object.fromEntries(given);
}

function passwordOf({ options }: CommandCall): object {
  const file = options['ftp-password-file'];
  return typeof file === 'string' ? { ftp_password: secretIn(file) } : {};
}

function secretIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new WrongWords(`the password file cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function numberOf(value: string, name: string): number {
  if (/^\d+$/.test(value)) return Number(value);
  throw new WrongWords(`--${name} takes a whole number, not ${JSON.stringify(value)}`);
}

/** Fields that are always text: a meter may be called 12. */
const TEXTS = ['name', 'place', 'host', 'timezone', 'ftp_username'];

/** `name=value` as JSON: true, false, null, numbers, and what begins with a brace or bracket; all else is text. */
function assignments(words: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, value = ''] = /^([a-z_]+)=([\s\S]*)$/.exec(word) ?? [];
      if (name === undefined) throw new WrongWords(`${JSON.stringify(word)} is no FIELD=VALUE`);
      if (name === 'ftp_password')
        throw new WrongWords('a password is not taken from the command line: use --ftp-password-file');
      if (TEXTS.includes(name)) return [name, value];
      return [name, LISTS.includes(name) && !value.startsWith('[') ? listIn(value) : jsonOrText(value)];
    }),
  );
}

function jsonOrText(value: string): unknown {
  if (!/^(true|false|null|-?\d+(\.\d+)?|[[{][\s\S]*)$/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
