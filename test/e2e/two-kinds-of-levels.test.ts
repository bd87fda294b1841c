/**
 * A meter of a few lines whose frames and display have nothing in common: each level that the gateway shows as one of the measurement
 * is one of the display, and of the present measurement.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import type { VirtualClock } from '../../simulator/index.ts';
import { ordinary } from '../support/far-end.ts';
import { openWorld } from '../support/world.ts';

const SUB = '\u001a';
const OFF = (levels: number): string => [...Array.from({ length: levels }, () => '  -.-'), '-', '-'].join();
const text = (level: number): string => level.toFixed(1).padStart(5);

/** Lp, Leq, Lmax, Lmin, Lpeak, LIeq of 100 ms; no level of the display is near. */
const FRAME = [91.1, 92.2, 93.3, 90.4, 99.5, 94.6];
/** Of the display, each below 89 dB. The first measurement has a Leq of 60.1 dB, the second one of 60.2 dB ... */
const shownAt = (measurement: number, seconds: number): readonly number[] => {
  const leq = 60 + measurement / 10;
  const le = leq + 10 * Math.log10(Math.max(1, seconds));
  return [61, leq, le, 70, 50, 65, 64, 60, 55, 54, 88, 66];
};

const OWN_WORDS: Readonly<Record<string, string>> = {
  'Pause?': 'Off',
  'Type?': 'NL-43',
  'Serial Number?': '00112233',
  'System Version?': '1.0',
  'Percentile 1?': '5',
  'Percentile 2?': '10',
  'Percentile 3?': '50',
  'Percentile 4?': '90',
  'Percentile 5?': '95',
};

/** It measures at first. `Reset` begins another measurement, or leaves a stopped meter stopped. */
class OwnMeter {
  measurement = 1;
  isMeasuring = true;
  readonly #clock: VirtualClock;
  #since = 0;
  #end = () => {};

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  serve(socket: Socket): void {
    socket.setEncoding('latin1');
    socket.on('error', () => {});
    socket.on('close', () => this.#end());
    let rest = '';
    socket.on('data', (chunk: string) => {
      const lines = (rest + chunk).replaceAll(SUB, `${SUB}\r\n`).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#take(line, socket);
    });
  }

  #take(line: string, socket: Socket): void {
    if (line === SUB) {
      this.#end();
      socket.write('$');
    } else if (line.startsWith('DRD')) this.#stream(socket);
    else socket.write(`R+0000\r\n${this.#answer(line)}$`);
  }

  #answer(line: string): string {
    if (line === 'Measure,Start' || line === 'Reset') {
      this.measurement += 1;
      this.#since = this.#clock.elapsed();
    }
    if (line.startsWith('Measure,')) this.isMeasuring = line === 'Measure,Start';
    if (!line.endsWith('?')) return '';
    if (line === 'Measure?') return `${this.isMeasuring ? 'Start' : 'Stop'}\r\n`;
    if (line in OWN_WORDS) return `${OWN_WORDS[line]}\r\n`;
    const known = ordinary(line);
    return line === 'DOD?' || typeof known === 'string' ? `${this.#display}\r\n` : dataOf(known.say);
  }

  get #display(): string {
    const shown = shownAt(this.measurement, (this.#clock.elapsed() - this.#since) / 1_000);
    return [...shown.map(text), '  -.-', '  -.-', '0', '0', OFF(14), OFF(14), OFF(14)].join();
  }

  #stream(socket: Socket): void {
    let counter = 0;
    const next = () => {
      counter += 1;
      const state = this.isMeasuring ? 'M' : 'S';
      const tail = `2025/12/24 02:10:55,E,F,30436,${state}`;
      const frame = [String(counter), ...FRAME.map(text), '0', '0', OFF(6), OFF(6), OFF(6), tail].join();
      socket.write(`${frame}\r\n`);
      this.#end = this.#clock.after(100, next);
    };
    socket.write('R+0000\r\n');
    this.#end = this.#clock.after(100, next);
  }
}

