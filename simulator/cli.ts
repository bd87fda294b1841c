/**
 * `npm run simulate`: meters and gateway until SIGINT or SIGTERM. Standard output has the addresses and nothing else; with
 * --ready-json its first line is one JSON object. Exit code 0 after a clean stop, 1 when something fails, 2 on a wrong flag.
 */
import manifest from '../package.json' with { type: 'json' };
import { type CommandLine, HELP, readCommandLine, WrongCommandLine } from './command-line.ts';
import type { ControlServer } from './control/server.ts';
import type { Demo } from './demo/demo.ts';
import type { FleetMember } from './fleet.ts';
import { SIMULATE_COMMAND } from './package-folder.ts';

const say = (text: string) => process.stderr.write(`${text}\n`);

async function main(): Promise<number> {
  const [first, ...rest] = process.argv.slice(2);
  if (first === 'record' || first === 'replay') return runRecorder(first, rest);
  if (!(await hasFtpServer())) {
    say('The simulator needs the package ftp-srv, a development dependency: run `npm ci` without --omit=dev.');
    return 1;
  }
  const options = await readOptions();
  if (!options) return 2;
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (options.version) {
    process.stdout.write(`${manifest.version}\n`);
    return 0;
  }
  await run(options);
  return 0;
}

async function runRecorder(kind: 'record' | 'replay', words: readonly string[]): Promise<number> {
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(HELP);
    return 0;
  }
  const tools = await import('./replay/command-line.ts');
  const output = { out: (line: string) => void process.stdout.write(`${line}\n`), err: say };
  try {
    await tools[kind](words, output, stopAsked());
    return 0;
  } catch (error) {
    return complaint(error);
  }
}

function complaint(error: unknown): number {
  if (!(error instanceof WrongCommandLine)) throw error;
  say(`${error.message}\n${SIMULATE_COMMAND} --help shows all options.`);
  return 2;
}

/** Absent from a production install. */
const hasFtpServer = (): Promise<boolean> =>
  import('ftp-srv').then(
    () => true,
    () => false,
  );

async function readOptions(): Promise<CommandLine | null> {
  const { profileNames } = await import('./profile.ts');
  const { scenarioNames } = await import('./acoustics/scenario.ts');
  try {
    const gatewayFlags = await (await import('./demo/demo.ts')).gatewayFlags();
    return readCommandLine(process.argv.slice(2), {
      profiles: profileNames(),
      scenarios: scenarioNames(),
      gatewayFlags,
    });
  } catch (error) {
    complaint(error);
    return null;
  }
}

async function run(options: CommandLine): Promise<void> {
  const asked = stopAsked();
  const { PacedClock } = await import('./control/paced-clock.ts');
  const { startControlServer } = await import('./control/server.ts');
  const { startFleet, stopFleet } = await import('./fleet.ts');
  const { meters, host, seed, profile, scenario = 'office', speed } = options;
  const clock = new PacedClock(speed);
  const fleet = await startFleet({
    meters,
    firstPort: options.firstPort,
    host,
    seed,
    profile,
    scenario,
    sampleStores: meters <= SHOWN,
    clock,
  });
  let control: ControlServer | null = null;
  try {
    // One meter measures already, so that the first look shows something.
    fleet[0]?.meter.set('Measure', 'Start');
    const { controlPort } = options;
    if (controlPort !== undefined) {
      control = await startControlServer({ meters: fleet, clock, port: controlPort, sound: { scenario } });
    }
    const demo = options.gateway ? await openDemo(fleet, options) : null;
    announce(fleet, demo, control, options.readyJson);
    await asked;
    say('stopping');
    await demo?.stop();
  } finally {
    await control?.close();
    await stopFleet(fleet);
  }
}

async function openDemo(fleet: readonly FleetMember[], options: CommandLine): Promise<Demo> {
  const { startDemo } = await import('./demo/demo.ts');
  const { host, httpPort, gatewayWords, dataDir, pastDays, seed, scenario } = options;
  const past = { pastDays, seed, siteSounds: scenario === undefined };
  return startDemo(fleet, { host, port: httpPort, gatewayWords, warn: say, dataDir, ...past });
}

function stopAsked(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
}

function announce(
  fleet: readonly FleetMember[],
  demo: Demo | null,
  control: ControlServer | null,
  json: boolean,
): void {
  if (json) process.stdout.write(`${JSON.stringify(addresses(fleet, demo, control))}\n`);
  (json ? process.stderr : process.stdout).write(forPeople(fleet, demo, control));
}

const addresses = (fleet: readonly FleetMember[], demo: Demo | null, control: ControlServer | null) => ({
  ready: true,
  base_url: demo?.baseUrl ?? null,
  ...(control && { control_url: control.url }),
  meters: fleet.map(({ unitId, meter }) => ({
    unit_id: unitId,
    host: meter.host,
    tcp_port: meter.tcpPort,
    ftp_port: meter.ftpPort,
  })),
});

/** Long lists of meters are cut: the JSON has them all. */
const SHOWN = 10;

function forPeople(fleet: readonly FleetMember[], demo: Demo | null, control: ControlServer | null): string {
  const dashboard = demo?.dashboardUrl ? [`Open ${demo.dashboardUrl} in a browser.`] : [];
  const meters = fleet
    .slice(0, SHOWN)
    .map(({ unitId, meter }) => `${unitId}: control port ${meter.host}:${meter.tcpPort}, FTP port ${meter.ftpPort}`);
  const lines = [...dashboard, ...meters];
  if (fleet.length > SHOWN) lines.push(`... and ${fleet.length - SHOWN} more`);
  if (demo) lines.push(`gateway: ${demo.baseUrl}`, 'Try:', ...samples(demo.baseUrl).map((line) => `  ${line}`));
  if (control) lines.push(`control API: ${control.url}`);
  return `${lines.join('\n')}\nCtrl-C stops everything.\n`;
}

const samples = (baseUrl: string) => [
  `curl ${baseUrl}/sim-1/live`,
  `curl ${baseUrl}/sim-1/measurement-state`,
  `curl -X POST ${baseUrl}/sim-1/stop`,
];

// Node waits for sockets that still close, at times for ever: the process is ended here, after its last words.
const end = (code: number) => process.stdout.write('', () => process.exit(code));
main().then(end, (error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  end(1);
});
