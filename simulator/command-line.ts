/** Words of the command line become checked options, or a complaint for a person. Starts nothing. */
import { parseArgs } from 'node:util';
import { GATEWAY_COMMAND, SIMULATE_COMMAND } from './package-folder.ts';

export const HELP = `Simulated sound level meters, with the gateway in front of them.

  ${SIMULATE_COMMAND} [options]
  ${SIMULATE_COMMAND} record --to HOST:PORT --out FILE [--port P]
  ${SIMULATE_COMMAND} replay FILE [--port P] [--speed X]

  --meters N        how many meters, 1 to 1000 (5, at three sites); they are the units sim-1 ... sim-N
  --http-port P     port of the gateway, 0 for any free one (8100)
  --host H          address that meters and gateway listen on (127.0.0.1)
  --insecure-no-auth  let other machines control all this, where --host is not only this machine
  --no-gateway      only the meters
  --first-port P    control port of the first meter, P+1 its FTP port, P+2 the next meter (any free ones)
  --seed S          whole number that everything random comes from (1)
  --speed X         time runs X times as fast in the meters, above 0 to 1000 (1)
  --profile NAME    how the meters behave, a file of config/profiles (default)
  --scenario NAME   sound around the meters, a file of config/scenarios (that of their sites, else office)
  --past DAYS       simulated history, 0 to 31 (7; 0 with --ready-json), of the first five meters
  --data-dir DIR    database folder of the gateway; without it a fresh one that goes at the end
  --control-port P  opens the control API on 127.0.0.1, 0 for any free port: faults, sound, time, power, event log
  --ready-json      the first line on standard output is one JSON object with all addresses
  --version         the version of the package
  --help            this text

Every setting of the gateway is taken too, as a flag (--allowed-origins http://localhost:3000) or from the environment
(SLM_ALLOWED_ORIGINS); '${GATEWAY_COMMAND} --help' lists them.

record stands between a client and a meter, passes every byte on untouched and writes a transcript.
replay answers from a transcript, byte for byte and in its time. Both listen on 127.0.0.1, --port 0 takes any free port.
docs/simulator.md is the tutorial.
`;

export type CommandLine = ReturnType<typeof readCommandLine>;

export class WrongCommandLine extends Error {}

interface Known {
  readonly profiles: readonly string[];
  readonly scenarios: readonly string[];
  /** Flags of the gateway, without dashes, and whether one takes a value. */
  readonly gatewayFlags?: ReadonlyMap<string, 'string' | 'boolean'>;
}

export function readCommandLine(words: readonly string[], known: Known) {
  const { own, gateway } = separate(words, known.gatewayFlags ?? new Map());
  const { values } = understood(() => parseArgs({ args: own, options: OWN }));
  if (values['no-gateway'] && gateway.length > 0) {
    throw new WrongCommandLine(`${gateway[0]} is a setting of the gateway, and --no-gateway starts none`);
  }
  return {
    meters: whole('--meters', values.meters ?? '5', 1, 1_000),
    httpPort: whole('--http-port', values['http-port'] ?? '8100', 0, 65_535),
    host: values.host ?? '127.0.0.1',
    gateway: !values['no-gateway'],
    /** Undefined: any free ports. */
    firstPort: optional('--first-port', values['first-port'], 1, 63_000),
    seed: whole('--seed', values.seed ?? '1', 0, 2 ** 31 - 1),
    speed: speed(values.speed ?? '1'),
    profile: oneOf('--profile', values.profile ?? 'default', known.profiles),
    /** Undefined: each meter hears its own place. */
    scenario: values.scenario === undefined ? undefined : oneOf('--scenario', values.scenario, known.scenarios),
    pastDays: whole('--past', values.past ?? (values['ready-json'] ? '0' : '7'), 0, 31),
    dataDir: values['data-dir'],
    /** Undefined: no control API. */
    controlPort: optional('--control-port', values['control-port'], 0, 65_535),
    /** For the gateway: its own flags, and those of this command line that it knows by another name. */
    gatewayWords: [
      ...gateway,
      ...(values.host === undefined ? [] : ['--host', values.host]),
      ...(values['http-port'] === undefined ? [] : ['--port', values['http-port']]),
      ...(values['insecure-no-auth'] ? ['--insecure-no-auth'] : []),
    ],
    readyJson: values['ready-json'] ?? false,
    help: values.help ?? false,
    version: values.version ?? false,
  };
}

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;
const OWN = {
  meters: TEXT,
  'http-port': TEXT,
  host: TEXT,
  'insecure-no-auth': FLAG,
  'no-gateway': FLAG,
  'first-port': TEXT,
  seed: TEXT,
  speed: TEXT,
  profile: TEXT,
  scenario: TEXT,
  past: TEXT,
  'data-dir': TEXT,
  'control-port': TEXT,
  'ready-json': FLAG,
  version: FLAG,
  help: { ...FLAG, short: 'h' },
} as const;

/** A flag that both know is this command line's. */
function separate(words: readonly string[], gatewayFlags: ReadonlyMap<string, 'string' | 'boolean'>) {
  const own: string[] = [];
  const gateway: string[] = [];
  for (let place = 0; place < words.length; place++) {
    const word = words[place] ?? '';
    const name = /^--([a-z0-9-]+)/.exec(word)?.[1] ?? '';
    const type = Object.hasOwn(OWN, name) ? undefined : (gatewayFlags.get(name) ?? negated(name, gatewayFlags));
    if (type === undefined) own.push(word);
    else gateway.push(word);
    const value = words[place + 1];
    if (type === 'string' && !word.includes('=') && value !== undefined) {
      gateway.push(value);
      place += 1;
    }
  }
  return { own, gateway };
}

const negated = (name: string, flags: ReadonlyMap<string, string>) =>
  name.startsWith('no-') && flags.get(name.slice(3)) === 'boolean' ? 'boolean' : undefined;

/** An error of `read` is one for the person. */
export function understood<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new WrongCommandLine(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error));
  }
}

const optional = (flag: string, word: string | undefined, min: number, max: number) =>
  word === undefined ? undefined : whole(flag, word, min, max);

function whole(flag: string, word: string, min: number, max: number): number {
  const value = /^\d+$/.test(word) ? Number(word) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new WrongCommandLine(`${flag} takes a whole number from ${min} to ${max}, not ${JSON.stringify(word)}`);
}

export function speed(word: string): number {
  const value = Number(word);
  if (word.trim() !== '' && value > 0 && value <= 1_000) return value;
  throw new WrongCommandLine(`--speed takes a number above 0, up to 1000, not ${JSON.stringify(word)}`);
}

function oneOf(flag: string, word: string, choices: readonly string[]): string {
  if (choices.includes(word)) return word;
  throw new WrongCommandLine(`${flag} takes ${choices.join(', ')}; there is no ${JSON.stringify(word)}`);
}
