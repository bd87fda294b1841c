/** Time of a frame from its meter to a viewer: the meter belongs to this gateway, or to another instance. */
import { globSync, readFileSync, readlinkSync } from 'node:fs';
import { WebSocket } from 'ws';
import { pause, quantile } from './index.ts';
import type { Program } from './program.ts';
import type { StreamingMeter } from './streaming-meters.ts';

/** Meters of each kind that are watched. */
const WATCHED = 8;
/** Times of their frames are taken over so many spans of so long, ms: what makes all frames late for a moment is in one span or two. */
export const SPANS = 9;
const SPAN_MS = 5_000;

/** p99, ms: of meters that the gateway has, and how much later frames of others come in the same span. The medians of all spans. */
export interface FrameTimes {
  /** NaN where the gateway has no meter; `later` is the whole time then. */
  readonly here: number;
  readonly later: number;
}

/** Watches some meters of each kind at the gateway. */
export async function frameTimes(gateway: Program, meters: readonly StreamingMeter[]): Promise<FrameTimes> {
  const own = ownPorts(gateway.pid);
  const all = meters.map((meter, index) => ({ meter, index, isHere: own.has(meter.far ?? 0) }));
  const times = { here: [] as number[], elsewhere: [] as number[] };
  const sockets = [true, false].flatMap((isHere) =>
    all
      .filter((each) => each.isHere === isHere)
      .slice(0, WATCHED)
      .map(({ meter, index }) => {
        const socket = new WebSocket(`${gateway.base.replace('http', 'ws')}/m${index}/live`);
        socket.on('message', (text) => {
          const sent = meter.sentAt.get(Number(/"counter":"?(\d+)/.exec(String(text))?.[1]));
          if (sent !== undefined) times[isHere ? 'here' : 'elsewhere'].push(performance.now() - sent);
        });
        socket.on('error', () => {});
        return socket;
      }),
  );
  await pause(3_000);
  const spans: FrameTimes[] = [];
  while (spans.length < SPANS) {
    times.here.length = times.elsewhere.length = 0;
    await pause(SPAN_MS);
    const [here, elsewhere] = [quantile(times.here, 0.99), quantile(times.elsewhere, 0.99)];
    spans.push({ here, later: elsewhere - (Number.isNaN(here) ? 0 : here) });
  }
  for (const socket of sockets) socket.terminate();
  const median = (of: keyof FrameTimes) =>
    quantile(
      spans.map((span) => span[of]),
      0.5,
    );
  return { here: median('here'), later: median('later') };
}

/** Local ports of the connections of a process. */
function ownPorts(pid: number): ReadonlySet<number> {
  const inodes = new Set(globSync(`/proc/${pid}/fd/*`).map((place) => /\d+/.exec(linked(place))?.[0]));
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  const ports = rows.flatMap((row) => {
    const [, local = '', , , , , , , , inode] = row.trim().split(/\s+/);
    return inodes.has(inode) ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : [];
  });
  return new Set(ports);
}

/** A file that was closed meanwhile is none. */
function linked(place: string): string {
  try {
    return readlinkSync(place);
  } catch {
    return '';
  }
}
