/** A port that leads to a PostgreSQL, and can go silent, break off, or lose just the answer to a commit. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

export interface Relay {
  /** The same database by way of this port. */
  readonly url: string;
  /** Nothing passes any more on the connections there are, and nobody is told: a half-open connection. */
  goSilent(): void;
  /** Ends the connections there are. */
  breakOff(): void;
  /** The next answer after a commit was sent is lost, and the connection with it. */
  loseNextCommit(): void;
  /** Connections are ended as soon as they come. */
  takeNoMore(): void;
  takeAgain(): void;
  /** Nobody listens any more. */
  close(): Promise<void>;
}

/** Ends with the test. */
export async function openRelay(t: Test, url: string): Promise<Relay> {
  const target = new URL(url);
  const host = decodeURIComponent(target.hostname);
  const to = host.startsWith('/')
    ? { path: `${host}/.s.PGSQL.${target.port || 5_432}` }
    : { host, port: Number(target.port || 5_432) };
  const links = new Set<{ readonly near: Socket; readonly far: Socket; silent: boolean }>();
  let loseCommit = false;
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
      if (!link.silent) far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (lost) near.destroy();
      else if (!link.silent) near.write(bytes);
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
    breakOff,
    loseNextCommit: () => {
      loseCommit = true;
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
