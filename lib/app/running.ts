/** A gateway that is alone, or one of several instances on one database. */
import { systemClock } from '../clock.ts';
import { databaseAddress, databaseUrlOf } from '../domain/database-address.ts';
import { GatewayError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings/index.ts';
import { type Extras, type Gateway, startGateway } from './gateway.ts';
import { storeSettings } from './wiring.ts';

/** A gateway, or an instance that may wait. */
export interface Running extends Pick<Gateway, 'announced' | 'port' | 'about' | 'reload' | 'stop'> {
  /** Rejects if it cannot go on: the process should end. */
  readonly ended: Promise<void>;
}

interface Given extends Required<Pick<Extras, 'readAgain'>> {
  readonly log: Log;
  /** Aborts a start that waits for its database. */
  readonly stopping?: AbortSignal;
}

/** Rejects as `startGateway`; with StoreError if the database cannot be used; with the reason of `stopping`. */
export async function startRunning(settings: Settings, given: Given): Promise<Running> {
  if (settings.database_url !== '') return startOneOfMany(settings, given);
  const gateway = await startGateway(settings, given);
  return { ...gateway, ended: new Promise(() => {}) };
}

async function startOneOfMany(settings: Settings, given: Given): Promise<Running> {
  const { startInstance } = await import('./instance.ts');
  const { openCluster } = await import('../store/cluster.ts');
  const { HISTORY_TABLES } = await import('../history/postgres/tables.ts');
  const { startWatchdog } = await import('../cluster/watchdog/index.ts');
  const { databaseAnswers } = await import('./database-wait.ts');
  const { store, id, answers, release } = await openCluster(
    databaseAddress(databaseUrlOf(settings)),
    storeSettings(settings),
    HISTORY_TABLES,
  );
  const start: Parameters<typeof startInstance>[0]['start'] = (own, instance) =>
    startGateway(own, { ...given, instance });
  const watchdog = startWatchdog(given.log);
  const letGo = async () => {
    await watchdog.close();
    release();
  };
  const { log, stopping = new AbortController().signal } = given;
  const around = { clock: systemClock, log };
  const began = async () => {
    const port = await databaseAnswers({ settings, ...around, ask: answers }, stopping);
    return startInstance({
      settings: { ...settings, port },
      ...around,
      store,
      id,
      fits: answers,
      watchdog,
      start,
    });
  };
  const instance = await began().catch(async (error) => {
    await store.close();
    await letGo();
    throw error;
  });
  return {
    announced: instance.announced,
    port: instance.port,
    ended: instance.ended,
    about: () => instance.gateway()?.about() ?? aboutWaiting(settings, instance),
    reload: () => {
      const gateway = instance.gateway();
      if (!gateway)
        throw new GatewayError('NOT_READY', 'This instance waits: it reads its settings when it takes over.');
      return gateway.reload();
    },
    stop: () => instance.stop().finally(letGo),
  };
}

function aboutWaiting(
  { data_dir }: Settings,
  { announced, port, waits }: { announced: readonly string[]; port: number; waits: () => string | undefined },
) {
  const meters = { known: 0, enabled: 0 };
  const seen = { dashboard: true, needsKey: true, troubles: [], waits: waits() };
  return { addresses: announced, port, dataDir: data_dir, meters, ...seen };
}
