/** A meter of a few lines on a network without sockets: always well, always the same, cheap enough for virtual days. */
import type { Clock } from '../../lib/clock.ts';
import type { Address, ByteStream } from '../../lib/transport/contract.ts';
import type { MemoryNetwork } from '../../test/support/memory-transport.ts';

const REPLY_MS = 20;
const FRAME_MS = 100;
export const SUB = '\x1a';

const OFF_16 = [...Array<string>(14).fill(' -.-'), '-', '-'];
const OFF_8 = [...Array<string>(6).fill(' -.-'), '-', '-'];
const ANSWERS: Readonly<Record<string, string>> = {
  'Measure?': 'Start',
  'Clock?': '2025/12/24 02:00:00',
  'Pause?': 'Off',
  'Store Name?': '0019',
  'Serial Number?': '00144703',
  'Battery Level?': 'Full',
  'SD Card Free Size?': '15218',
  'SD Card Total Size?': '30436',
  'Frequency Weighting (Main)?': 'A',
  'Time Weighting (Main)?': 'F',
  ...Object.fromEntries([5, 10, 50, 90, 95].map((percent, slot) => [`Percentile ${slot + 1}?`, String(percent)])),
};

export function plainMeter(network: MemoryNetwork, address: Address, clock: Clock): { cut(): void } {
  let line: ByteStream | undefined;
  network.listen(address, (connection) => {
    line = connection;
    serve(connection, clock);
  });
  return { cut: () => line?.destroy('cut by the bench') };
}

function serve(connection: ByteStream, clock: Clock): void {
  let stopStream = () => {};
  const say = (text: string) => connection.send(Buffer.from(text, 'latin1'));
  const answer = (command: string) => {
    if (command.startsWith('DRD')) stopStream = stream(say, clock, command.endsWith('status'));
    else say(reply(command, clock.elapsed()));
  };
  let text = '';
  connection.receive((bytes) => {
    text += Buffer.from(bytes).toString('latin1');
    if (text.includes(SUB)) {
      stopStream();
      text = text.replaceAll(SUB, '');
      clock.after(REPLY_MS, () => say('$'));
    }
    const lines = text.split('\r\n');
    text = lines.pop() ?? '';
    for (const command of lines) clock.after(REPLY_MS, () => answer(command));
  });
  connection.ended.then(() => stopStream());
}

/** `elapsed`: ms; the level is computed from it. */
export function reply(command: string, elapsed: number): string {
  if (!command.endsWith('?')) return 'R+0000\r\n$';
  const level = (40 + (elapsed % 200) / 10).toFixed(1).padStart(5);
  const data = command === 'DOD?' ? [...Array(14).fill(level), '0', '0', ...OFF_16, ...OFF_16, ...OFF_16].join() : null;
  return `R+0000\r\n${data ?? ANSWERS[command] ?? 'Off'}\r\n$`;
}

/** Frames until the disposer is called. */
function stream(say: (text: string) => void, clock: Clock, withStatus: boolean): () => void {
  let counter = 0;
  let cancel = () => {};
  const tail = withStatus ? ',2025/12/24 02:00:00,E,F,15218,M' : '';
  const next = () => {
    counter = (counter % 600) + 1;
    say(frameText(counter, tail));
    cancel = clock.after(FRAME_MS, next);
  };
  say('R+0000\r\n');
  cancel = clock.after(FRAME_MS, next);
  return () => cancel();
}

export function frameText(counter: number, tail = ''): string {
  const main = [' 43.7', ' 43.2', ' 43.8', ' 43.6', ' 54.2', ' -.-', '0', '0'];
  return `${[String(counter).padStart(3), ...main, ...OFF_8, ...OFF_8, ...OFF_8].join()}${tail}\r\n`;
}
