/** The process behind `npm run database`: carries a data folder over into PostgreSQL, and back. */
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { WrongWords } from '../access/commands.ts';
import { systemClock } from '../clock.ts';
import { databaseAddress, databaseUrlOf, databaseWords } from '../domain/database-address.ts';
import { countOf } from '../domain/figures.ts';
import { messageOf } from '../errors.ts';
import type { CopiedHistory } from '../history/stored/store-copy.ts';
import { createLog } from '../log.ts';
import { type Carried, carryBack, carryOver, IDENTITY_FILE } from '../store/postgres/index.ts';
import { releaseLease } from '../store/postgres/lease-store.ts';
import { moveOver } from '../system.ts';
import { runCommand, say, settingsHere } from './command-line.ts';
import { historyBack, historyOver, putHistoryAway } from './history-carried.ts';

const USAGE = `npm run database -- copy [options]

  copy               carry gateway.db and history.db of the data folder into the empty PostgreSQL of database_url (SLM_DATABASE_URL),
                     and compare both; stop the gateway first. The files go to copies/before-postgresql.db and
                     copies/levels-before-postgresql.db
    --back             the other way: make both files of it, for a gateway without database_url

  release            say that the gateway which was active on this database is gone, so that a standby takes over at once;
                     stop that gateway first, else a meter may get two sessions

  --data-dir D, --config F   the data folder, if not the one of the settings; the settings file
  --help                     this text
`;

/** In `copies`, after a copy. */
const KEPT_FILE = 'before-postgresql.db';

await runCommand(
  { name: 'database', call: 'npm run database --', usage: USAGE, options: { back: { type: 'boolean' } } },
  async (values, words) => {
    const settings = settingsHere(values);
    const url = databaseUrlOf(settings);
    if (url === '') throw new WrongWords('database_url is empty: name the PostgreSQL in SLM_DATABASE_URL');
    const command = words.join(' ');
    if (command === 'release') await release(url);
    else if (command === 'copy') await (values.back ? back : over)(resolve(settings.data_dir), url);
    else throw new WrongWords('the commands are copy and release');
  },
);

function around() {
  return { clock: systemClock, log: createLog('warn') };
}

async function over(dataDir: string, url: string): Promise<void> {
  const file = join(dataDir, 'gateway.db');
  if (!existsSync(file)) throw new Error(noFile(dataDir));
  const address = databaseAddress(url);
  tell(await carryOver(address, { dataDir, ...around() }));
  // A gateway without database_url then finds no database, and reports that. It must not continue with the old one.
  const copies = join(dataDir, 'copies');
  await mkdir(copies, { recursive: true, mode: 0o700 });
  const kept = join(copies, KEPT_FILE);
  await moveOver(file, kept);
  await levelsOver(dataDir, url);
  say(
    `Carried over into ${databaseWords(address)}. The file is kept as ${kept}. Start the gateway with the same database_url.`,
  );
}

function noFile(dataDir: string): string {
  const kept = join(dataDir, 'copies', KEPT_FILE);
  if (!existsSync(kept)) return `there is no gateway.db in ${dataDir}: name the data folder with --data-dir`;
  return `${dataDir} was carried over already: its gateway.db is kept as ${kept}. Start the gateway with the database_url that it was carried into. To carry it over once more, into another, empty database, move that file back to ${join(dataDir, 'gateway.db')} first`;
}

/** For an instance that was alone: no standby can know whether it still runs. */
async function release(url: string): Promise<void> {
  const address = databaseAddress(url);
  const name = await releaseLease(address);
  if (name === undefined) throw new Error(`no gateway is active on ${databaseWords(address)}`);
  say(`The lease of ${name} on ${databaseWords(address)} is free: a standby takes it with its next look.`);
}

async function back(dataDir: string, url: string): Promise<void> {
  const file = join(dataDir, 'gateway.db');
  if (existsSync(file)) throw new Error(`${file} is there already: move it away first`);
  const address = databaseAddress(url);
  const levels = await historyBack(dataDir, url);
  tell(await carryBack(address, file, { dataDir, ...around() }));
  tellLevels(levels);
  await rm(join(dataDir, IDENTITY_FILE), { force: true });
  say(
    `Carried back into ${file}. Start the gateway without database_url; ${databaseWords(address)} is not needed any more.`,
  );
}

/** The tables are carried over already: a gateway can go on from here, and carries the rest of the levels itself. */
async function levelsOver(dataDir: string, url: string): Promise<void> {
  try {
    tellLevels(await historyOver(dataDir, url));
    await putHistoryAway(dataDir);
  } catch (error) {
    process.exitCode = 1;
    say(
      `The levels were not carried over as a whole: ${messageOf(error)}. They are still in history.db; a gateway with this database_url carries them while it works.`,
    );
  }
}

function tellLevels(levels: CopiedHistory | undefined): void {
  if (levels)
    say(
      `${String(levels.hours).padStart(9)}  ${levels.hours === 1 ? 'hour' : 'hours'} and ${countOf(levels.intervals, 'interval')} of ${countOf(levels.units, 'meter')}`,
    );
}

function tell(carried: readonly Carried[]): void {
  for (const { table, rows, sha256 } of carried) say(`${String(rows).padStart(9)}  ${sha256.slice(0, 16)}  ${table}`);
}
