/**
 * One command and its reply over an open connection. It sends once and only reports what happened: whether it is sent again,
 * and what a caller is told, is decided elsewhere.
 */
import type { Clock } from '../clock.ts';
import type { Command, Driver, Reply, ReplyReader } from '../driver/contract.ts';
import type { Ending } from '../transport/contract.ts';
import type { Framed } from '../transport/lines.ts';
import type { Connection } from './connection.ts';

export type Outcome =
  | Reply
  /** No first byte in time, or not the rest of the reply. */
  | { readonly kind: 'silent'; readonly stage: 'first byte' | ReplyReader['stage'] | 'frame'; readonly ms: number }
  /** The connection ended. `heard`: some of the reply had come. */
  | { readonly kind: 'ended'; readonly ending: Ending; readonly heard: boolean };

export interface ReplyLimits {
  readonly replyTimeoutMs: number;
  readonly replyTotalTimeoutMs: number;
}

/** Takes the next line of a reply. One that is too long belongs to no reply. */
export const takeLine = (reader: ReplyReader, line: Framed): Reply | undefined =>
  typeof line === 'string' ? reader.take(line) : { kind: 'garbled', raw: line.message };

/** Never rejects, except for a text that must not be sent. */
export async function exchange(
  connection: Connection,
  command: Pick<Command<unknown>, 'text' | 'kind'>,
  { driver, clock, settings }: { driver: Driver; clock: Clock; settings: ReplyLimits },
): Promise<Outcome> {
  const reader = driver.readReply(command);
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const stopListening = connection.listen({
    line: (line) => {
      const reply = takeLine(reader, line);
      if (!reply) return;
      stopListening();
      resolve(reply);
    },
    ended: (ending) => resolve({ kind: 'ended', ending, heard: connection.heard }),
  });
  const disarm = limitReply(connection, reader, clock, settings, resolve);
  try {
    connection.sendLine(command.text);
    if (connection.ending) resolve({ kind: 'ended', ending: connection.ending, heard: false });
    return await promise;
  } finally {
    stopListening();
    disarm();
  }
}

/** Both deadlines run from the sending. */
export function limitReply(
  connection: Connection,
  reader: ReplyReader,
  clock: Clock,
  limits: ReplyLimits,
  late: (outcome: Outcome & { kind: 'silent' }) => void,
): () => void {
  const first = clock.after(limits.replyTimeoutMs, () => {
    if (!connection.heard) late({ kind: 'silent', stage: 'first byte', ms: limits.replyTimeoutMs });
  });
  const whole = clock.after(limits.replyTotalTimeoutMs, () =>
    late({ kind: 'silent', stage: reader.stage, ms: limits.replyTotalTimeoutMs }),
  );
  return () => {
    first();
    whole();
  };
}
