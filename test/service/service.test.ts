/** The files that make a service of the gateway: for systemd and for containers, and the messages to systemd. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createSupervisor } from '../../lib/app/supervisor.ts';
import { gatewayFlags } from '../../lib/settings/index.ts';
import { environmentName, SETTING_NAMES } from '../../lib/settings/schema.ts';
import { readCommandLine } from '../../simulator/command-line.ts';
import { VirtualClock } from '../../simulator/index.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const { version, engines } = JSON.parse(read('package.json'));
const UNIT = fileURLToPath(new URL('service/slm-gateway.service', ROOT));
const unit = read('service/slm-gateway.service');
const image = read('Dockerfile');
const compose = read('compose.yaml');
const flagsIn = (text: string) => [...text.matchAll(/ --([a-z-]+)=/g)].map(([, name = '']) => name);

t.test('systemd gets ready, watchdog and stop, as often as it wants', async (t) => {
  const clock = new VirtualClock();
  const told: string[] = [];
  const notify = (assignments: readonly string[]) => void told.push(assignments.join(' '));
  const supervisor = createSupervisor({ NOTIFY_SOCKET: '/run/x', WATCHDOG_USEC: '60000000' }, clock, notify);
  await clock.advance(120_000);
  t.strictSame(told, [], 'nothing before it is ready');
  supervisor.ready('on port 8100\nnow');
  await clock.advance(45_000);
  supervisor.stopping();
  await clock.advance(120_000);
  t.strictSame(told, ['READY=1 STATUS=on port 8100 now', 'WATCHDOG=1', 'WATCHDOG=1', 'STOPPING=1']);
});

t.test(
  'outside of systemd, and without a watchdog or with that of another process, there is less to tell',
  async (t) => {
    for (const [env, lines] of [
      [{}, 0],
      [{ WATCHDOG_USEC: '1000000' }, 0],
      [{ NOTIFY_SOCKET: '/run/x' }, 1],
      [{ NOTIFY_SOCKET: '/run/x', WATCHDOG_USEC: '1000000', WATCHDOG_PID: '1' }, 1],
    ] as const) {
      const clock = new VirtualClock();
      let told = 0;
      const supervisor = createSupervisor(env, clock, () => {
        told += 1;
      });
      supervisor.ready('');
      await clock.advance(10_000);
      t.equal(told, lines, JSON.stringify(env));
    }
  },
);

t.test(
  'systemd takes the unit, and it is hardly exposed',
  { skip: !hasSystemd() && 'systemd-analyze is not here' },
  async (t) => {
    t.equal(execFileSync('systemd-analyze', ['verify', UNIT], { encoding: 'utf8', stdio: 'pipe' }), '');
    const rating = execFileSync('systemd-analyze', ['security', '--offline=true', UNIT], { encoding: 'utf8' });
    t.ok(Number(/exposure level for .*: (\d+\.\d+)/.exec(rating)?.[1]) <= 2);
  },
);

function hasSystemd(): boolean {
  try {
    execFileSync('systemd-analyze', ['--version'], { stdio: 'ignore' });
    return existsSync('/usr/bin/node');
  } catch {
    return false;
  }
}

t.test('unit, image and compose file name settings, files and versions that there are', async (t) => {
  for (const flag of flagsIn(unit).filter((name) => !name.startsWith('max-'))) t.ok(gatewayFlags().has(flag), flag);
  const variables = [...image.matchAll(/\b(SLM_[A-Z_]+)=/g)].map(([, name = '']) => name);
  t.ok(variables.length > 2);
  for (const name of variables)
    t.ok(
      SETTING_NAMES.some((setting) => environmentName(setting) === name),
      name,
    );
  t.match(unit, 'dist/lib/start.cjs');
  for (const program of ['cli', 'lib', 'simulator']) {
    t.match(image, `dist/${program}/start.cjs`);
    t.ok(existsSync(new URL(`${program}/start.cjs`, ROOT)), program);
  }
  t.match(compose, `slm-gateway:${version}`);
  t.notMatch(compose, new RegExp(`slm-gateway:(?!${version.replaceAll('.', '\\.')})`));
  const [, words = ''] = /command: \[(.*)\]/.exec(compose) ?? [];
  const argv = words.split(', ').map((word) => word.replaceAll('"', ''));
  t.match(readCommandLine(argv, { profiles: ['default'], scenarios: ['office'] }), { gateway: false, firstPort: 2255 });
});

t.test('the image runs as a user without rights, keeps one volume, and says how it fares', async (t) => {
  const [, last = ''] = image.split(/^FROM .*\n(?![\s\S]*^FROM )/m);
  const lines = last.split('\n').filter((line) => /^[A-Z]+ /.test(line));
  const of = (word: string) => lines.filter((line) => line.startsWith(`${word} `));
  t.strictSame(of('USER'), ['USER node']);
  t.ok(lines.indexOf('USER node') < lines.findIndex((line) => line.startsWith('ENTRYPOINT')));
  t.notOk(
    lines.slice(lines.indexOf('USER node')).some((line) => line.startsWith('RUN ')),
    'nothing is installed as it',
  );
  t.strictSame(of('VOLUME'), ['VOLUME /var/lib/slm']);
  t.match(of('HEALTHCHECK')[0], '--interval');
  t.match(last, '/readyz');
  // podman leaves that of an image out.
  const command = (text: string) => /\["(?:CMD", ")?node", .*\]/.exec(text)?.[0].replace('"CMD", ', '');
  t.ok(command(image));
  t.equal(command(compose), command(image), 'in the compose file, too');
  const [major] = /\d+/.exec(engines.node) ?? ['0'];
  for (const [, base = ''] of image.matchAll(/^FROM (\S+)/gm))
    t.ok(Number(/^node:(\d+)/.exec(base)?.[1]) >= Number(major), base);
  for (const word of ['read_only: true', 'cap_drop: [ALL]', 'no-new-privileges:true']) t.match(compose, word);
});
