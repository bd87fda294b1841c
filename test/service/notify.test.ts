/** Messages of a gateway to systemd: a socket like that of systemd, read by a small program, because Node has no such sockets. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { childEnvironment } from '../support/child-environment.ts';

const MAIN = fileURLToPath(new URL('../../lib/app/main.ts', import.meta.url));
const RECEIVER = `
import socket, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as inbox:
    inbox.bind(sys.argv[1])
    print("bound", flush=True)
    while True:
        for line in inbox.recv(4096).decode().splitlines():
            print(line, flush=True)
`;

t.test(
  'systemd gets READY=1, WATCHDOG=1 and STOPPING=1',
  { skip: !hasPrograms() && 'needs systemd-notify and python3' },
  async (t) => {
    const folder = t.testdir();
    const started = (program: string, args: readonly string[], env: Record<string, string>): ChildProcess => {
      const child = spawn(program, args, {
        env: { ...childEnvironment(), ...env },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      t.teardown(() => child.kill('SIGKILL'));
      return child;
    };
    // The path of such a socket has at most 108 characters.
    const address = join('/tmp', `slm-notify-${process.pid}`);
    const receiver = started('python3', ['-c', RECEIVER, address], {});
    const lines = createInterface({ input: receiver.stdout ?? process.stdin })[Symbol.asyncIterator]();
    const heard = async (wanted: string): Promise<string> => {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`${wanted} was not heard`);
        if (value.startsWith(wanted)) return value;
      }
    };
    await heard('bound');
    t.teardown(() => execFileSync('rm', ['-f', address]));
    const gateway = started(process.execPath, [MAIN, '--port', '0', '--data-dir', join(folder, 'data')], {
      HOME: folder,
      NOTIFY_SOCKET: address,
      WATCHDOG_USEC: '600000',
    });
    const exited = once(gateway, 'exit');
    t.match(await heard('READY='), 'READY=1');
    t.match(await heard('STATUS='), /^STATUS=http.*, \d/);
    t.match([await heard('WATCHDOG='), await heard('WATCHDOG=')], ['WATCHDOG=1', 'WATCHDOG=1']);
    gateway.kill('SIGTERM');
    t.match(await heard('STOPPING='), 'STOPPING=1');
    t.strictSame(await exited, [0, null]);
  },
);

function hasPrograms(): boolean {
  try {
    for (const program of ['systemd-notify', 'python3']) execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
