/**
 * The process: command line, signals, exit codes. 0 after a clean stop, 1 when the gateway cannot start or stop in good
 * order, 2 for wrong settings. The version of Node is looked at before this file is (`node-version.cjs`).
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { messageOf } from './errors.ts';
import type { Gateway } from './gateway.ts';
import { createLog } from './log.ts';
import { ROOT } from './root.ts';
import { helpText, load, masked, type Settings, SettingsError } from './settings/index.ts';
import { VERSION } from './version.ts';

const USUAL_FILE = fileURLToPath(new URL('config/default.json', ROOT));
/** Nothing may keep the process longer than this after the first signal. */
const LAST_RESORT_MS = 10_000;
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

surviveClosedPipes();
await main();

/** Whoever reads the output may go away; the meters are still there. */
function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

async function main(): Promise<void> {
  try {
    const { wishes, settings, warnings } = load({
      argv: process.argv.slice(2),
      env: process.env,
      home: homedir(),
      readText: (path) => readFileSync(path, 'utf8'),
      usualFile: USUAL_FILE,
    });
    if (wishes.help) return say(helpText());
    if (wishes.version) return say(`${VERSION}\n`);
    if (wishes.printSettings) return say(`${JSON.stringify(masked(settings()), undefined, 2)}\n`);
    await serve(settings(), warnings);
  } catch (error) {
    giveUp(error);
  }
}

async function serve(settings: Settings, warnings: readonly string[]): Promise<void> {
  const log = createLog(settings.log_level);
  for (const warning of warnings) log.warn(warning);
  // Loaded here: whoever only asks for help does not wait for it.
  const gateway = import('./gateway.ts').then(({ startGateway }) => startGateway(settings, { log }));
  stopOnSignal(gateway, (error) => log.error({ err: error }, 'the gateway could not stop in good order'));
  // A fault that nobody caught leaves an unknown state behind: say so and let a supervisor start afresh.
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'uncaught fault; the process ends');
    process.exit(1);
  });
  const { announced, port } = await gateway;
  say(`slm-gateway ${VERSION} listens on ${announced.join(' and ') || `port ${port}`}\n`);
}

/** The first signal stops in good order, also while the gateway is still starting; the second one ends at once. */
function stopOnSignal(gateway: Promise<Gateway>, report: (error: unknown) => void): void {
  let stopping = false;
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      if (stopping) process.exit(code);
      stopping = true;
      setTimeout(() => process.exit(1), LAST_RESORT_MS).unref();
      stop(gateway, report);
    });
  }
}

async function stop(gateway: Promise<Gateway>, report: (error: unknown) => void): Promise<void> {
  try {
    const running = await gateway;
    const unclean = await running.stop();
    process.exit(unclean.length === 0 ? 0 : 1);
  } catch (error) {
    report(error);
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
