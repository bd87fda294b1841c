/**
 * Many test files in one process, so that their imports are loaded once. `npm test` runs the files of `test/shares`. Each
 * takes one test file after another, until none is left. A file can still run separately, without a difference: its `t` is
 * the root of its own tests, with its own hooks and its own end.
 */
import { globSync, statfsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { FileRuns } from './file-runs.ts';
import { BEFORE_RELEASE, SLOW } from './slow-files.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const filesAt = (pattern: string) => globSync(pattern, { cwd: ROOT }).map((path) => path.replaceAll(sep, '/'));
/** Of one file; a busy machine needs a few seconds for most. */
const FILE_LIMIT_MS = 120_000;
/** Of a long one, or one with a browser: the longest takes 71 s beside six others. */
const LONG_FILE_LIMIT_MS = 360_000;
/** Before a release: the longest takes five minutes. */
const LONGEST_FILE_LIMIT_MS = 900_000;
/** After its last file a process ends: what is still open then is named, and does not hold up the others. */
const END_LIMIT_MS = 20_000;
const TESTS = filesAt('test/**/*.test.ts');
const BROWSER = filesAt('test/browser/*.ts');
const waits = (file: string) => file in BEFORE_RELEASE;
const forEachChange = (file: string) => !waits(file);
/** Run once for every profile of the simulated meter by `npm run test:profiles`. */
const FOR_PROFILES = filesAt('test/{e2e,foreign}/*.test.ts');
/** Files of test/e2e that use most of the store, beside the tests of PostgreSQL itself. */
const ON_SERVER = ['every-endpoint', 'notes', 'auto-exclude', 'stations', 'settings', 'part-states'];
/** `instances.ts` is in no share: its clock is moved while the database works, so it runs beside nothing else. */
const POSTGRES = filesAt('test/postgres/*.ts').filter((file) => file !== 'test/postgres/instances.ts');
/** For Node: MB of young objects. */
const YOUNG_OBJECTS = ['--min-semi-space-size=32', '--max-semi-space-size=64'];
/** Most of what tests write is databases, which wait for the disk: where the system has a folder in memory with room, they go there. */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 2 ** 30;
if (roomIn(MEMORY) > ROOM_BYTES) process.env.TMPDIR ??= MEMORY;

withoutRecords();

/** The module in place of tap finds the test of a file here. */
const KEY = 'tests of a shared process';
const tests = new Map<string, Test>();
Object.assign(globalThis, { [Symbol.for(KEY)]: tests });

/**
 * A module in place of another. Its text is its address: with a hook that loads modules, Node 22 would load packages of
 * others in a way that makes some of them fail.
 */
const standIn = (text: string) => ({ url: `data:text/javascript,${encodeURIComponent(text)}`, shortCircuit: true });
/**
 * tap follows every promise of a process, to know which test an uncaught error belongs to. In a process that runs many files
 * this costs time that grows with the promises; `blame` knows as well.
 */
const DOMAIN = standIn('export class Domain { destroy() {} }');
/** A test file's tap is the subtest that it runs in. */
const tapOf = (file: string) => standIn(`export default globalThis[Symbol.for('${KEY}')].get(${JSON.stringify(file)})`);

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    if (specifier === 'async-hook-domain') return DOMAIN;
    return specifier === 'tap' && tests.has(parentURL) ? tapOf(parentURL) : next(specifier, context);
  },
});
const { default: t } = await import('tap');

