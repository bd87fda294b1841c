/** A port that leads to a PostgreSQL. It can go silent, break off, lose only the answer to a commit, or hold an answer back. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

export interface Relay {
  /** The same database through this port. */
  readonly url: string;
  /** No more bytes on the present connections, and no end: half-open connections. */
  goSilent(): void;
  /** The connection on which a statement with this text comes next reads no more of what the server answers. */
  stallAt(text: string): void;
  /** Ends the connections there are. */
  breakOff(): void;
  /** The next answer after a commit was sent is lost, and the connection with it. */
  loseNextCommit(): void;
  /** Keeps an answer back, the first from now or a later one; other connections go on. */
  holdAnswer(place: number): HeldAnswer;
  /** Connections are ended as soon as they come. */
  takeNoMore(): void;
  takeAgain(): void;
  /** Nobody listens any more. */
  close(): Promise<void>;
}

export interface HeldAnswer {
  /** Resolves when the answer is here. */
  readonly held: Promise<void>;
  /** Lets it pass, and what came after it; if it has not come, it passes when it does. */
  release(): void;
}

/** The server has answered, and is ready for the next statement outside of a transaction. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');

/** Ends with the test. */
export async function openRelay(t: Test, url: string): Promise<Relay> {
  const target = new URL(url);
  const host = decodeURIComponent(target.hostname);
  const to = host.startsWith('/')
    ? { path: `${host}/.s.PGSQL.${target.port || 5_432}` }
    : { host, port: Number(target.port || 5_432) };
  const links = new Set<{ readonly near: Socket; readonly far: Socket; silent: boolean }>();
  let loseCommit = false;
  let stall: string | undefined;
  let holding: { left: number; readonly kept: Buffer[]; of?: Socket; begin(): void } | undefined;
  /** Whether these bytes of the server are kept back. */
  const keeps = (near: Socket, bytes: Buffer): boolean => {
    if (!holding) return false;
    if (!holding.of && bytes.subarray(-READY.length).equals(READY)) {
      holding.left -= 1;
      if (holding.left === 0) {
        holding.of = near;
        holding.begin();
      }
    }
    if (holding.of !== near) return false;
    holding.kept.push(bytes);
    return true;
  };
  let open = true;
  const server = createServer((near) => {
    if (!open) return void near.destroy();
    const far = connect(to);
    const link = { near, far, silent: false };
    links.add(link);
    let lost = false;
    near.on('data', (bytes) => {
      if (loseCommit && bytes.includes('commit')) {
        loseCommit = false;
        lost = true;
      }
      if (stall !== undefined && bytes.includes(stall)) {
        stall = undefined;
        far.pause();
      }
      if (!link.silent) far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (lost) near.destroy();
      else if (!link.silent && !keeps(near, bytes)) near.write(bytes);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => {
        links.delete(link);
        if (!link.silent) other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakOff = () => {
    for (const { near, far } of links) for (const end of [near, far]) end.destroy();
  };
  const close = async () => {
    breakOff();
    if (server.listening) await once(server.close(), 'close');
  };
  t.teardown(close);
  const here = new URL(url);
  here.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: here.href,
    goSilent: () => {
      for (const link of links) link.silent = true;
    },
    stallAt: (text) => {
      stall = text;
    },
    breakOff,
    loseNextCommit: () => {
      loseCommit = true;
    },
    holdAnswer: (place) => {
      const { promise: held, resolve: begin } = Promise.withResolvers<void>();
      const own: NonNullable<typeof holding> = { left: place, kept: [], begin };
      holding = own;
      return {
        held,
        release: () => {
          if (holding === own) holding = undefined;
          for (const bytes of own.kept) own.of?.write(bytes);
        },
      };
    },
    takeNoMore: () => {
      open = false;
    },
    takeAgain: () => {
      open = true;
    },
    close,
  };
}
