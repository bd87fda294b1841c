/** The present: the levels of one meter, the events of many. Both run until Ctrl-C. */
import { type EventName, type Frame, type LiveEvent, quantities } from '../../client/index.ts';
import { UNIT } from '../command-line.ts';
import { type Command, type CommandCall, WrongWords } from '../contract.ts';
import { counted, harmless, level, measuring, moment, printedLine, text } from '../output.ts';

/** dB that the bar begins and ends with. */
const BAR = { from: 20, to: 120 } as const;
const EVENTS: readonly EventName[] = ['reading', 'state', 'setting', 'reachability', 'config', 'alert', 'job'];
const isEvent = (name: string): name is EventName => EVENTS.some((event) => event === name);
const MOST_HZ = 10;

export const LIVE: readonly Command[] = [
  {
    name: 'live',
    summary: 'Watch the levels of a meter on one line that moves',
    words: [UNIT],
    options: [
      { name: 'hz', value: 'N', help: 'values a second, 1 to 10 (4 on a screen, else 10)' },
      { name: 'count', value: 'N', help: 'end after this many values' },
    ],
    examples: ['slm live roof', 'slm live roof --json --hz 1 > levels.jsonl', 'slm live roof --count 1'],
    notes: [
      'The levels are those of 100 ms each. A connection that breaks is opened again.',
      'If the output is not a screen, each value has its own line.',
    ],
    run: live,
  },
  {
    name: 'watch',
    summary: 'Print what happens at the meters, a line for each event',
    words: [{ ...UNIT, optional: true, many: true }],
    options: [
      {
        name: 'events',
        value: 'A,B',
        help: `of ${EVENTS.join(', ')} (all of them)`,
        completion: EVENTS,
      },
      { name: 'count', value: 'N', help: 'end after this many events' },
    ],
    examples: ['slm watch', 'slm watch roof yard --events state,alert', 'slm watch --json'],
    run: watch,
  },
];

async function live(call: CommandCall): Promise<undefined> {
  const { client, terminal, signal, words, json } = call;
  const moves = terminal.columns !== undefined && !json;
  const hz = numberOf(call, 'hz', moves ? 4 : MOST_HZ, MOST_HZ);
  const most = numberOf(call, 'count', Number.POSITIVE_INFINITY);
  const unit = words.UNIT ?? '';
  // An unknown name is reported before the socket is opened, because the socket would wait for it for ever.
  await client().config(unit);
  let count = 0;
  for await (const frame of client().frames(unit, { hz, signal, connection: toldBy(call) })) {
    if (json) printedLine(call, frame);
    else terminal.write(moves ? `\r\x1b[K${movingLine(frame, terminal.columns ?? 80)}` : `${line(frame)}\n`);
    count += 1;
    if (count >= most) break;
  }
  if (moves) terminal.write('\n');
}

const SHOWN = quantities.quantitiesIn('frame').filter((name) => quantities.quantityOf(name)?.in.includes('cli'));

function line(frame: Frame): string {
  // A gateway of an earlier release does not tell them.
  const weightings = { frequency: frame.frequency_weighting ?? null, time: frame.time_weighting ?? null };
  const levels = SHOWN.map((name) => `${quantities.symbolOf(name, weightings)} ${level(frame[name])}`);
  return `${frame.time}  ${levels.join('  ')} dB${frame.over_range ? '  OVER' : ''}`;
}

function movingLine(frame: Frame, columns: number): string {
  const words = line(frame).replace(/^\S+T(\S{8})\S+/, '$1');
  const room = columns - words.length - 3;
  return (room < 10 ? words : `${words}  ${bar(frame.lp, room)}`).slice(0, columns - 1);
}

function bar(lp: number | null, room: number): string {
  const share = ((lp ?? BAR.from) - BAR.from) / (BAR.to - BAR.from);
  const filled = Math.max(0, Math.min(room, Math.round(share * room)));
  return '#'.repeat(filled) + '.'.repeat(room - filled);
}

const toldBy =
  ({ terminal }: CommandCall) =>
  (state: 'open' | 'lost', retryInS: number): void => {
    if (state === 'lost') terminal.note(`The connection to the gateway is lost; trying again in ${retryInS} s.`);
  };

async function watch(call: CommandCall): Promise<undefined> {
  const { client, signal, rest, options } = call;
  const events = typeof options.events === 'string' ? options.events.split(',') : undefined;
  // The handshake would be refused, and tried again for ever: a socket does not tell why.
  const strange = events?.find((name) => !isEvent(name));
  if (strange !== undefined) throw new WrongWords(`${JSON.stringify(strange)} is none of ${EVENTS.join(', ')}`);
  const most = numberOf(call, 'count', Number.POSITIVE_INFINITY);
  const wanted = { ...(rest.length > 0 && { units: rest }), ...(events && { events: events.filter(isEvent) }) };
  // A missing gateway or a wrong key is reported at once, because the socket would try again for ever.
  await client().about(signal);
  let count = 0;
  for await (const event of client().events({ ...wanted, signal, connection: toldBy(call) })) {
    if (call.json) printedLine(call, event);
    else call.terminal.write(`${eventText(event)}\n`);
    // The first message of a connection says how everything stands: nothing has happened yet.
    if (event.event !== 'hello') count += 1;
    if (count >= most) break;
  }
}

function eventText(event: LiveEvent): string {
  if (event.event === 'hello') {
    const { length } = event.data;
    return `${moment(event.time)}  ${counted(length, 'meter is', 'meters are')} watched`;
  }
  const data: Readonly<Record<string, unknown>> = event.data;
  const said: Readonly<Record<string, () => string>> = {
    reading: () => `Lp ${level(data.lp)}  Leq ${level(data.leq)} dB`,
    state: () => `${measuring(data.measurement_state)}${data.is_paused ? ', paused' : ''}`,
    setting: () => `${text(data.name)}: ${text(data.value)}`,
    reachability: () => `${text(data.state)}: ${text(data.reason)}`,
    config: () => text(data.change),
    alert: () => text(data.detail ?? data),
    job: () => `${text(data.kind)} ${text(data.state)} ${text(data.message)}`,
  };
  return `${moment(event.time)}  ${harmless(event.unit_id)}  ${event.event}  ${said[event.event]?.() ?? text(data)}`;
}

function numberOf({ options }: CommandCall, name: string, usual: number, most = Number.POSITIVE_INFINITY): number {
  const given = options[name];
  if (typeof given !== 'string') return usual;
  if (/^[1-9]\d*$/.test(given) && Number(given) <= most) return Number(given);
  const range = most === Number.POSITIVE_INFINITY ? 'above 0' : `from 1 to ${most}`;
  throw new WrongWords(`--${name} takes a whole number ${range}, not ${JSON.stringify(given)}`);
}
