/** Mail servers that are slow, in real time: the library of the gateway does not follow the clock of the tests. */
import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import t, { type Test } from 'tap';
import { tryMail } from '../../plugins/alerts/delivery/mail/smtp.ts';
import { VirtualClock } from '../../simulator/clock.ts';

/** Longer than the gateway waited before. */
const LATE_MS = 17_000;

async function opened(t: Test, slow: 'greeting' | 'end'): Promise<{ readonly port: number; readonly ids: string[] }> {
  const ids: string[] = [];
  const later = (what: () => void, isIt: boolean) => (isIt ? setTimeout(what, LATE_MS) : what());
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onConnect: (_session, done) => void later(done, slow === 'greeting'),
    onData(stream, _session, done) {
      let text = '';
      stream.on('data', (piece) => {
        text += String(piece);
      });
      stream.on('end', () => {
        ids.push(/^Message-ID: (\S+)/im.exec(text)?.[1] ?? '');
        later(done, slow === 'end');
      });
    },
  });
  server.on('error', () => {});
  server.server.on('connection', (socket: Socket) => socket.unref());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  t.teardown(() => new Promise<void>((resolve) => server.close(resolve)));
  return { port: (server.server.address() as AddressInfo).port, ids };
}

function send(smtp_port: number) {
  const server = {
    smtp_host: '127.0.0.1',
    smtp_port,
    smtp_security: 'none',
    smtp_from: 'gateway@example.org',
  } as const;
  const unused = { smtp_user: '', smtp_password: '', smtp_ca_file: '', public_url: '', push_contact: '', causes: [] };
  const parts = { clock: new VirtualClock(), settings: { ...server, ...unused }, signal: new AbortController().signal };
  return tryMail({ id: 'msg_1', to: ['site@example.org'], reach: null }, parts, async () => ({ text: 'A test.' }));
}

t.test('a server that greets late, or takes long over a mail, gets the mail once', async (t) => {
  const servers = [await opened(t, 'greeting'), await opened(t, 'end')];
  const sent = await Promise.all(servers.map(({ port }) => send(port)));
  t.match(sent, [{ ok: true }, { ok: true }]);
  t.strictSame(
    servers.map(({ ids }) => ids),
    [['<msg_1@example.org>'], ['<msg_1@example.org>']],
  );
});