/** The data line of a reply that ends with a prompt. */
const dataOf = (reply: string): string => reply.replace(/^R\+0000\r\n/, '').replace(/\$$/, '');

async function openOwnMeter(t: Test) {
  const world = await openWorld(t, { meters: 0 });
  const meter = new OwnMeter(world.clock);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    meter.serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const config = { host: '127.0.0.1', tcp_port: port, poll_enabled: false, history: 'stream' };
  t.ok((await world.put('/own/config', config)).status < 300);
  return { world, meter };
}

const OF_THE_MEASUREMENT = ['leq', 'lmax', 'lmin', 'lpeak', 'le', 'ln1', 'ln2', 'ln3', 'ln4', 'ln5'] as const;

t.test('no level of 100 ms is ever shown as one of the measurement, and none of the measurement before', async (t) => {
  const { world, meter } = await openOwnMeter(t);
  const socket = await world.watch('/_live?events=reading,state');
  await world.pass(10_000);
  let isFrameSeen = false;
  const wrong: string[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: values of any shape are looked at
  const look = (values: any, what: string, from: number) => {
    if (values.lp !== undefined && Number(values.lp) > 90) isFrameSeen = true;
    for (const name of OF_THE_MEASUREMENT) {
      const level = values[name] ?? null;
      if (level !== null && Number(level) >= 89) wrong.push(`${what}: ${name} ${level}`);
    }
    const shown = values.leq ?? null;
    if (shown !== null && Number(shown) < 60 + from / 10 - 0.01) wrong.push(`${what}: Leq ${shown} is older`);
  };
  for (const control of ['', 'reset', 'stop', 'start']) {
    const before = meter.measurement;
    if (control !== '') t.equal((await world.post(`/own/${control}`)).status, 200, control);
    const { length } = socket.messages;
    const what = `after ${control} of measurement ${before}`;
    look((await world.get('/own/status')).body.data, `status ${what}`, meter.measurement);
    const lps: string[] = [];
    let leq: unknown;
    for (let turn = 0; turn < 12; turn += 1) {
      const { status, body } = await world.get('/own/live');
      t.equal(status, 200, JSON.stringify(body));
      look(body.data, `live ${what}`, meter.measurement);
      lps.push(body.data.lp);
      leq = body.data.leq;
      await world.pass(1_000);
    }
    t.equal(Number(leq).toFixed(1), (60 + meter.measurement / 10).toFixed(1), `Leq ${what}`);
    const ofFrames = lps.filter((lp) => lp === '91.1').length;
    t.ok(ofFrames >= 1, `Lp is that of the newest frame, unless the display was read just now: ${lps.join()}`);
    for (const { data } of socket.messages.slice(length))
      look({ ...data, ...data.levels }, `socket ${what}`, meter.measurement);
  }
  t.same(wrong, []);
  t.ok(isFrameSeen, 'frames came');
  socket.socket.terminate();
});

t.test('a reset that leaves the meter stopped takes the levels away until the display is read', async (t) => {
  const { world, meter } = await openOwnMeter(t);
  await world.put('/own/config', { history: 'off' });
  meter.isMeasuring = false;
  const socket = await world.watch('/_live?events=state');
  t.equal((await world.get('/own/live')).body.data.leq, '60.1');
  t.equal((await world.post('/own/reset')).status, 200);
  const levels = { leq: null, lmax: null, lmin: null, lpeak: null, measured_at: null };
  t.match((await world.get('/own/status')).body.data, { measurement_state: 'Stop', ...levels });
  await world.until('the state on the socket', () => socket.messages.some(({ data }) => data?.levels?.leq === null));
  t.match(socket.messages.at(-1)?.data, { measurement_state: 'Stop', levels });
  t.match((await world.get('/own/live')).body.data, { measurement_state: 'Stop', leq: '60.2' });
  socket.socket.terminate();
});
