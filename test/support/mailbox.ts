/** A mail server on loopback that keeps what it took. Ends with the test. */
import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { Test } from 'tap';

/** A mail that the server has taken or refused. */
export interface TakenMail {
  readonly to: readonly string[];
  readonly text: string;
  readonly messageId: string;
}

/**
 * Answer to a mail that has come in whole. `never`: none; `cut`: it hangs up; `leave`: 421; `away`: it hangs up before its
 * first word.
 */
export type Verdict = 'take' | 'refuse' | 'never' | 'cut' | 'leave' | 'away';

export class Mailbox {
  /** Answered with 250. */
  readonly taken: TakenMail[] = [];
  /** All that came in whole. */
  readonly seen: TakenMail[] = [];
  verdict: Verdict = 'take';
  /** Before this no mail is answered. */
  held: Promise<unknown> = Promise.resolve();
  /** Answers to an address in place of 250: `450 4.2.0 later`. */
  readonly refusals = new Map<string, string>();
  port = 0;

  /** The text of a mail whose long lines are quoted-printable. */
  static plain = ({ text }: TakenMail): string =>
    text
      .replaceAll('=\r\n', '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));

  /** The files of a mail, by name. */
  static files({ text }: TakenMail): ReadonlyMap<string, Buffer> {
    const parts = text.split(/\r?\n--[-_A-Za-z0-9=.]+(?:--)?\r?\n/).slice(1);
    const named = parts.flatMap((part): [string, Buffer][] => {
      const [head = '', ...rest] = part.split(/\r?\n\r?\n/);
      const name = /filename="?([^"\r\n;]+)/.exec(head)?.[1];
      return name ? [[name, Buffer.from(rest.join(''), 'base64')]] : [];
    });
    return new Map(named);
  }
}

export async function openMailbox(t: Test): Promise<Mailbox> {
  const box = new Mailbox();
  const sockets = new Set<Socket>();
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    closeTimeout: 100,
    onData(stream, session, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', async () => {
        await box.held;
        const text = Buffer.concat(pieces).toString();
        const messageId = /^Message-ID: (\S+)/im.exec(text)?.[1] ?? '';
        const mail = { to: session.envelope.rcptTo.map(({ address }) => address), text, messageId };
        box.seen.push(mail);
        if (box.verdict === 'take') box.taken.push(mail);
        if (box.verdict === 'cut') for (const socket of sockets) socket.destroy();
        else if (box.verdict === 'leave') done(said('421 4.3.2 going down'));
        else if (box.verdict !== 'never') done(box.verdict === 'take' ? null : new Error('not now'));
      });
    },
    onRcptTo({ address }, _session, done) {
      const refusal = box.refusals.get(address);
      done(refusal === undefined ? null : said(refusal));
    },
  });
  server.on('error', () => {});
  server.server.prependListener('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    if (box.verdict === 'away') socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  t.teardown(() => new Promise<void>((resolve) => server.close(resolve)));
  box.port = (server.server.address() as AddressInfo).port;
  return box;
}

const said = (answer: string): Error =>
  Object.assign(new Error(answer.slice(4)), { responseCode: Number(answer.slice(0, 3)) });

/** `plugin_settings.alerts` for it. */
export const mailSettings = ({ port }: Mailbox) => ({
  smtp_host: '127.0.0.1',
  smtp_port: port,
  smtp_security: 'none',
  smtp_from: 'gateway@example.org',
});
