/** The parts of a running gateway, and their stop: in reverse order of their start, within a time limit. */
import type { CallerAccess } from '../access/index.ts';
import type { Journal } from '../audit/journal.ts';
import { type Clock, unlessAborted, within } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { History } from '../history/contract.ts';
import type { HistoryBackup } from '../history/index.ts';
import type { HttpServer } from '../http/server.ts';
import type { JobService } from '../jobs/index.ts';
import type { Log } from '../log.ts';
import type { Fleet } from '../meter/fleet.ts';
import type { LoadedPlugins } from '../plugin/load.ts';
import type { Settings } from '../settings/index.ts';
import type { Projection } from '../status/projection.ts';
import type { Store } from '../store/contract.ts';
import type { OpenPlaces } from '../transport/open-places.ts';

export interface Parts {
  audit?: Journal;
  access?: CallerAccess;
  store?: Store;
  jobs?: JobService;
  history?: History & HistoryBackup;
  status?: Projection;
  signing?: { close(): void };
  fleet?: Fleet;
  places?: Pick<OpenPlaces, 'settled'>;
  plugins?: LoadedPlugins;
  http?: HttpServer;
}

export interface StopSettings {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
}

/** A part that hangs leaves the rest of the time for the others. */
const PART_SHARE = 0.75;

/** Stops all parts. A part that fails or hangs is named in the log, and the next part is stopped all the same. */
export async function takeDown(parts: Parts, { settings, clock, log }: StopSettings): Promise<string[]> {
  const { http, plugins, jobs, fleet, places, status, access, audit, history, store } = parts;
  const unclean: string[] = [];
  const end = clock.elapsed() + settings.shutdown_timeout_ms;
  const step = async (name: string, stop: (limitMs: number) => Promise<void> | undefined) => {
    const limitMs = Math.max(0, end - clock.elapsed()) * PART_SHARE;
    const late = () => new Error('not in time');
    const work = async (signal: AbortSignal) => unlessAborted(stop(limitMs) ?? Promise.resolve(), signal);
    await within(clock, limitMs, late, work).catch((error: unknown) => {
      unclean.push(name);
      log.error({ part: name, reason: messageOf(error) }, `${name} did not stop cleanly`);
    });
  };
  http?.refuse();
  await step('the jobs', () => jobs?.close());
  await step('the plugins', () => plugins?.stop());
  // Requests that wait for a meter are answered here; only then can the server finish its requests.
  await step('the meters', () => fleet?.close());
  await step('the ports of the connections', () => places?.settled());
  status?.close();
  parts.signing?.close();
  // Requests that still run are broken off within the time of the step.
  await step('the server', (limitMs) => http?.drained(limitMs * PART_SHARE));
  await step('the API keys', () => access?.close());
  await step('the audit log', () => audit?.close());
  await step('the history', () => history?.close());
  await step('the store', () => store?.close());
  return unclean;
}
