/**
 * The whole table of the first contract in the default demo, where both meters are recorded and polled. Each answer has its shape.
 * A person's question is answered within 3 s. A command takes no longer than with the history off, but for one break of the stream.
 */
import t, { type Test } from 'tap';
import { openDemo, quantileOf, type Timed, timed } from '../support/demo.ts';
import {
  ALL_SETTINGS,
  CONTROLS,
  type ContractRequest,
  downloadOf,
  FILES,
  FTP_OFF,
  FTP_ON,
  READINGS,
  RESULTS,
  SETTERS,
  START,
} from '../support/first-contract.ts';
import type { World } from '../support/world.ts';

/** Between two questions of a person, ms. */
const PAUSE_MS = 10_000;
/** The stream ends, and the meter rests: so much later than without a stream a command is sent. ms */
const BREAK_MS = 1_200;
const BESIDE_MS = 500;
const READING_MS = 3_000;
const ALL_SETTINGS_MS = 14_000;
/** A server of files needs some time to start. ms */
const FTP_START_MS = 5_000;

/** Asks it, holds its answer against the contract, and waits until the next question. */
async function ask(t: Test, world: World, request: ContractRequest): Promise<Timed> {
  const { method, path, json, answer } = request;
  const name = `${method} ${path}`;
  const found = await timed(world, `/sim-1/${path}`, { method, ...(json && { json }) });
  t.equal(found.status, 200, `${name}: ${JSON.stringify(found.body)?.slice(0, 200)}`);
  if (answer) t.match(found.body, answer, name);
  await world.pass(PAUSE_MS);
  return { ...found, path: name };
}

/** The path of the first file of the card, from this folder downwards. */
async function fileIn(world: World, folder: string): Promise<string> {
  const { body } = await timed(world, `/sim-1/ftp/files?path=${encodeURIComponent(folder)}`);
  const [entry] = body.files;
  return entry.is_dir ? fileIn(world, entry.path) : entry.path;
}

/** The table from its first line to its last one, with these readings of a measurement. */
async function wholeTable(t: Test, world: World, readings: readonly ContractRequest[]): Promise<readonly Timed[]> {
  const found: Timed[] = [];
  const askAll = async (...requests: readonly ContractRequest[]) => {
    for (const request of requests) found.push(await ask(t, world, request));
  };
  await askAll(...SETTERS, START, ...readings, ...CONTROLS, RESULTS, FTP_ON);
  await world.pass(FTP_START_MS);
  await askAll(FILES);
  const file = await fileIn(world, '/NL-43');
  await askAll(downloadOf(file));
  t.match(found.at(-1)?.headers.get('content-disposition'), /^attachment; filename=/);
  await askAll(FTP_OFF);
  return found;
}

const isCommand = ({ path }: Timed): boolean => !path.startsWith('GET');

const MISTAKES: readonly (readonly [status: number, method: string, path: string, json?: object])[] = [
  [404, 'GET', '/nobody/live'],
  [404, 'POST', '/nobody/start'],
  [422, 'PUT', '/sim-1/index-number', { index: 10_000 }],
  [422, 'PUT', '/sim-1/frequency-weighting', { weighting: 'B' }],
  [422, 'GET', '/sim-1/time-weighting?channel=Sub4'],
];

t.test('the table of the first contract holds beside recorded streams', { timeout: 600_000 }, async (t) => {
  const recorded = await openDemo(t);
  await recorded.pass(60_000);
  const found = await wholeTable(t, recorded, [...READINGS, ALL_SETTINGS]);
  for (const [status, method, path, json] of MISTAKES) {
    const answer = await timed(recorded, path, { method, ...(json && { json }) });
    t.match(answer, { status, body: { detail: String } }, `${method} ${path}`);
  }
  await recorded.put('/sim-2/config', { tcp_enabled: false });
  t.match(await timed(recorded, '/sim-2/live'), { status: 403, body: { detail: String } });

  const isLong = ({ path }: Timed) => path.endsWith(ALL_SETTINGS.path);
  const waits = found.filter((answer) => !isCommand(answer) && !isLong(answer)).map(({ ms }) => ms);
  t.ok(quantileOf(waits, 0.95) <= READING_MS, `GET p95 ${quantileOf(waits, 0.95)} ms`);
  for (const { path, ms } of found)
    if (path.endsWith(ALL_SETTINGS.path)) t.ok(ms <= ALL_SETTINGS_MS, `${path} ${ms} ms`);

  const alone = await openDemo(t);
  for (const unit of ['sim-1', 'sim-2']) await alone.put(`/${unit}/config`, { history: 'off', poll_enabled: false });
  await alone.pass(60_000);
  const quiet = (await wholeTable(t, alone, [])).filter(isCommand);
  for (const [index, { path, ms }] of found.filter(isCommand).entries()) {
    const without = quiet[index]?.ms ?? 0;
    t.ok(ms <= without + BESIDE_MS + BREAK_MS, `${path}: ${ms} ms, and ${without} ms with the history off`);
  }
});