/** Work that processes share, by kind: the files, and the time limit of one file. `slow-files.ts` says which of them run when. */
const KINDS = {
  /** `npm test`: all that do not take long. */
  usual: { files: () => TESTS.filter((file) => !(file in SLOW) && forEachChange(file)), limitMs: FILE_LIMIT_MS },
  /** `npm run test:slow`: the others. */
  slow: {
    files: () => [...TESTS.filter((file) => file in SLOW), ...filesAt('test/more/*.ts').filter(forEachChange)],
    limitMs: LONG_FILE_LIMIT_MS,
  },
  /** Files that need a browser: these wait for real time, and for the browser. */
  browser: { files: () => BROWSER.filter(forEachChange), limitMs: LONG_FILE_LIMIT_MS },
  moreBrowser: { files: () => BROWSER.filter(waits), limitMs: LONGEST_FILE_LIMIT_MS },
  /** The tests that need PostgreSQL, and the end-to-end tests that meet most of the store, with the gateway on it. */
  cluster: {
    files: () => [...POSTGRES.filter(forEachChange), ...ON_SERVER.map((name) => `test/e2e/${name}.test.ts`)],
    limitMs: LONG_FILE_LIMIT_MS,
  },
  moreCluster: { files: () => POSTGRES.filter(waits), limitMs: LONGEST_FILE_LIMIT_MS },
  /** `npm run test:more`: what needs neither. */
  more: {
    files: () => [...TESTS, ...filesAt('test/more/*.ts')].filter(waits),
    limitMs: LONGEST_FILE_LIMIT_MS,
  },
  /** Files that run for every profile of the simulated meter. */
  profile: { files: () => FOR_PROFILES, limitMs: FILE_LIMIT_MS },
  /** Files that also run on the oldest and the newest Node: the client and `slm`, on the gateway from the sources. */
  version: {
    files: () =>
      [
        'test/client/{client,streams}.test.ts',
        'test/cli/{command-line,commands}.test.ts',
        'test/e2e/config.test.ts',
      ].flatMap(filesAt),
    limitMs: LONG_FILE_LIMIT_MS,
  },
} as const;

/** Runs, kind after kind, what no other process of this run of tap has begun: the longest first, one file after another. */
export async function share(...kinds: readonly (keyof typeof KINDS)[]): Promise<void> {
  t.setTimeout(0);
  for (const sign of ['uncaughtException', 'unhandledRejection']) process.on(sign, (error) => blame(t, error));
  // Node takes a process apart by waiting for every handle, and has been seen to wait for ever: what is done ends at once.
  process.once('beforeExit', () => process.once('exit', () => process.exit()));
  const lists = kinds.map((kind) => ({
    runs: new FileRuns(`${kind} ${process.version}`, new Set(KINDS[kind].files())),
    ...KINDS[kind],
  }));
  // A process failed although each file passed: nobody knows which one it was.
  if (lists.every(({ runs }) => runs.havePassed)) for (const { runs } of lists) runs.runAll();
  for (const { runs, limitMs } of lists)
    for (let file = runs.next(); file !== undefined; file = runs.next()) {
      const name = file;
      const results = await t.test(name, { timeout: limitMs }, (t) => run(t, name));
      runs.ended(results?.ok === true);
    }
  setTimeout(() => {
    console.error(`still open after the last file: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit();
  }, END_LIMIT_MS).unref();
}

/** The same on the server of `DATABASE_URL`, or on one of this process. */
export async function shareOnServer(...kinds: readonly ('cluster' | 'moreCluster')[]): Promise<void> {
  const { sharedPostgres } = await import('./postgres.ts');
  process.env.DATABASE_URL ??= await sharedPostgres();
  await share(...kinds);
}

async function run(t: Test, file: string): Promise<void> {
  const address = new URL(`../../${file}`, import.meta.url).href;
  tests.set(address, t);
  // Its folders are databases, too.
  t.testdirName = join(tmpdir(), `slm-${process.pid}-${file.replaceAll('/', '-')}`);
  await import(address);
}

/**
 * tap has Node write down what a process loads and starts, for coverage. Where none is wanted, the process begins again
 * without that, and with room for objects that do not live long: hundreds of gateways end here, and a sixth of all work was to
 * collect what they leave. Windows cannot, and goes on as it is.
 */
function withoutRecords(): void {
  const { NODE_OPTIONS = '', NODE_CHANNEL_FD, _TAPJS_PROCESSINFO_COVERAGE_: coverage, ...env } = process.env;
  const options = NODE_OPTIONS.replace(/"?--import=[^" ]*processinfo[^" ]*"?/, '');
  if (coverage === '0' && options !== NODE_OPTIONS)
    process.execve?.(process.execPath, [process.execPath, ...YOUNG_OBJECTS, ...process.argv.slice(1)], {
      ...env,
      NODE_OPTIONS: options,
    });
}

/** Free bytes; 0 if there is no such folder. */
function roomIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** An uncaught error fails the innermost running test. */
function blame(t: Pick<Test, 'activeSubtests' | 'threw'>, error: unknown): void {
  const [running] = t.activeSubtests;
  if (running) blame(running as Test, error);
  else t.threw(error);
}
