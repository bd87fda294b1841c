/**
 * The start of an instance while its database cannot be reached, as after a power cut of both. The process listens and
 * says why it waits. A fault that does not end by waiting, such as a wrong password, ends the start.
 */
import { type Clock, sleep, within } from '../clock.ts';
import { type Standby, startStandby } from '../http/standby.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings/index.ts';
import { StoreError } from '../store/problem.ts';
import { VERSION } from '../version.ts';
import { httpSettings } from './wiring.ts';

interface DatabaseWait {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  /** Rejects with StoreError; `unreachable` is tried again. */
  readonly ask: (signal: AbortSignal) => Promise<unknown>;
}

const ANSWER_MS = 15_000;
/** From the first try on; then the start ends, for a supervisor to see, ms. */
export const LONGEST_MS = 600_000;
const [FIRST_MS, MOST_MS] = [1_000, 10_000];
const DETAIL = 'The database cannot be reached: this instance waits for it.';

/** Resolves with the port to listen on. Rejects with StoreError, with the reason of `signal`, and if it cannot listen. */
export async function databaseAnswers(
  { settings, clock, log, ask }: DatabaseWait,
  signal: AbortSignal,
): Promise<number> {
  const began = clock.elapsed();
  const late = () =>
    new StoreError('unreachable', `the database of database_url did not answer within ${ANSWER_MS / 1_000} s`);
  let standby: Standby | undefined;
  try {
    for (let wait = FIRST_MS; ; wait = Math.min(2 * wait, MOST_MS)) {
      const reason = await within(clock, ANSWER_MS, late, ask, signal).then(
        () => undefined,
        (error) => {
          signal.throwIfAborted();
          return unreachable(error);
        },
      );
      if (!reason) return standby?.port ?? settings.port;
      if (clock.elapsed() - began >= LONGEST_MS) throw reason;
      if (!standby) {
        standby = await listenMeanwhile(settings, clock, log);
        log.warn(
          { reason: reason.message, port: standby.port },
          'this instance waits until the database can be reached',
        );
      }
      await sleep(clock, wait, signal);
    }
  } finally {
    await standby?.drained(0);
  }
}

function unreachable(error: unknown): StoreError {
  if (error instanceof StoreError && error.problem === 'unreachable') return error;
  throw error;
}

const listenMeanwhile = (settings: Settings, clock: Clock, log: Log): Promise<Standby> =>
  startStandby({
    settings: httpSettings(settings),
    version: VERSION,
    clock,
    log,
    troubles: () => [{ part: 'database', detail: DETAIL }],
    waits: () => DETAIL,
    active: () => undefined,
  });
