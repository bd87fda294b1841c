import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import t from 'tap';
import { readCommandLine } from '../../../simulator/command-line.ts';

const KNOWN = { profiles: ['default'], scenarios: ['office'] };

t.test('--control-port is a port, 0 for any free one; without it there is no server', async (t) => {
  t.equal(readCommandLine(['--control-port', '0'], KNOWN).controlPort, 0);
  t.equal(readCommandLine(['--control-port', '8101'], KNOWN).controlPort, 8101);
  t.notOk('controlPort' in readCommandLine([], KNOWN));
  t.throws(() => readCommandLine(['--control-port', 'x'], KNOWN), { message: /--control-port takes a whole number/ });
});

t.test('the process tells the address of its control API, and ends with it', async (t) => {
  const cli = new URL('../../../simulator/cli.ts', import.meta.url).pathname;
  const words = ['--no-gateway', '--meters', '2', '--control-port', '0', '--ready-json', '--speed', '10'];
  const child = spawn(process.execPath, [cli, ...words], { stdio: ['ignore', 'pipe', 'ignore'] });
  t.teardown(() => child.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { control_url: url, meters } = JSON.parse(String(line));
  t.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  const state = (await (await fetch(`${url}/meters`)).json()) as { unit_id: string; tcp_port: number }[];
  t.same(
    state.map(({ unit_id, tcp_port }) => ({ unit_id, tcp_port })),
    meters.map(({ unit_id, tcp_port }: { unit_id: string; tcp_port: number }) => ({ unit_id, tcp_port })),
  );
  t.match(await (await fetch(`${url}/time`)).json(), { speed: 10 });
  child.kill('SIGTERM');
  const [code] = await once(child, 'close');
  t.equal(code, 0);
});
