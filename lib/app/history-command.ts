/**
 * The process behind `npm run history`: writes the whole history of a unit to a file, reads it back, and checks the
 * database. A fault that is found is exit code 1.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { WrongWords } from '../access/commands.ts';
import { databaseUrlOf } from '../domain/database-address.ts';
import { countOf } from '../domain/figures.ts';
import { openFileStore } from '../history/sqlite/file-units.ts';
import { verifyFile } from '../history/sqlite/verify.ts';
import { checkHours } from '../history/stored/hour-faults.ts';
import type { UnitStore } from '../history/stored/source.ts';
import { WholeUnits } from '../history/stored/whole-units.ts';
import { finished } from '../history/stored/work.ts';
import { moveOver } from '../system.ts';
import { commandIn, refuseMore, runCommand, say, settingsHere } from './command-line.ts';

const USAGE = `npm run history -- COMMAND [options]

  export UNIT        write the whole history of a meter to a file; stop the gateway first
    --file F           the file; UNIT.jsonl.gz unless it is named. Compressed if its name ends in .gz
  import FILE        take such a file, all or nothing; stop the gateway first
    --as UNIT          under another name than that in the file
  verify             check the database: its pages, and each hour against its minutes and seconds

With database_url the history is that of PostgreSQL; then stop the gateway for verify, too.

  --data-dir D, --config F   the data folder, if not the one of the settings; the settings file
  --help             this text
`;

const MOST_FAULTS = 100;

interface Words {
  readonly path: string;
  readonly database: string;
  readonly rest: readonly string[];
  readonly file?: string | undefined;
  readonly as?: string | undefined;
}

const COMMANDS: Readonly<Record<string, (words: Words) => Promise<void>>> = { export: write, import: take, verify };

await runCommand(
  {
    name: 'history',
    call: 'npm run history --',
    usage: USAGE,
    options: { file: { type: 'string' }, as: { type: 'string' } },
  },
  async (values, [name = '', ...rest]) => {
    const command = commandIn(COMMANDS, name);
    const settings = settingsHere(values);
    const path = join(settings.data_dir, 'history.db');
    if (name !== 'import' && settings.database_url === '' && !existsSync(path))
      throw new Error(`there is no history in ${path}: name the data folder with --data-dir`);
    await command({ ...values, rest, path, database: databaseUrlOf(settings) });
  },
);

function only({ rest }: Words, what: string): string {
  const [word, ...more] = rest;
  if (word === undefined) throw new WrongWords(`name ${what}`);
  refuseMore(more);
  return word;
}

async function storeOf({ path, database }: Words): Promise<UnitStore> {
  if (database === '') return openFileStore(path);
  const { openSharedStore } = await import('../history/postgres/shared-units.ts');
  return openSharedStore(database, path);
}

async function write(words: Words): Promise<void> {
  const unitId = only(words, 'the meter');
  const file = words.file ?? `${unitId}.jsonl.gz`;
  const units = new WholeUnits(await storeOf(words));
  try {
    const known = await units.units();
    if (!known.includes(unitId))
      throw new Error(
        `there is no history of ${JSON.stringify(unitId)}; units with a history: ${known.join(', ') || 'none'}`,
      );
    await writeWhole(file, Readable.from(units.lines(unitId)));
    say(`${unitId} was written to ${file}`);
  } finally {
    await units.close();
  }
}

/** Written under another name and then renamed, so that `file` is never half an export. Does not overwrite a file. */
async function writeWhole(file: string, lines: Readable): Promise<void> {
  const refuseIfThere = () => {
    if (existsSync(file))
      throw new Error(`the file ${file} exists already: remove it, or name another one with --file`);
  };
  refuseIfThere();
  const draft = `${file}.${randomBytes(6).toString('hex')}.part`;
  try {
    const target = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
    if (file.endsWith('.gz')) await pipeline(lines, createGzip(), target);
    else await pipeline(lines, target);
    refuseIfThere();
    await moveOver(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function take(words: Words): Promise<void> {
  const file = only(words, 'the file');
  if (!existsSync(file)) throw new Error(`there is no file ${file}`);
  const units = new WholeUnits(await storeOf(words));
  try {
    const { unitId, hours, intervals } = await units.take(() => linesOf(file), words.as);
    say(`${unitId}: ${countOf(hours, 'hour')} and ${countOf(intervals, 'interval')} were imported from ${file}`);
  } finally {
    await units.close();
  }
}

/** A line that is too long for a string ends the reading with an error; so does a file that is not gzip. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const source = createReadStream(file);
  const input = file.endsWith('.gz') ? source.pipe(createGunzip()) : source;
  source.on('error', (error) => input.destroy(error));
  const failed = once(input, 'error').then(([error]) => Promise.reject(error));
  failed.catch(() => {});
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([lines.next(), failed]);
    if (next.done) return;
    yield next.value;
  }
}

async function verify(words: Words): Promise<void> {
  refuseMore(words.rest);
  if (words.database !== '') return verifyShared(words);
  const { hours, openHours, openSeconds, faults } = verifyFile(words.path);
  const open = `${countOf(openSeconds, 'second')} of ${countOf(openHours, 'hour that is', 'hours that are')} still open`;
  sayFaults(faults, words.path, `whole: ${countOf(hours, 'hour')} in ${words.path}, and ${open}`);
}

function sayFaults(faults: readonly string[], place: string, otherwise: string): void {
  for (const fault of faults) say(`wrong: ${fault}`);
  say(faults.length === 0 ? otherwise : `${countOf(faults.length, 'fault')} in ${place}`);
  if (faults.length > 0) process.exitCode = 1;
}

/** Data that is still in the file is first moved to the database: the gateway must be stopped. */
async function verifyShared(words: Words): Promise<void> {
  const store = await storeOf(words);
  try {
    const units = await finished(store.units());
    const { hours, faults } = await finished(checkHours({ source: store.source, units }, MOST_FAULTS));
    sayFaults(faults, 'the database', `whole: ${countOf(hours, 'hour')} in the database`);
  } finally {
    await store.close();
  }
}
