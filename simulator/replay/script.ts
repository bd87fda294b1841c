/**
 * A transcript as a script: what the client said, line by line, and what the meter did then. Knows where a message of a
 * client ends (a LF, or only a SUB) and nothing else about the protocol.
 */
import type { Entry } from './transcript.ts';

/** An act of the meter, with its time in ms after the message of the client (a greeting: after the connection). */
export type Deed =
  | { readonly afterMs: number; readonly bytes: Uint8Array }
  | { readonly afterMs: number; readonly ends: 'end' | 'reset' };

/** A message of the client, and the acts of the meter after it. */
export interface Exchange {
  readonly ask: Uint8Array;
  readonly deeds: readonly Deed[];
}

/** All connections of a recording. */
export interface Script {
  /** One for every connection of the recording, at least one. `first` is the place of its first exchange. */
  readonly sessions: readonly { readonly greeting: readonly Deed[]; readonly first: number }[];
  readonly exchanges: readonly Exchange[];
}

const LF = 0x0a;
const SUB = 0x1a;

/** Puts the messages of a client together from whatever pieces they come in. */
export class Messages {
  #rest: Uint8Array = new Uint8Array();

  take(bytes: Uint8Array): Uint8Array[] {
    let all = Buffer.concat([this.#rest, bytes]);
    const whole: Uint8Array[] = [];
    for (let end = endOf(all); end >= 0; end = endOf(all)) {
      whole.push(all.subarray(0, end + 1));
      all = all.subarray(end + 1);
    }
    this.#rest = all;
    return whole;
  }
}

const endOf = (bytes: Uint8Array) => bytes.findIndex((byte) => byte === LF || byte === SUB);

interface Draft {
  readonly ask: Uint8Array;
  readonly at: number | null;
  readonly deeds: Deed[];
}

/** The sessions of a transcript, in their order. */
export function readScript(entries: readonly Entry[]): Script {
  const exchanges: Draft[] = [];
  const sessions: { greeting: Deed[]; first: number }[] = [];
  let messages = new Messages();
  let since: { readonly at: number | null; readonly deeds: Deed[] } | null = null;
  const open = (at: number | null) => {
    const session = { greeting: [], first: exchanges.length };
    sessions.push(session);
    messages = new Messages();
    since = { at, deeds: session.greeting };
    return since;
  };
  for (const entry of entries) {
    if (entry.kind !== 'bytes' && entry.kind !== 'event') continue;
    if (entry.kind === 'event' && entry.what === 'connects') open(entry.at);
    else if (entry.side === 'meter') {
      const { at, deeds } = since ?? open(entry.at);
      const deed = deedOf(entry, at);
      if (deed) deeds.push(deed);
    } else if (entry.kind === 'bytes') {
      if (!since) open(entry.at);
      for (const ask of messages.take(entry.bytes)) {
        since = { at: entry.at, deeds: [] };
        exchanges.push({ ask, ...since });
      }
    }
  }
  if (sessions.length === 0) open(null);
  return { sessions, exchanges: exchanges.map(({ ask, deeds }) => ({ ask, deeds })) };
}

function deedOf(entry: Extract<Entry, { kind: 'bytes' | 'event' }>, since: number | null): Deed | null {
  const afterMs = entry.at === null || since === null ? 0 : Math.max(0, entry.at - since);
  if (entry.kind === 'bytes') return { afterMs, bytes: entry.bytes };
  if (entry.what === 'connects') return null;
  return { afterMs, ends: entry.what === 'ends' ? 'end' : 'reset' };
}
