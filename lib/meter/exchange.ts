/**
 * One command and its reply over an open wire. It sends once and only reports what happened: who may send again, and what
 * a caller is told, is decided elsewhere.
 */
import type { Clock } from '../clock.ts';
import type { Ending } from '../transport/contract.ts';
import { type Reply, ReplyReader, type Stage } from './reply.ts';
import type { Wire } from './wire.ts';

export type Outcome =
  | Reply
  /** No first byte in time, or not the rest of the reply. */
  | { readonly kind: 'silent'; readonly stage: 'first byte' | Stage | 'frame'; readonly ms: number }
  /** The connection ended. `heard`: some of the reply had come. */
  | { readonly kind: 'ended'; readonly ending: Ending; readonly heard: boolean };

export interface ReplyLimits {
  readonly replyTimeoutMs: number;
  readonly replyTotalTimeoutMs: number;
}

/** Never rejects, except for a text that must not be sent. `data`: a data line follows an accepted command. */
export async function exchange(
  wire: Wire,
  command: { readonly text: string; readonly data: boolean },
  clock: Clock,
  limits: ReplyLimits,
): Promise<Outcome> {
  const reader = new ReplyReader(command.text, command.data);
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const deaf = wire.listen({
    line: (line) => {
      const reply = reader.take(line);
      if (!reply) return;
      deaf();
      resolve(reply);
    },
    ended: (ending) => resolve({ kind: 'ended', ending, heard: wire.heard }),
  });
  const disarm = watchTheClock(wire, reader, clock, limits, resolve);
  try {
    wire.sendLine(command.text);
    if (wire.ending) resolve({ kind: 'ended', ending: wire.ending, heard: false });
    return await promise;
  } finally {
    deaf();
    disarm();
  }
}

/** Both deadlines run from the sending. */
export function watchTheClock(
  wire: Wire,
  reader: ReplyReader,
  clock: Clock,
  limits: ReplyLimits,
  late: (outcome: Outcome & { kind: 'silent' }) => void,
): () => void {
  const first = clock.after(limits.replyTimeoutMs, () => {
    if (!wire.heard) late({ kind: 'silent', stage: 'first byte', ms: limits.replyTimeoutMs });
  });
  const whole = clock.after(limits.replyTotalTimeoutMs, () =>
    late({ kind: 'silent', stage: reader.stage, ms: limits.replyTotalTimeoutMs }),
  );
  return () => {
    first();
    whole();
  };
}
