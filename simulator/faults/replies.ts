/** Replies that are missing, or belong to another command. */
import type { Emission } from './contract.ts';
import { defineFault } from './define.ts';
import { say } from './emissions.ts';
import { choice, ms, text } from './settings.ts';

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
