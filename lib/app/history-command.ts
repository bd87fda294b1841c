/**
 * The process behind `npm run history`: writes the whole history of a unit to a file, reads it back, and checks the
 * database. Exit codes: 0 done, 1 failure or fault found, 2 wrong command line or settings.
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
import { messageOf } from '../errors.ts';
import { openFileStore } from '../history/sqlite/file-units.ts';
import { verifyFile } from '../history/sqlite/verify.ts';
import { checkHours } from '../history/stored/hour-faults.ts';
import type { UnitStore } from '../history/stored/source.ts';
import { WholeUnits } from '../history/stored/whole-units.ts';
import { finished } from '../history/stored/work.ts';
import { moveOver } from '../system.ts';
import { commandIn, exitCodeOf, readWords, settingsHere } from './command-line.ts';

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
  /** URL of PostgreSQL; empty: only the file. */
  readonly database: string;
  readonly rest: readonly string[];
  readonly file?: string | undefined;
  readonly as?: string | undefined;
}

const COMMANDS: Readonly<Record<string, (words: Words) => Promise<void>>> = { export: write, import: take, verify };

await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<void> {
  try {
    const { values, positionals } = readWords(argv, { file: { type: 'string' }, as: { type: 'string' } });
    const [name = '', ...rest] = positionals;
    if (values.help) return say(USAGE.trimEnd());
    const command = commandIn(COMMANDS, name);
    const settings = settingsHere(values);
    const { data_dir, database_url } = settings;
    const path = join(data_dir, 'history.db');
    if (name !== 'import' && database_url === '' && !existsSync(path)) {
      throw new Error(`there is no history in ${path}: name the data folder with --data-dir`);
    }
    await command({ ...values, rest, path, database: databaseUrlOf(settings) });
  } catch (error) {
    process.stderr.write(`history: ${messageOf(error)}\n`);
    if (error instanceof WrongWords) process.stderr.write('history: npm run history -- --help shows what it takes\n');
    process.exitCode = exitCodeOf(error);
  }
}

function only({ rest }: Words, what: string): string {
  const [word, more] = rest;
  if (word === undefined) throw new WrongWords(`name ${what}`);
  if (more !== undefined) throw new WrongWords(`${JSON.stringify(more)} is one word too many`);
  return word;
}

async function unitsOf(words: Words): Promise<WholeUnits> {
  return new WholeUnits(await storeOf(words));
}

async function storeOf({ path, database }: Words): Promise<UnitStore> {
  if (database === '') return openFileStore(path);
  const { openSharedStore } = await import('../history/postgres/shared-units.ts');
  return openSharedStore(database, path);
}

async function write(words: Words): Promise<void> {
  const unitId = only(words, 'the meter');
  const file = words.file ?? `${unitId}.jsonl.gz`;
  const units = await unitsOf(words);
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
  const units = await unitsOf(words);
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
  if (words.rest[0] !== undefined) throw new WrongWords(`${JSON.stringify(words.rest[0])} is one word too many`);
  if (words.database !== '') return verifyShared(words);
  const { hours, openHours, openSeconds, faults } = verifyFile(words.path);
  for (const fault of faults) say(`wrong: ${fault}`);
  say(
    faults.length === 0
      ? `whole: ${countOf(hours, 'hour')} in ${words.path}, and ${countOf(openSeconds, 'second')} of ${countOf(openHours, 'hour that is', 'hours that are')} still open`
      : `${countOf(faults.length, 'fault')} in ${words.path}`,
  );
  if (faults.length > 0) process.exitCode = 1;
}

/** Data that is still in the file is first moved to the database: the gateway must be stopped. */
async function verifyShared(words: Words): Promise<void> {
  const store = await storeOf(words);
  try {
    const units = await finished(store.units());
    const { hours, faults } = await finished(checkHours({ source: store.source, units }, MOST_FAULTS));
    for (const fault of faults) say(`wrong: ${fault}`);
    say(
      faults.length === 0
        ? `whole: ${countOf(hours, 'hour')} in the database`
        : `${countOf(faults.length, 'fault')} in the database`,
    );
    if (faults.length > 0) process.exitCode = 1;
  } finally {
    await store.close();
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
