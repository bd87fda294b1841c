/**
 * Writes a transcript while a session runs. The session does not depend on the file: if it cannot be written, or is
 * too slow, the recording has a gap and a note about it, and the session does not wait.
 */
import type { Writable } from 'node:stream';
import type { Clock } from '../contract.ts';
import { type ConnectionEvent, type Entry, formatEntry, formatTranscript, HEAD, type Side } from './transcript.ts';

/** Text that waits for the file; more than this is lost. */
const MOST_WAITING = 8 * 1_048_576;

/** Never throws. */
export interface Recorder {
  bytes(side: Side, bytes: Uint8Array): void;
  event(side: Side, what: ConnectionEvent): void;
  comment(text: string): void;
  /** Resolves when the file is complete, or will never be. */
  close(): Promise<void>;
  /** Segments and events that the file does not have. */
  readonly lost: number;
}

/** `failed` is called once, with the first reason for a gap. */
export function createRecorder(
  file: Writable,
  clock: Clock,
  title: string,
  failed: (reason: Error) => void = () => {},
): Recorder {
  const beganAt = clock.elapsed();
  const at = () => clock.elapsed() - beganAt;
  let broken = false;
  let lost = 0;
  let gap = 0;
  let told = false;
  const tell = (reason: Error) => {
    if (!told) failed(reason);
    told = true;
  };
  file.on('error', (reason) => {
    broken = true;
    tell(reason);
  });
  file.write(formatTranscript([...HEAD, title].map((text) => ({ kind: 'comment', text }))));

  const lose = () => {
    lost += 1;
    gap += 1;
    if (!broken) tell(new Error('the file does not keep up'));
  };
  const write = (entry: Entry) => {
    if (broken || file.writableLength > MOST_WAITING) return lose();
    if (gap > 0) file.write(gone(gap));
    gap = 0;
    file.write(formatEntry(entry));
  };
  return {
    get lost() {
      return lost;
    },
    bytes: (side, bytes) => write({ kind: 'bytes', side, at: at(), bytes }),
    event: (side, what) => write({ kind: 'event', side, at: at(), what }),
    comment: (text) => write({ kind: 'comment', text }),
    close: () =>
      new Promise((resolve) => {
        if (file.closed || file.destroyed) return resolve();
        file.once('close', resolve);
        file.end(gap > 0 ? gone(gap) : '');
      }),
  };
}

const gone = (entries: number) =>
  formatEntry({ kind: 'comment', text: `here ${entries} ${entries === 1 ? 'entry is' : 'entries are'} missing` });
