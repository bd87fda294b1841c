/** The thread of the history: takes calls by name, answers each, and gives every long call a slice of time in turn. */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../clock.ts';
import { HistoryError } from '../problem.ts';
import { Overlaps } from '../stored/imports.ts';
import type { Work } from '../stored/work.ts';
import type { Answered, Call } from './channel.ts';
import { HistoryCalls, type ThreadOptions } from './history-calls.ts';

/** One piece of work runs for this time before the next one, ms. */
const SLICE_MS = 8;

const port = parentPort;
if (!port) throw new Error('this file is the inside of a thread');
const options = workerData as ThreadOptions;
// Only with a shared database: its driver takes memory.
const openShared = options.database ? (await import('../postgres/index.ts')).openShared : undefined;
const calls = new HistoryCalls(options, openShared);
const underWay = new Map<number, Work<unknown>>();

port.on('message', (call: Call | { readonly cancel: number }) => {
  if ('cancel' in call) {
    underWay.get(call.cancel)?.return(undefined);
    underWay.delete(call.cancel);
    return;
  }
  try {
    // The main thread calls by the names of `HistoryCalls`, with the argument of each: see `Calls`.
    const result = (calls[call.name] as (this: HistoryCalls, argument: unknown) => unknown).call(calls, call.argument);
    if (isWork(result)) {
      underWay.set(call.id, result);
      step(call.id);
    } else answer({ id: call.id, value: result });
  } catch (error) {
    answer({ id: call.id, ...explain(error) });
  }
});

const isWork = (result: unknown): result is Work<unknown> =>
  typeof result === 'object' && result !== null && 'next' in result;

function step(id: number, failed?: { readonly error: unknown }): void {
  const work = underWay.get(id);
  if (!work) return;
  const end = systemClock.elapsed() + SLICE_MS;
  try {
    let next = failed ? work.throw(failed.error) : work.next();
    while (!next.done && next.value === null && systemClock.elapsed() < end) next = work.next();
    if (next.done) answer({ id, value: next.value });
    else if (next.value === null) setImmediate(step, id);
    else
      next.value.then(
        () => step(id),
        (error: unknown) => step(id, { error }),
      );
  } catch (error) {
    answer({ id, ...explain(error) });
  }
}

function answer(answered: Answered): void {
  underWay.delete(answered.id);
  port?.postMessage(answered);
}

function explain(error: unknown): Pick<Answered, 'error'> {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Overlaps) return { error: { code: 'OVERLAPS', message, errors: error.errors } };
  if (error instanceof HistoryError) return { error: { code: error.problem, message } };
  return { error: { code: error instanceof Error && 'code' in error ? String(error.code) : '', message } };
}
