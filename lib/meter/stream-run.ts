/**
 * One run of a stream on an open connection; `broadcast.ts` decides whether it is begun again. asking -> flowing ->
 * draining. Frames on their way still arrive after the abort, then the prompt (field use). A meter without a prompt is
 * silent instead. If the expected prompt does not come, the connection is dropped: a late frame could be taken for the
 * next reply.
 */
import type { Frame, Framed, StreamTalk } from '../drivers/wire/contract.ts';
import type { Connection } from './connection.ts';
import type { CommandOutcome } from './faults.ts';
import type { SharedParts } from './shared-parts.ts';

export type StreamEnd =
  | Exclude<CommandOutcome, { readonly kind: 'done' }>
  /** The abort was sent and the connection is quiet again. */
  | { readonly kind: 'stopped' }
  /** Bytes continue to arrive after it, or the prompt of the meter does not come. */
  | { readonly kind: 'unstoppable' };

/**
 * If a meter has shown its prompt after a stream, silence is no end: a stalled connection is silent too. Over TCP the
 * prompt is not certain (field use, no manual): a meter that withheld it so often in a row counts as one without.
 */
const MOST_WITHHELD = 2;

/** A stream that is silent for so long stalls, and its viewers are informed. ms */
export const STALL_MS = 3_000;

type Surroundings = Pick<SharedParts, 'clock' | 'settings' | 'state'>;

interface StreamParts extends Surroundings {
  /** `begun`: when the meter accepted the request of this stream, on the monotonic clock. */
  readonly onFrame: (frame: Frame, begun: number) => void;
  readonly onStall: () => void;
  readonly onUnreadable: (error: unknown) => void;
}

export interface StreamRun {
  /** Settles when it is over. Never rejects. */
  readonly ended: Promise<StreamEnd>;
  readonly isDraining: boolean;
  /** Ends the stream as soon as the meter has begun it. May be called twice. */
  stop(): void;
}

export function runStream(connection: Connection, talk: StreamTalk, parts: StreamParts): StreamRun {
  const { command } = talk;
  const { clock, settings, onFrame, onStall, onUnreadable } = parts;
  const over = Promise.withResolvers<StreamEnd>();
  let stage: 'asking' | 'flowing' | 'draining' = 'asking';
  let begun = 0;
  let stopWanted = false;
  let stopListening = () => {};
  let disarm = () => {};

  const awaitFrame = () => {
    const ms = settings.frameTimeoutMs;
    const silent = () => over.resolve({ kind: 'silent', stage: 'frame', ms });
    const stall = () => {
      onStall();
      disarm = clock.after(ms - STALL_MS, silent);
    };
    disarm();
    disarm = ms > STALL_MS ? clock.after(STALL_MS, stall) : clock.after(ms, silent);
  };

  const takeFrame = (line: Framed) => {
    let frame: Frame;
    try {
      if (typeof line !== 'string') throw line;
      frame = command.decode(line);
    } catch (error) {
      onUnreadable(error);
      return;
    }
    awaitFrame();
    onFrame(frame, begun);
  };

  const stop = () => {
    stopWanted = true;
    if (stage !== 'flowing') return;
    stage = 'draining';
    disarm();
    over.resolve(drain(connection, talk, parts));
  };

  const flow = () => {
    stopListening = connection.listen({ line: takeFrame, ended: over.resolve });
    stage = 'flowing';
    begun = clock.elapsed();
    awaitFrame();
    if (stopWanted) stop();
  };

  const run = async (): Promise<StreamEnd> => {
    // The command is sent as a setting: its frames are then not taken for the data of a reply.
    const answer = await connection.exchange({ text: command.text, kind: 'setting' }, flow);
    if (answer.kind !== 'done') return answer;
    const end = await over.promise;
    stopListening();
    disarm();
    return end;
  };

  return {
    ended: run(),
    get isDraining() {
      return stage === 'draining';
    },
    stop,
  };
}

/** The first line of a stream, which is ended directly after it. It counts even if the stream cannot be ended. */
export async function firstLine(
  connection: Connection,
  talk: StreamTalk,
  text: string,
  parts: Surroundings,
): Promise<CommandOutcome> {
  let drained: Promise<StreamEnd> | undefined;
  const first = await connection.exchange({ text, kind: 'request' }, () => {
    drained = drain(connection, talk, parts);
  });
  const end = await drained;
  if (end && end.kind !== 'stopped') connection.markDirty(`"${text}" did not end`);
  return first;
}

async function drain(
  connection: Connection,
  talk: StreamTalk,
  { clock, settings, state }: Surroundings,
): Promise<StreamEnd> {
  const over = Promise.withResolvers<StreamEnd>();
  let disarm = () => {};

  const awaitEnd = () => {
    const isPromptDue = connection.hasShownPrompt && state.promptsWithheld < MOST_WITHHELD;
    disarm();
    disarm = clock.after(isPromptDue ? settings.drainPromptMs : settings.drainSilenceMs, () => {
      if (isPromptDue) state.promptsWithheld += 1;
      over.resolve({ kind: isPromptDue ? 'unstoppable' : 'stopped' });
    });
  };

  const takeChunk = () => {
    if (!connection.prompted) return awaitEnd();
    state.promptsWithheld = 0;
    over.resolve({ kind: 'stopped' });
  };

  connection.sendAbort(talk, settings.drainLimitMs);
  const stopListening = connection.listen({ line: () => {}, chunk: takeChunk, ended: over.resolve });
  const disarmLimit = clock.after(settings.drainLimitMs, () => over.resolve({ kind: 'unstoppable' }));
  awaitEnd();
  const end = await over.promise;
  stopListening();
  disarm();
  disarmLimit();
  if (end.kind === 'stopped') connection.forget();
  return end;
}
