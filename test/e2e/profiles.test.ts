/** The same working day on a meter of every profile: what is unknown about the meter must not matter to a caller. */
import t from 'tap';
import { loadProfile, profileNames } from '../../simulator/index.ts';
import { openWorld } from '../support/world.ts';

for (const profile of profileNames()) {
  t.test(`a working day on a meter of the profile ${profile}`, async (t) => {
    const world = await openWorld(t, { quirks: loadProfile(profile) });
    const fine = async (what: string, answer: Promise<{ status: number; body: object }>) => {
      const { status, body } = await answer;
      t.match({ status, body }, { status: 200, body: { status: 'ok' } }, `${what} ${JSON.stringify(body)}`);
      return body;
    };
    await fine('clock', world.put('/sim-1/clock', { datetime: '2025/12/24,08:00:00' }));
    await fine('weighting', world.put('/sim-1/frequency-weighting', { weighting: 'C' }));
    t.match(await fine('weighting', world.get('/sim-1/frequency-weighting')), { frequency_weighting: 'C' });
    await fine('time', world.put('/sim-1/measurement-time', { preset: '12h' }));
    t.match(await fine('time', world.get('/sim-1/measurement-time')), { measurement_time: '12h' });
    await fine('index', world.put('/sim-1/index-number', { index: 7 }));
    t.match(await fine('index', world.get('/sim-1/index-number')), { index_number: '0007' });
    await fine('start', world.post('/sim-1/start'));
    await world.pass(5_000);
    t.match(await fine('state', world.get('/sim-1/measurement-state')), { is_measuring: true });
    t.match(await fine('live', world.get('/sim-1/live')), {
      data: { measurement_state: 'Measure', leq: /^\d+\.\d$/, battery_level: '100', power_source: String },
    });
    const client = await world.watch('/sim-1/live');
    await world.until('frames', () => client.frames.length >= 20);
    await fine('battery', world.get('/sim-1/battery'));
    const seen = client.frames.length;
    await world.until('frames again', () => client.frames.length >= seen + 10);
    client.socket.close(1000);
    await fine('stop', world.post('/sim-1/stop'));
    t.match(await fine('results', world.get('/sim-1/results')), { data: { leq: /^\d+\.\d$/ } });
    await fine('store', world.post('/sim-1/store'));
    const { settings } = (await fine('settings', world.get('/sim-1/settings/all'))) as { settings: object };
    t.match(settings, { measurement_state: 'Stop', frequency_weighting: 'C', measurement_time: '12h' });
    t.same(
      Object.values(settings).filter((value) => String(value).startsWith('Error')),
      [],
      'all settings are read',
    );
    await fine('FTP on', world.post('/sim-1/ftp/enable'));
    await world.pass(10_000);
    t.match(await fine('files', world.get('/sim-1/ftp/files')), { files: Array });
    t.same(world.meter.log.spacingViolations(), []);
  });
}
