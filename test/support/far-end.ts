/**
 * A meter of a few lines on a real port: the test decides its act on each command line. No grammar, no state, no facts of the
 * meter: the work of the gateway is checked against bytes in the test.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

/** Bytes to answer with, nothing at all, or an end of the connection. */
export type Reaction = { readonly say: string } | 'silence' | 'reset';

export interface FarEnd {
  readonly config: { readonly host: string; readonly tcp_port: number; readonly ftp_enabled: false };
  /** Command lines, without their ends, in order. */
  readonly lines: readonly string[];
  readonly connects: number;
  react: (line: string) => Reaction;
}

/** The reply to a request or setting that went well. */
export const well = (data?: string): Reaction => ({ say: `R+0000\r\n${data === undefined ? '' : `${data}\r\n`}$` });
export const refusal = (code: 1 | 2 | 3 | 4): Reaction => ({ say: `R+000${code}\r\n$` });

export async function farEnd(t: Test, react: (line: string) => Reaction): Promise<FarEnd> {
  const sockets = new Set<Socket>();
  const lines: string[] = [];
  let connects = 0;
  const server = createServer((socket) => {
    connects += 1;
    sockets.add(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      const whole = text.split('\r\n');
      text = whole.pop() ?? '';
      for (const line of whole) {
        lines.push(line);
        act(socket, end.react(line));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  const end: FarEnd = {
    config: { host: '127.0.0.1', tcp_port: port, ftp_enabled: false },
    lines,
    react,
    get connects() {
      return connects;
    },
  };
  return end;
}

function act(socket: Socket, reaction: Reaction): void {
  if (reaction === 'silence') return;
  if (reaction === 'reset') socket.resetAndDestroy();
  else socket.write(reaction.say, 'latin1');
}

const MISSING = Array.from({ length: 13 }, () => '  -.-').join();
const OFF_CHANNEL = `  -.-,${MISSING},-,-`;
const ANSWERS: Readonly<Record<string, string>> = {
  // As stored from a meter that was never measuring since power-on (field log): one channel on, only Lp has a number.
  'DOD?': [` 45.8,${MISSING},0,0`, OFF_CHANNEL, OFF_CHANNEL, OFF_CHANNEL].join(),
  'Measure?': 'Stop',
  'Frequency Weighting (Main)?': 'A',
  'Time Weighting (Main)?': 'F',
  'Store Mode?': 'Manual',
  'Measurement Time Preset Manual?': '10m',
  'Leq Calculation Interval Preset?': 'Off',
  'Lp Store Interval?': '100ms',
  'Store Name?': '0019',
  'Battery Level?': 'Full',
  'SD Card Free Size?': '15218',
  'SD Card Total Size?': '30436',
  'Clock?': '2025/12/24 02:10:55',
  'Sleep Mode?': 'Off',
  'FTP?': 'On',
};

/** Reply of an idle meter to a request of the gateway; a setting is accepted, a stream is not known. */
export const ordinary = (line: string): Reaction =>
  line.startsWith('DRD') ? refusal(3) : well(line.endsWith('?') ? ANSWERS[line] : undefined);
