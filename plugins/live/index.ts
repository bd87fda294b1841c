/** Live values of a meter: GET for one fresh reading (DOD), WebSocket for the fast stream (DRD) that all clients share. */
import { COMMAND_ERRORS, type Host, type Line, type Meter, type Plugin, type Snapshot } from '../../lib/index.ts';
import { readLive } from './reading.ts';
import { FEED_MESSAGE, FRAME_MESSAGE, type LiveSettings, SETTINGS, SNAPSHOT } from './schemas.ts';
import { createStreams } from './streams.ts';

const plugin: Plugin<LiveSettings> = {
  name: 'live',
  settings: SETTINGS,
  register(host) {
    host.route({
      method: 'GET',
      path: '/{unit_id}/live',
      access: 'viewer',
      summary: 'Read the display of the meter',
      description:
        'Levels and state are fresh; battery, power source and card space are read at most once a minute. Calls that wait at the same time share one reading.',
      answer: { data: SNAPSHOT },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        const meter = host.meter(unitId);
        const snapshot = await meter.hold('live', (line) => fresh(host, meter, line), caller, { join: 'live' });
        return { data: { unit_id: unitId, ...shown(snapshot) } };
      },
    });

    const streams = createStreams(host);
    host.onStop(() => streams.stop());
    host.socket({
      path: '/{unit_id}/live',
      access: 'viewer',
      summary: 'Watch the levels of the meter, ten times a second',
      description:
        'One JSON text message a frame, and a message when the feed is interrupted, lost or back. Close codes: 1000 the client left, 1001 the gateway stops, 1008 the config was removed or its TCP disabled, 1011 the feed ended for good, 1013 too slow for too long or too many streams.',
      messages: [FRAME_MESSAGE, FEED_MESSAGE],
      errors: ['UNIT_NOT_FOUND', 'TCP_DISABLED', 'STOPPING'],
      admit({ unitId }) {
        host.meter(unitId);
      },
      open(client, { unitId }) {
        streams.open(client, host.meter(unitId));
      },
    });
  },
};
export default plugin;

/** Recorded once for all who share the reading. What is not read this time comes from the last one. */
async function fresh(host: Host<LiveSettings>, meter: Meter, line: Line): Promise<Snapshot> {
  const values = await readLive(host, meter, line);
  host.snapshots.record(meter.unitId, values);
  return { ...host.snapshots.get(meter.unitId), ...values };
}

const shown = (snapshot: Snapshot) => ({
  measurement_state: snapshot.measurementState,
  lp: snapshot.lp,
  leq: snapshot.leq,
  lmax: snapshot.lmax,
  lmin: snapshot.lmin,
  lpeak: snapshot.lpeak,
  le: snapshot.le,
  ln1: snapshot.ln1,
  ln2: snapshot.ln2,
  ln3: snapshot.ln3,
  ln4: snapshot.ln4,
  ln5: snapshot.ln5,
  over_range: snapshot.overRange,
  under_range: snapshot.underRange,
  battery_level: snapshot.batteryLevel,
  battery_state: snapshot.batteryState,
  power_source: snapshot.powerSource,
  sd_remaining_mb: snapshot.sdRemainingMb,
  sd_free_ratio: snapshot.sdFreeRatio,
});
