/**
 * The process: command line, signals, exit codes. 0 after a clean stop, 1 if the gateway cannot start or stop
 * cleanly, 2 for wrong settings.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { createLog, type Log, type LogTarget } from '../log.ts';
import { ROOT } from '../root.ts';
import { helpText, load, maskedSettings, type Settings, SettingsError } from '../settings/index.ts';
import { hangUpEnds } from '../system.ts';
import { VERSION } from '../version.ts';
import type { Running } from './running.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';
import { listensLine, readableLog, welcomeText } from './welcome.ts';

const USUAL_FILE = fileURLToPath(new URL('config/default.json', ROOT));
/** Nothing may keep the process longer than this after the first signal. */
const LAST_RESORT_MS = 10_000;
const HANG_UP_ENDS = hangUpEnds(process.stdin.isTTY);
/** SIGBREAK is Ctrl-Break, only on Windows. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGBREAK: 149, ...(HANG_UP_ENDS && { SIGHUP: 129 }) } as const;

/** Further commands, as the first word, in place of the gateway. */
const COMMANDS: Readonly<Record<string, () => Promise<unknown>>> = {
  keys: () => import('./keys.ts'),
  history: () => import('./history-command.ts'),
  audit: () => import('./audit-check.ts'),
  database: () => import('./database-command.ts'),
};

surviveClosedPipes();
await (commandNamed(process.argv[2]) ?? main)();

/** Takes the word out: a command finds its own words in the same place. */
function commandNamed(word = ''): (() => Promise<unknown>) | undefined {
  const command = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  if (command) process.argv.splice(2, 1);
  return command;
}

/** The reader of the output may end; the gateway continues. */
function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

async function main(): Promise<void> {
  const sources = {
    argv: process.argv.slice(2),
    env: process.env,
    home: homedir(),
    readText: (path: string) => readFileSync(path, 'utf8'),
    usualFile: USUAL_FILE,
  };
  try {
    const { wishes, settings, warnings } = load(sources);
    if (wishes.help) return say(helpText());
    if (wishes.version) return say(`${VERSION}\n`);
    if (wishes.printSettings) return say(`${JSON.stringify(maskedSettings(settings()), undefined, 2)}\n`);
    await serve(settings(), warnings, () => load(sources).settings());
  } catch (error) {
    giveUp(error);
  }
}

async function serve(settings: Settings, warnings: readonly string[], readAgain: () => Settings): Promise<void> {
  const { log_level: level, log_levels: levels, log_format: format } = settings;
  const log = createLog(level, logTarget(settings), levels, format === 'pino');
  for (const warning of warnings) log.warn(warning);
  // Loaded here, so that --help does not wait for it.
  const starting = new AbortController();
  const given = { log, readAgain, stopping: starting.signal };
  const gateway = import('./running.ts').then(({ startRunning }) => startRunning(settings, given));
  const report = (what: string) => (error: unknown) => log.error({ err: error }, what);
  const supervisor = createSupervisor(process.env, systemClock);
  stopOnSignal(gateway, supervisor, log, starting);
  reloadOnSignal(gateway, report('the settings could not be read again'));
  // An uncaught error leaves an unknown state: log it, and let a supervisor start the process again.
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'uncaught error; the process ends');
    process.exit(1);
  });
  const running = await gateway;
  running.ended.catch((error) => {
    log.error({ err: error }, 'this instance cannot go on; the process ends');
    process.exit(1);
  });
  supervisor.ready(`${running.announced.join(' and ') || `port ${running.port}`}, ${VERSION}`);
  const about = { ...running.about(), version: VERSION };
  if (settings.log_stream === 'stderr') say(process.stdout.isTTY ? welcomeText(about) : listensLine(about));
}

function logTarget({ log_format: format, log_stream }: Settings): LogTarget {
  const stream = process[log_stream];
  return format === 'text' || (format === 'auto' && stream.isTTY) ? readableLog(stream) : stream;
}

function reloadOnSignal(gateway: Promise<Running>, report: (error: unknown) => void): void {
  if (HANG_UP_ENDS) return;
  process.on('SIGHUP', () => gateway.then((running) => running.reload()).catch(report));
}

/** The first signal stops the gateway cleanly, also while it is still starting; the second one ends the process at once. */
function stopOnSignal(gateway: Promise<Running>, supervisor: Supervisor, log: Log, starting: AbortController): void {
  let stopping = false;
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      if (stopping) process.exit(code);
      stopping = true;
      supervisor.stopping();
      starting.abort(new Error('the gateway was stopped while it waited for its database'));
      setTimeout(() => process.exit(1), LAST_RESORT_MS).unref();
      stop(gateway, log, starting.signal.reason);
    });
  }
}

/** `unstarted`: the reason of a start that had nothing to stop yet. */
async function stop(gateway: Promise<Running>, log: Log, unstarted: unknown): Promise<void> {
  try {
    const running = await gateway;
    const unclean = await running.stop();
    if (unclean.length === 0) log.info('the gateway has stopped');
    process.exit(unclean.length === 0 ? 0 : 1);
  } catch (error) {
    if (error === unstarted) process.exit(0);
    log.error({ err: error }, 'the gateway could not stop cleanly');
    process.exit(1);
  }
}

function giveUp(error: unknown): void {
  const wrongSettings = error instanceof SettingsError;
  const lines = wrongSettings ? error.problems : [messageOf(error)];
  for (const line of lines) process.stderr.write(`slm-gateway: ${line}\n`);
  process.exitCode = wrongSettings ? 2 : 1;
}

function say(text: string): void {
  process.stdout.write(text);
}
