/**
 * A gateway that mirrors a card is killed (SIGKILL) at random bytes of its transfers, again and again. Meanwhile files are
 * added, grow and are replaced. In the end every file is here whole. Each gateway is a process of its own on the same folder.
 * `npm run test:more`; MIRROR_KILLS: how often, 10 times unless it is set.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { seeded } from '../../simulator/random.ts';
import { startFtpDouble } from '../support/ftp-double.ts';
import { gatewayProcess } from '../support/gateway-process.ts';

const KILLS = Number(process.env.MIRROR_KILLS ?? 10);
const PIECE = 16_384;
const LONGEST_MS = 30_000;
const random = seeded(20_251_224);
const below = (most: number) => 1 + Math.floor(random() * most);
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The card: files that change from one round to the next, and a count of the bytes that were sent of them. */
class Card {
  readonly files = new Map<string, { bytes: Buffer; minute: number }>();
  sent = 0;
  onSent = () => {};
  #minute = 0;

  change(): void {
    this.#minute += 1;
    const names = [...this.files.keys()];
    const name = names[below(names.length) - 1];
    const present = name === undefined ? undefined : this.files.get(name);
    const kind = random();
    if (present && name && kind < 0.3) {
      const bytes = Buffer.concat([present.bytes, this.#made(below(200_000))]);
      this.files.set(name, { bytes, minute: this.#minute });
    } else if (present && name && kind < 0.5) {
      this.files.set(name, { bytes: this.#made(present.bytes.length), minute: this.#minute });
    } else {
      this.files.set(`${this.#minute}.rnd`, { bytes: this.#made(below(900_000)), minute: this.#minute });
    }
  }

  listing(): string {
    const time = (minute: number) => {
      const two = (value: number) => String(value % 60).padStart(2, '0');
      return `${two(Math.floor(minute / 60))}:${two(minute)}`;
    };
    return [...this.files]
      .map(
        ([name, { bytes, minute }]) => `-rw-rw-rw-   1 root  root  ${bytes.length} Dec 24 ${time(minute)} ${name}\r\n`,
      )
      .join('');
  }

  *read(name: string, from: number): Generator<Buffer> {
    const bytes = this.files.get(name)?.bytes ?? Buffer.of();
    for (let at = from; at < bytes.length; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE);
      this.sent += piece.length;
      this.onSent();
      yield piece;
    }
  }

  #made(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let at = 0; at < length; at += 1) bytes[at] = Math.floor(random() * 256);
    return bytes;
  }
}

/** The meter: an FTP server that knows REST. */
async function meterWith(t: Test, card: Card): Promise<number> {
  let from = 0;
  const { port } = await startFtpDouble(t, {
    folders: { '/JOB': '' },
    answers: {
      LIST: (session) => session.send(card.listing()),
      REST(session, byte) {
        from = Number(byte);
        session.reply('350 go on');
      },
      RETR(session, path) {
        const begin = from;
        from = 0;
        return session.send(Readable.from(card.read(path.replace(/^.*\//, ''), begin), { objectMode: false }));
      },
    },
  });
  return port;
}

interface Page {
  readonly data: readonly { readonly path: string; readonly state: string; readonly sha256: string }[];
  readonly next: string | null;
}

/** With only the mirror, and without the rest between two commands. */
const FLAGS = ['--plugins', 'config,jobs,mirror', '--meter-spacing-ms', '0', '--unsafe-spacing'];

t.test(`after ${KILLS} kills at random bytes every file is whole`, { timeout: 900_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'slm-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const card = new Card();
  const ftpPort = await meterWith(t, card);
  let midway = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    card.change();
    const { child, base, ask, kill: end } = await gatewayProcess(t, folder, FLAGS);
    const ended = once(child, 'exit');
    if (kill === 0) {
      const mirror = { paths: ['/JOB'], parse: false };
      const config = { host: '127.0.0.1', ftp_port: ftpPort, ftp_enabled: true, tcp_enabled: false, mirror };
      t.equal((await ask('PUT', '/roof/config', config)).status, 200);
    }
    const limit = card.sent + below(700_000);
    let byBytes = false;
    card.onSent = () => {
      if (card.sent < limit || byBytes) return;
      byBytes = true;
      midway += 1;
      child.kill('SIGKILL');
    };
    await ask('POST', '/roof/mirror', {}).catch(() => undefined);
    // A round may have less to fetch than that: it is killed when it is done, or a little before or after.
    const quiet = new AbortController();
    const done = settled(base, quiet.signal)
      .then(() => setTimeout(below(20)))
      .catch(() => undefined);
    await Promise.race([ended, done, setTimeout(LONGEST_MS, undefined, { signal: quiet.signal }).catch(() => {})]);
    await end();
    quiet.abort();
  }
  card.onSent = () => {};
  t.ok(midway > KILLS / 3, `${midway} of them in the middle of a file`);

  const { base, ask, kill } = await gatewayProcess(t, folder, FLAGS);
  await settled(base, AbortSignal.timeout(LONGEST_MS));
  await ask('POST', '/roof/mirror', {});
  await settled(base, AbortSignal.timeout(LONGEST_MS));
  const rows: Page['data'][number][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page = (await ask('GET', `/roof/files?limit=1000${query}`)).json;
    rows.push(...page.data);
    cursor = page.next;
  }
  t.equal(rows.length, card.files.size);
  for (const { path, state, sha256 } of rows) {
    const wanted = hash(card.files.get(path.replace('/JOB/', ''))?.bytes ?? Buffer.of());
    const served = await fetch(`${base}/roof/files/content?path=${encodeURIComponent(path)}`);
    t.strictSame([state, sha256, hash(Buffer.from(await served.arrayBuffer()))], ['complete', wanted, wanted], path);
  }
  await kill();
});

/** No job waits or runs. */
async function settled(base: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { data } = (await (await fetch(`${base}/_jobs?state=queued,running`, { signal })).json()) as Page;
    if (data.length === 0) return;
    await setTimeout(50, undefined, { signal });
  }
}
