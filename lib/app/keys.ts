/**
 * The process behind `npm run keys`: command line to command. Exit codes: 0 done, 1 it failed, 2 wrong
 * command line or settings.
 */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { create, list, revoke, unlock, WrongWords } from '../access/commands.ts';
import { type PersonIo, type PersonWords, person } from '../access/people/commands.ts';
import { systemClock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { KEYS_COMMAND } from '../root.ts';
import { type Settings, SettingsError } from '../settings/index.ts';
import { commandIn, exitCodeOf, readWords, settingsHere } from './command-line.ts';
import { withKeyAdmin } from './keys-admin.ts';

const USAGE = `${KEYS_COMMAND} COMMAND [options]

  create --name N --role R   make an API key; R is viewer, operator or admin. The key is printed once
    --units A,B                limited to these units
    --tags A,B                 or to the units with one of these tags
    --expires T                for 12h, 90d or 4w, or until a day such as 2027-01-31
  list                       all keys with their standing and last use
  revoke ID                  take a key back
  unlock ADDRESS             let an address in again that was locked out for wrong passwords
  person add --name N --role R   somebody who signs in by name and password; the password is asked for,
                             or read from standard input
    --units A,B or --tags A,B  limited to these units
    --no-password              somebody whom a proxy in front of the gateway signs in
  person list                everybody who may sign in
  person role NAME --role R  another role; with --units or --tags other units, '*' for all
  person password NAME       another password
  person remove NAME         nobody any more; open sessions end, as with role and password
  rotate-secrets             a new key for the stored FTP credentials; stop the gateway first
    --key-file F               the key file, if the gateway is started with one of its own
  evidence rotate            another key for packages of evidence; stop the gateway first

  --data-dir D, --config F   the data folder, if not the one of the settings; the settings file
  --help                     this text
`;

type Command = (words: PersonWords, settings: Settings) => Promise<void>;

const withKeys =
  (work: (words: PersonWords, io: PersonIo) => Promise<void>): Command =>
  (words, settings) =>
    withKeyAdmin(settings, systemClock, (admin) => work(words, { admin, clock: systemClock, say, note, secret }));

const rotateSecrets: Command = async ({ rest }, settings) => {
  if (rest.length > 0) throw new WrongWords(`${JSON.stringify(rest[0])} is one word too many`);
  const { rotate } = await import('./rotate-secrets.ts');
  for (const line of await rotate(settings, process.env)) note(line);
};

const rotateSigning: Command = async ({ rest }, settings) => {
  if (rest.length !== 1 || rest[0] !== 'rotate') throw new WrongWords('evidence takes one word: rotate');
  const { rotateSigningKey } = await import('./rotate-signing.ts');
  for (const line of await rotateSigningKey(settings)) say(line);
};

const COMMANDS: Readonly<Record<string, Command>> = {
  create: withKeys(create),
  list: withKeys(list),
  revoke: withKeys(revoke),
  unlock: withKeys(unlock),
  'rotate-secrets': rotateSecrets,
  evidence: rotateSigning,
  person: withKeys(person),
};

const TEXT = { type: 'string' } as const;
const OPTIONS = {
  name: TEXT,
  role: TEXT,
  units: TEXT,
  tags: TEXT,
  expires: TEXT,
  'key-file': TEXT,
  'no-password': { type: 'boolean' },
} as const;

await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<void> {
  try {
    const { values, positionals } = readWords(argv, OPTIONS);
    const [name = '', ...rest] = positionals;
    if (values.help) return say(USAGE.trimEnd());
    const command = commandIn(COMMANDS, name);
    const settings = settingsHere(values);
    await command({ ...values, rest }, settings);
  } catch (error) {
    giveUp(error);
  }
}

/** On a terminal without showing the input, and twice; elsewhere the first line of standard input. */
async function secret(question: string): Promise<string> {
  const isTerminal = process.stdin.isTTY === true;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: isTerminal });
  const ask = async (words: string) => {
    if (isTerminal) process.stderr.write(`${words}: `);
    const answer = await lines.question('');
    if (isTerminal) process.stderr.write('\n');
    return answer;
  };
  try {
    const first = await ask(question);
    if (isTerminal && (await ask('Once more')) !== first) throw new WrongWords('the two passwords differ');
    return first;
  } finally {
    lines.close();
  }
}

function giveUp(error: unknown): void {
  const lines = error instanceof SettingsError ? error.problems : [messageOf(error)];
  for (const line of lines) note(`keys: ${line}`);
  if (error instanceof WrongWords) note(`keys: ${KEYS_COMMAND} --help shows what it takes`);
  process.exitCode = exitCodeOf(error);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
