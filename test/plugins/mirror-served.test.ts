/** A copy of the card while no instance serves the meter: what it switches on is switched off again, a minute later. */
import t from 'tap';
import { GatewayError } from '../../lib/errors.ts';
import type { JobRun } from '../../lib/jobs/contract.ts';
import { createLog } from '../../lib/log.ts';
import type { Meter } from '../../lib/meter/contract.ts';
import type { Host } from '../../lib/plugin/contract.ts';
import { FtpSwitch } from '../../plugins/mirror/ftp-switch.ts';
import { untilServed } from '../../plugins/mirror/until-served.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { deviceConfig } from '../support/config.ts';
import { standIn } from '../support/stand-in.ts';

const UNSERVED_MS = 60_000;

function meterOf() {
  const clock = new VirtualClock(undefined, { timersOnly: true });
  const ending = new AbortController();
  let isOn = false;
  let servedFrom = 0;
  const perform = async (name: string, _caller: object, value?: unknown) => {
    if (clock.elapsed() < servedFrom) throw new GatewayError('OWNER_CHANGING', 'No instance serves the meter.');
    if (name === 'setFileServer') isOn = value === true;
    return isOn;
  };
  const meter = standIn<Meter>({ can: () => true, perform });
  const host = standIn<Pick<Host, 'meter' | 'card'>>({ meter: () => meter, card: () => ({ list: async () => [] }) });
  const job = standIn<JobRun<{ readonly byPerson?: true }>>({
    ...{ clock, signal: ending.signal, log: createLog('silent'), input: {}, checkpoint: undefined },
    ...{ say: () => {}, save: async () => {} },
  });
  return {
    ...{ clock, job, end: () => ending.abort(new GatewayError('STOPPING', 'over')) },
    files: new FtpSwitch(host, job, deviceConfig({ unitId: 'roof', ftpEnabled: true })),
    isOn: () => isOn,
    lose: () => {
      servedFrom = clock.elapsed() + UNSERVED_MS;
    },
  };
}

t.test('FTP is switched on and off when the meter is served again', async (t) => {
  const { clock, files, isOn, lose } = meterOf();
  lose();
  await clock.until(files.on());
  t.ok(isOn());
  t.ok(clock.elapsed() >= UNSERVED_MS);
  lose();
  await clock.until(files.asBefore());
  t.notOk(isOn(), 'it does not stay on for ever');
});

t.test('a job that is ended waits for nothing', async (t) => {
  const { clock, files, isOn, lose, end } = meterOf();
  await clock.until(files.on());
  lose();
  end();
  const from = clock.elapsed();
  await clock.until(files.asBefore());
  t.ok(isOn());
  t.ok(clock.elapsed() - from < 1_000);
});

t.test('other errors, and a meter that nobody serves for long, are told', async (t) => {
  const { clock, job } = meterOf();
  const fails = (code: 'OWNER_CHANGING' | 'FTP_FAILED') => () => Promise.reject(new GatewayError(code, 'words'));
  await t.rejects(clock.until(untilServed(job, fails('FTP_FAILED'))), { code: 'FTP_FAILED' });
  t.ok(clock.elapsed() < 1_000, 'at once');
  await t.rejects(clock.until(untilServed(job, fails('OWNER_CHANGING'))), { code: 'OWNER_CHANGING' });
  t.ok(clock.elapsed() >= 180_000);
});
