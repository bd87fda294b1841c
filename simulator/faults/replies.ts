/** Faults of single replies: missing, of another command, spoilt, broken off, or with the prompt where it is not expected. */
import type { Emission } from './contract.ts';
import { amount, choice, defineFault, ms, place, text } from './define.ts';
import { breakpoint, isPrompt, mapText, say, textOf, upTo } from './emissions.ts';

export const noReply = defineFault({
  name: 'no-reply',
  summary: 'The command is done, its reply is lost. The connection stays.',
  works: 'by reply',
  settings: {},
  evidence: ['manual', 'VM p.139: input in front of the prompt may be swallowed; here it is even done'],
  create: () => ({ outgoing: (emissions, _, frame) => (frame ? emissions : []) }),
});

export const offByOne = defineFault({
  name: 'off-by-one',
  summary: 'Each command gets the reply of the command before it; the first gets none. A new connection works again.',
  works: 'lasting',
  settings: { connections: choice(['one', 'every'], 'the connection on which it began, or every new one') },
  evidence: ['code', 'a public client cured this with a rest between commands and by draining'],
  create({ connections }) {
    const kept = new Map<number, readonly Emission[]>();
    let only: number | null = null;
    return {
      outgoing(emissions, { command, connection }, frame) {
        if (frame || command === 0) return emissions;
        only ??= connection;
        if (connections === 'one' && connection !== only) return emissions;
        const before = kept.get(connection) ?? [];
        kept.set(connection, emissions);
        return before;
      },
    };
  },
});

export const refusing = defineFault({
  name: 'refusing',
  summary: 'The meter refuses a command that it could do, and does not do it.',
  works: 'by reply',
  settings: { result: choice(['R+0004', 'R+0001', 'R+0002', 'R+0003'], 'the result') },
  evidence: ['captured', 'each of these but R+0003 was seen from a real NL-43'],
  create: ({ result }) => ({ refusal: () => result }),
});

export const unsolicited = defineFault({
  name: 'unsolicited',
  summary: 'A line that nobody asked for, in front of a reply or some time after it.',
  works: 'by reply',
  settings: {
    line: text('R+0000', 'the line without its end'),
    place: choice(['after', 'before'], 'the reply'),
    after_ms: ms(500, 'with after: how long after the reply, ms'),
  },
  evidence: ['code', 'a public client drains the line before it sends'],
  create({ line, place, after_ms }, host) {
    const timers = new Set<() => void>();
    const stray = say(`${line}\r\n`);
    const laterOn = (connection: number, wait: number) => {
      const cancel = host.clock.after(wait, () => {
        timers.delete(cancel);
        host.say(connection, [stray]);
      });
      timers.add(cancel);
    };
    return {
      end() {
        for (const cancel of timers) cancel();
        timers.clear();
      },
      outgoing(emissions, { command, connection }, frame) {
        if (command === 0 || frame) return emissions;
        if (place === 'before') return [stray, ...emissions];
        laterOn(
          connection,
          emissions.reduce((sum, { afterMs }) => sum + afterMs, after_ms),
        );
        return [...emissions];
      },
    };
  },
});

export const garbled = defineFault({
  name: 'garbled',
  summary: 'Lines are spoilt: by noise, or by the bytes of the reply before. Line ends and the prompt stay.',
  works: 'by reply',
  settings: {
    by: choice(
      ['noise', 'mixture'],
      'wrong bytes here and there; or the second half of each line from the reply before',
    ),
    share: amount(0.1, 0, 1, 'with noise: share of the bytes that are wrong'),
  },
  evidence: ['code', 'commands sent too tightly "talk over each other"; Measure? was read as a piece of a DOD line'],
  create({ by, share }, { random }) {
    let before = '';
    const noise = (character: string) => (random() < share ? wrong(character, random()) : character);
    return {
      outgoing(emissions) {
        const stale = before;
        before = textOf(emissions);
        if (by === 'noise') return mapText(emissions, (text) => [...text].map(noise).join(''));
        return stale ? mapText(emissions, (text) => mixed(text, stale)) : emissions;
      },
    };
  },
});

