/** How long a mail server may take (RFC 5321, 4.5.3.2). The timers of the library run on the clock of the test. */
import { type AddressInfo, createServer, Socket } from 'node:net';
import t, { type Test } from 'tap';
import { tryMail } from '../../plugins/alerts/delivery/mail/smtp.ts';
import { VirtualClock } from '../../simulator/clock.ts';

const [GREETING_MS, AFTER_DOT_MS, STEP_MS] = [300_000, 600_000, 4_000];

/** Until the test ends, timers of Node and the limits of silent sockets are timers of this clock. */
function timersOf(t: Test, clock: VirtualClock): void {
  const { setTimeout, clearTimeout } = globalThis;
  const setSilence = Socket.prototype.setTimeout;
  t.teardown(() => {
    Object.assign(globalThis, { setTimeout, clearTimeout });
    Socket.prototype.setTimeout = setSilence;
  });
  const cancels = new WeakMap<object, () => void>();
  const start = (fire: () => void, ms = 0) => {
    // A turn of the event loop, by the clock itself.
    if (ms <= 1) return setTimeout(fire, ms);
    const timer = { unref: () => timer };
    cancels.set(timer, clock.after(ms, fire));
    return timer;
  };
  const stop = (timer: NodeJS.Timeout) => {
    const cancel = typeof timer === 'object' ? cancels.get(timer) : undefined;
    if (cancel) cancel();
    else clearTimeout(timer);
  };
  Object.assign(globalThis, { setTimeout: start, clearTimeout: stop });
  Socket.prototype.setTimeout = function silence(ms: number) {
    let cancel = () => {};
    const begin = () => {
      cancel();
      if (ms > 0) cancel = clock.after(ms, () => this.emit('timeout'));
    };
    cancels.get(this)?.();
    cancels.set(this, () => {
      cancel();
      this.off('data', begin);
    });
    if (ms > 0) this.prependListener('data', begin);
    begin();
    return this;
  };
}

const GREETING = '220 here\r\n';

/** A mail server that greets and takes mails when the test says so. */
class SlowServer {
  port = 0;
  /** Of each mail that came whole. */
  readonly ids: string[] = [];
  #socket: Socket | undefined;
  #came = () => {};

  static async open(t: Test): Promise<SlowServer> {
    const slow = new SlowServer();
    const server = createServer((socket) => slow.#serve(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => {
      slow.#socket?.destroy();
      server.close();
    });
    slow.port = (server.address() as AddressInfo).port;
    return slow;
  }

  #serve(socket: Socket): void {
    this.#socket = socket;
    let mail: string | undefined;
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      const text = String(bytes);
      if (mail !== undefined || /^DATA/m.test(text)) mail = (mail ?? '') + text;
      if (mail === undefined) socket.write('250 yes\r\n'.repeat(text.trim().split('\r\n').length));
      else if (/^DATA\r\n$/.test(mail)) socket.write('354 go on\r\n');
      if (mail?.endsWith('\r\n.\r\n')) {
        this.ids.push(/^Message-ID: (\S+)/im.exec(mail)?.[1] ?? '');
        mail = undefined;
        this.#came();
      }
    });
    this.#came();
  }

  /** Resolves when the next client connects, or the next mail has come whole. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#came = resolve;
    });
  }

  say(line: string): void {
    this.#socket?.write(`${line.trim()}\r\n`);
  }

  leave(): void {
    this.#socket?.destroy();
  }
}

async function opened(t: Test) {
  const clock = new VirtualClock();
  const server = await SlowServer.open(t);
  timersOf(t, clock);
  const settings = {
    smtp_host: '127.0.0.1',
    smtp_port: server.port,
    smtp_security: 'none',
    smtp_from: 'gateway@example.org',
    smtp_user: '',
    smtp_password: '',
    smtp_ca_file: '',
    public_url: '',
    push_contact: '',
    causes: [],
  } as const;
  const { signal } = new AbortController();
  const send = () =>
    tryMail({ id: 'msg_1', to: ['site@example.org'], reach: null }, { clock, settings, signal }, async () => ({
      text: 'A test.',
    }));
  /** So much time, with turns for the sockets. */
  const pass = (ms: number) => clock.pass(ms, { stepMs: STEP_MS });
  return { clock, server, send, pass };
}

t.test('a server that greets after almost 5 min and takes almost 10 min for a mail gets it, and once', async (t) => {
  const { server, send, pass } = await opened(t);
  const connected = server.next();
  const sending = send();
  await connected;
  await pass(GREETING_MS - STEP_MS);
  const whole = server.next();
  server.say(GREETING);
  await whole;
  await pass(AFTER_DOT_MS - STEP_MS);
  server.say('250 taken');
  t.match(await sending, { ok: true });
  t.strictSame(server.ids, ['<msg_1@example.org>']);
});

t.test('a server that does not greet for 5 min did not accept the mail', async (t) => {
  const { clock, server, send } = await opened(t);
  const connected = server.next();
  const sending = send();
  await connected;
  const sent = await clock.until(sending, { stepMs: STEP_MS });
  t.match(sent, { ok: false, outcome: /^The mail server did not accept the mail: / });
  t.ok(clock.elapsed() >= GREETING_MS && clock.elapsed() < GREETING_MS + 2 * STEP_MS, `after ${clock.elapsed()} ms`);
});

const ENDINGS: Readonly<Record<string, (server: SlowServer) => void>> = {
  'says nothing for 10 min': () => {},
  'says 421': (server) => server.say('421 4.3.2 going down'),
  'breaks off': (server) => server.leave(),
};

for (const [what, end] of Object.entries(ENDINGS))
  t.test(
    `a server that ${what} after the whole mail: not known, and the next try has the same Message-ID`,
    async (t) => {
      const { clock, server, send } = await opened(t);
      for (let tries = 0; tries < 2; tries++) {
        const began = clock.elapsed();
        const connected = server.next();
        const sending = send();
        await connected;
        const whole = server.next();
        server.say(GREETING);
        await whole;
        end(server);
        const { ok, outcome } = await clock.until(sending, { stepMs: STEP_MS });
        t.equal(ok, false);
        t.match(outcome, /^It is not known whether the mail server has taken the mail: .* same Message-ID\.$/);
        const waited = clock.elapsed() - began;
        if (what.includes('10 min'))
          t.ok(waited >= AFTER_DOT_MS && waited < AFTER_DOT_MS + 2 * STEP_MS, `${waited} ms`);
      }
      t.strictSame(server.ids, ['<msg_1@example.org>', '<msg_1@example.org>']);
    },
  );
