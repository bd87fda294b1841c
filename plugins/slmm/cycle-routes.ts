/** A measurement from start to end in two calls. The jobs of the gateway do it; the answer comes when they are done. */
import { clockText, GatewayError, isGatewayError, messageOf, sleep, zones } from '../../lib/index.ts';
import type { SlmmGateway, SlmmRoute, SlmmValues } from './route.ts';

const OR_NULL = (type: string) => ({ type: [type, 'null'] });
/** The longest time that an answer waits for a job, ms. The job goes on. */
const MOST_WAIT_MS = 120_000;
const LOOK_MS = 500;
const NAMES = 10_000;

type SlmmRequest = Parameters<SlmmRoute['answer']>[0];

/** The result of the job that a route of the gateway starts. Errors: that of the job; JOB_RUNNING after a long wait. */
async function through(
  { host, ask }: SlmmGateway,
  request: SlmmRequest,
  path: string,
  body: object,
): Promise<SlmmValues> {
  const { job } = await ask(request, { method: 'POST', path, body });
  const end = host.clock.elapsed() + MOST_WAIT_MS;
  for (;;) {
    const { state, result, error, message } = (await host.jobs.get(Number(job))) ?? {};
    if (state === 'done') return result as SlmmValues;
    if (error) throw new GatewayError(error.code as GatewayError['code'], error.detail);
    if (state !== 'queued' && state !== 'running')
      throw new GatewayError('DEVICE_BUSY', `Job ${job} was ended. ${message ?? ''}`);
    if (host.clock.elapsed() > end)
      throw new GatewayError('JOB_RUNNING', `Job ${job} of the gateway goes on. ${message ?? ''}`);
    await sleep(host.clock, LOOK_MS, request.caller.signal);
  }
}

const start: SlmmRoute = {
  method: 'POST',
  path: '/{unit_id}/start-cycle',
  access: 'operator',
  body: { sync_clock: OR_NULL('boolean') },
  async answer(request, gateway) {
    const { unitId, body } = request;
    const { timezone } = gateway.host.configs.of(unitId);
    const { index_number } = await gateway.ask(request, { method: 'GET', path: '/{unit_id}/index-number' });
    const sync_clock = body.sync_clock !== false;
    const begun = await through(gateway, request, '/{unit_id}/cycle/start', { sync_clock });
    const old = Number(index_number);
    // In the store mode Manual the name does not change.
    const index = Number(begun.store_name ?? old);
    const isSet = begun.clock_before_s !== null;
    const at = Date.parse(String(begun.started_at));
    return {
      unit_id: unitId,
      clock_synced: isSet,
      server_time: isSet ? clockText(at + zones.zoneOffset(timezone, at)) : null,
      old_index: old,
      new_index: index,
      attempts_made: ((index - old + NAMES) % NAMES) + 1,
      started: true,
    };
  },
};

const NO_FILES = { download_attempted: false, download_success: false, downloaded_folder: null, local_path: null };

const stop: SlmmRoute = {
  method: 'POST',
  path: '/{unit_id}/stop-cycle',
  access: 'operator',
  // `download_path` is ignored: it could be any path on this computer. The files go to the gateway's own copy of the card.
  body: { download: OR_NULL('boolean'), download_path: OR_NULL('string') },
  async answer(request, gateway) {
    const post = (path: string) => gateway.ask(request, { method: 'POST', path });
    const fetches = request.body.download !== false;
    if (!fetches) await post('/{unit_id}/stop');
    const files = fetches ? await stopAndFetch(gateway, request) : {};
    // The job leaves FTP unchanged; clients of SLMM go on with files.
    await post('/{unit_id}/ftp/enable');
    return {
      unit_id: request.unitId,
      stopped: true,
      ftp_enabled: true,
      ...NO_FILES,
      download_attempted: fetches,
      ...files,
    };
  },
};

/** Missing files are not an error in SLMM, once the meter is stopped. */
async function stopAndFetch(gateway: SlmmGateway, request: SlmmRequest): Promise<SlmmValues> {
  try {
    const { folder, mirror_job, steps } = await through(gateway, request, '/{unit_id}/cycle/stop', {});
    if (folder !== null && mirror_job === null)
      return { download_success: true, downloaded_folder: String(folder).split('/').at(-1) };
    const fetched = (steps as readonly SlmmValues[]).find(({ name }) => name === 'fetch');
    return { download_error: fetched?.note ?? 'No files were fetched.' };
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    const { is_measuring } = await gateway.ask(request, { method: 'GET', path: '/{unit_id}/measurement-state' });
    if (is_measuring !== false) throw error;
    return { download_error: messageOf(error) };
  }
}

/** A whole measurement: `start-cycle` and `stop-cycle`. */
export const CYCLE_ROUTES: readonly SlmmRoute[] = [start, stop];