const KEPT = /[\r\n$]/;

/** Any other printable byte, or one above ASCII; never a line end or a prompt. */
function wrong(character: string, x: number): string {
  if (KEPT.test(character)) return character;
  const code = 0x25 + Math.floor(x * (0x100 - 0x25));
  return String.fromCharCode(code === character.charCodeAt(0) ? 0x21 : code);
}

function mixed(text: string, stale: string): string {
  const line = text.replace(/\r\n$/, '');
  if (line.length < 2) return text;
  const half = Math.ceil(line.length / 2);
  const other = stale.replace(/[\r\n$]/g, '').slice(half, line.length);
  return line.slice(0, half) + other + text.slice(line.length);
}

/** A break falls in the middle of a reply, or at a byte that is counted from the switching on. */
const atByte = place(
  null,
  'after this many bytes that the fault sees since it was switched on; null: in the middle of a reply',
);

/** A reset may overtake bytes that the client has not read yet; this is their lead. */
const AFTER_MS = 5;

export const halfLine = defineFault({
  name: 'half-line',
  summary: 'Half a reply, and then silence on this connection. The connection stays open.',
  works: 'by reply',
  settings: { at_byte: atByte },
  evidence: ['inferred', 'a link that fails in mid-reply without a word'],
  create: ({ at_byte }) => breakingOff(at_byte, { afterMs: 0, act: 'silence' }),
});

export const resetMidReply = defineFault({
  name: 'reset-mid-reply',
  summary: 'The connection is reset in the middle of a reply or a stream.',
  works: 'by reply',
  settings: { at_byte: atByte },
  evidence: ['inferred', 'a modem or a NAT that drops a flow reports this with a reset'],
  create: ({ at_byte }) => breakingOff(at_byte, { afterMs: AFTER_MS, act: 'reset' }),
});

export const halfClose = defineFault({
  name: 'half-close',
  summary: 'The meter ends its side of the connection after a reply or within it; it still takes what comes.',
  works: 'by reply',
  settings: {
    at_byte: place(0, '0: after the whole reply; null: in the middle of a reply; otherwise after this many bytes'),
  },
  evidence: ['inferred', 'the ordinary end of a TCP connection, seen from a client that waits'],
  create({ at_byte }) {
    const ending: Emission = { afterMs: 0, act: 'half-close' };
    if (at_byte === 0) return { outgoing: (emissions) => [...emissions, ending] };
    return breakingOff(at_byte, ending);
  },
});

function breakingOff(place: number | null, ending: Emission) {
  const find = breakpoint(place);
  return {
    outgoing(emissions: readonly Emission[]): readonly Emission[] {
      const at = find(emissions);
      return at === null ? emissions : [...upTo(emissions, at), ending];
    },
  };
}

export const promptMissing = defineFault({
  name: 'prompt-missing',
  summary: 'The reply comes without the prompt after it.',
  works: 'by reply',
  settings: {},
  evidence: ['unknown', 'a prompt after every reply is sure on the serial side only'],
  create: () => ({
    outgoing: (emissions) => (emissions.some(isPrompt) ? emissions.filter((one) => !isPrompt(one)) : emissions),
  }),
});

export const promptDoubled = defineFault({
  name: 'prompt-doubled',
  summary: 'One prompt too many: after the prompt, or in front of the reply.',
  works: 'by reply',
  settings: { place: choice(['after', 'before'], 'after the reply and its prompt, or in front of the reply') },
  evidence: ['code', 'a public client strips a prompt in front of a reply on a kept connection'],
  create: ({ place }) => ({
    outgoing(emissions, _, frame) {
      if (frame) return emissions;
      return place === 'after' ? [...emissions, say('$')] : [say('$'), ...emissions];
    },
  }),
});
