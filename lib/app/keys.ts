/** The process behind `npm run keys`. */
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { create, list, revoke, unlock, WrongWords } from '../access/commands.ts';
import { type PersonIo, type PersonWords, person } from '../access/people/commands.ts';
import { openJournal } from '../audit/journal.ts';
import { systemClock } from '../clock.ts';
import { createLog } from '../log.ts';
import { KEYS_COMMAND } from '../root.ts';
import type { Settings } from '../settings/index.ts';
import { openSigningKeys } from '../signing/keys.ts';
import {
  keyFromText,
  openStore,
  type Rotation,
  rotateKeyFile,
  rotateStoredSecrets,
  StoreError,
} from '../store/index.ts';
import { commandIn, note, refuseMore, runCommand, say, settingsHere } from './command-line.ts';
import { withKeyAdmin } from './keys-admin.ts';
import { auditLimits, storeSettings } from './wiring.ts';

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

/** Not a setting: only this command uses it. */
const NEW_TEXT = 'NEW_SECRET_KEY';

/** Interruptions: see `store/rotate.ts`. */
const rotateSecrets: Command = async ({ rest }, settings) => {
  refuseMore(rest);
  const { secret_key: present } = settings;
  const { dataDir, keyFile, server } = storeSettings(settings);
  const next = process.env[NEW_TEXT];
  if (present === '') {
    tellRotation(await rotateKeyFile({ dataDir, keyFile, server }).catch(whichKeyFile));
    note(`The new key is in ${keyFile}.`);
  } else if (next) {
    const keys = { oldKey: await keyFromText(present), newKey: await keyFromText(next) };
    tellRotation(await rotateStoredSecrets({ dataDir, server, ...keys }));
    note(`From now on start the gateway with the text of ${NEW_TEXT} as SLM_SECRET_KEY.`);
  } else throw new Error(`the key comes from SLM_SECRET_KEY: give the new one in the environment as ${NEW_TEXT}`);
  note('Backups made before open only with the old key: keep a copy of that key as long as these backups.');
};

/** The gateway may be started with a key file whose name this command does not know. */
function whichKeyFile(error: unknown): never {
  if (!(error instanceof StoreError) || error.problem !== 'key') throw error;
  const hint = 'name the key file that the gateway is started with, by --key-file or SLM_KEY_FILE';
  throw new StoreError('key', `${error.message}; ${hint}`, error);
}

function tellRotation({ resealed, damaged }: Rotation): void {
  note(`${resealed} stored credentials are encrypted with the new key.`);
  if (damaged > 0) note(`${damaged} could not be decrypted with the old key and count as not set: set them again.`);
}

/** Another signing key, while no gateway runs on the data folder. */
const rotateSigning: Command = async ({ rest }, settings) => {
  if (rest.length !== 1 || rest[0] !== 'rotate') throw new WrongWords('evidence takes one word: rotate');
  const around = { clock: systemClock, log: createLog('silent') };
  const store = await openStore({ ...storeSettings(settings), ...around });
  try {
    const audit = await openJournal({ folder: join(settings.data_dir, 'audit'), ...auditLimits(settings), ...around });
    try {
      const keys = await openSigningKeys(store, audit, systemClock);
      const before = keys.fingerprint;
      const { fingerprint } = await keys.rotate();
      say(`Packages of evidence are signed by this key from now on: ${fingerprint}`);
      if (before !== null) say(`It replaces ${before}. Packages that this one signed stay good.`);
      say('Tell the new fingerprint to everybody who checks packages.');
    } finally {
      await audit.close();
    }
  } finally {
    await store.close();
  }
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

await runCommand({ name: 'keys', call: KEYS_COMMAND, usage: USAGE, options: OPTIONS }, (values, [name = '', ...rest]) =>
  commandIn(COMMANDS, name)({ ...values, rest }, settingsHere(values)),
);

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
