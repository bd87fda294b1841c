/** Live values of a meter: GET for one fresh reading, WebSocket for the fast stream that all clients share. */
import { ageSeconds, notSupported, shownValues } from '../../lib/built-in.ts';
import { COMMAND_ERRORS, GatewayError, type Plugin, readLive } from '../../lib/index.ts';
import { serveMany } from './many.ts';
import {
  FEED_MESSAGE,
  FRAME_MESSAGE,
  LIVE_SETTINGS,
  type LiveSettings,
  REACHABILITY_MESSAGE,
  SNAPSHOT,
  VALUES_MESSAGE,
} from './schemas.ts';
import { createStreams, FrameWeightings, StreamLimit } from './streams.ts';

const plugin: Plugin<LiveSettings> = {
  name: 'live',
  about: 'Live values: one reading, or a stream',
  settings: LIVE_SETTINGS,
  register(host) {
    host.route({
      method: 'GET',
      path: '/{unit_id}/live',
      access: 'viewer',
      summary: 'Read the display of the meter',
      description:
        'Levels and state are fresh; battery, power source and card space are read at most once a minute. Calls within a second share one reading; measured_at and age_s say when it was.',
      answer: { data: SNAPSHOT },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        const status = await readLive(host, host.meter(unitId), caller);
        const interval = host.configs.get(unitId)?.pollIntervalSeconds;
        if (interval === undefined)
          throw new GatewayError('UNIT_NOT_FOUND', `The unit ${unitId} was removed meanwhile.`);
        const data = {
          unit_id: unitId,
          ...shownValues(status, interval),
          age_s: ageSeconds(status.age('levelsAt')),
        };
        return { data };
      },
    });

    const limit = new StreamLimit(host.settings);
    const weightings = new FrameWeightings(host);
    const streams = createStreams(host, limit, weightings);
    host.onStop(() => streams.stop());
    serveMany(host, limit, weightings);
    host.on('reachability', ({ unitId, data }) => streams.tell(unitId, data.reachability));
    host.socket({
      path: '/{unit_id}/live',
      access: 'viewer',
      summary: 'Watch the levels of the meter, ten times a second',
      description:
        'One JSON text message for each frame. Further messages when the feed is interrupted, lost or back, and when the reachability of the meter changes. If there is no frame yet, the last known values come at once. Close codes: 1000 the client left; 1001 the gateway stops; 1008 the config was removed or its TCP disabled; 1011 the feed ended for good; 1013 too slow for too long.',
      messages: [FRAME_MESSAGE, FEED_MESSAGE, REACHABILITY_MESSAGE, VALUES_MESSAGE],
      errors: ['UNIT_NOT_FOUND', 'TCP_DISABLED', 'NOT_SUPPORTED', 'STOPPING', 'TOO_MANY_STREAMS'],
      admit({ unitId }) {
        const { family } = host.meter(unitId);
        if (!family.stream) throw notSupported(unitId, family, 'stream');
        limit.check(unitId);
      },
      open(client, { unitId }) {
        streams.open(client, host.meter(unitId));
      },
    });
  },
};
export default plugin;
