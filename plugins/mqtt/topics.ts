/** The names of topics, and the unit of a topic that the gateway reads. */
import { isUnitId } from '../../lib/built-in.ts';

/** Pattern of the settings `topic` and `home_assistant_prefix`: no wildcard, and no name that brokers reserve. */
export const TOPIC = '^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$';

export type UnitTopic =
  | ('availability' | 'state' | 'levels' | 'frame' | 'leq_15m' | 'leq_1h' | 'battery' | 'card' | 'verdict')
  | ('alerts' | 'alert' | 'result')
  | IncomingTopic;

export type IncomingTopic = 'command' | 'note';

export interface Topics {
  /** `online` or `offline`: whether the gateway is connected to the broker. */
  readonly availability: string;
  readonly gateway: string;
  readonly alert: string;
  of(unitId: string, topic: UnitTopic): string;
  readonly commands: string;
  readonly notes: string;
  /** The unit of a topic with this end; undefined for every other topic. */
  unitOf(topic: string, last: IncomingTopic): string | undefined;
  readonly stations: string;
  /** The station of such a topic; undefined for every other topic. */
  stationOf(topic: string): string | undefined;
}

const STATION = /^[a-z0-9][a-z0-9_-]{0,31}$/;

/** Words that begin with `_` are no unit ids. */
export function topicsBelow(base: string): Topics {
  return {
    availability: `${base}/_gateway/availability`,
    gateway: `${base}/_gateway/state`,
    alert: `${base}/_gateway/alert`,
    of: (unitId, topic) => `${base}/${unitId}/${topic}`,
    commands: `${base}/+/command`,
    notes: `${base}/+/note`,
    unitOf(topic, last) {
      if (topic.length > base.length + 80 || !topic.startsWith(`${base}/`) || !topic.endsWith(`/${last}`))
        return undefined;
      const unitId = topic.slice(base.length + 1, -`/${last}`.length);
      return isUnitId(unitId) ? unitId : undefined;
    },
    stations: `${base}/station/+`,
    stationOf(topic) {
      const id = topic.startsWith(`${base}/station/`) ? topic.slice(`${base}/station/`.length) : '';
      return STATION.test(id) ? id : undefined;
    },
  };
}
