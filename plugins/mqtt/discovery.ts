/**
 * The message about a unit for Home Assistant: one device with six parts (MQTT discovery of devices, Home Assistant 2026.4: the
 * names `dev`, `o`, `cmps`, and `p` and `unique_id` of every part are required). It is retained, and an empty message removes
 * the device.
 */
import { type DeviceConfig, quantities } from '../../lib/index.ts';
import type { Topics } from './topics.ts';

interface Part {
  readonly name: string;
  readonly topic: 'state' | 'levels' | 'battery' | 'card';
  readonly template: string;
  /** Also shown while the meter cannot be reached, because it reports just that. */
  readonly always?: true;
  readonly p: 'sensor' | 'binary_sensor';
  readonly more: Readonly<Record<string, unknown>>;
}

const NO_WEIGHTINGS = { frequency: null, time: null };
const PERCENT = { unit_of_measurement: '%', state_class: 'measurement', entity_category: 'diagnostic' };
/** Quantities that are a sensor of their own. */
const LEVELS: Readonly<Record<string, Part>> = Object.fromEntries(
  quantities.QUANTITY_NAMES.flatMap((key): [string, Part][] => {
    const { sensor, unit } = quantities.quantityOf(key) ?? {};
    if (!sensor) return [];
    const more = { device_class: sensor, unit_of_measurement: unit, state_class: 'measurement' };
    const name = quantities.symbolOf(key, NO_WEIGHTINGS);
    return [[key, { p: 'sensor', name, topic: 'levels', template: `{{ value_json.${key} }}`, more }]];
  }),
);
const PARTS: Readonly<Record<string, Part>> = {
  ...LEVELS,
  battery: {
    ...{ p: 'sensor', name: 'Battery', topic: 'battery', template: '{{ value_json.battery_level }}' },
    more: { ...PERCENT, device_class: 'battery' },
  },
  card: {
    ...{ p: 'sensor', name: 'Card free', topic: 'card', template: '{{ value_json.free_percent }}' },
    more: { ...PERCENT, icon: 'mdi:sd' },
  },
  state: {
    ...{ p: 'sensor', name: 'State', topic: 'state', template: '{{ value_json.measurement_state }}' },
    more: { icon: 'mdi:record-circle-outline' },
  },
  problem: {
    ...{ p: 'binary_sensor', name: 'Problem', topic: 'state', always: true },
    template: "{{ 'ON' if value_json.problem else 'OFF' }}",
    more: { device_class: 'problem', entity_category: 'diagnostic' },
  },
};

/**
 * Letters, digits, dashes and underscores. Two units never get the same: every other character is written as a code of
 * its own.
 */
export function deviceId(base: string, unitId: string): string {
  const spelled = (text: string) => text.replaceAll('_', '__').replaceAll('.', '_d').replaceAll('/', '_s');
  return `${spelled(base)}_-${spelled(unitId)}`;
}

/** `prefix`: of Home Assistant; `base`: of this gateway. */
export const discoveryTopic = (prefix: string, base: string, unitId: string): string =>
  `${prefix}/device/${deviceId(base, unitId)}/config`;

/** The payload. What a unit does not have is left out. */
export function discoveryOf(base: string, topics: Topics, { unitId, name, place }: DeviceConfig): object {
  const id = deviceId(base, unitId);
  const gateway = { topic: topics.availability };
  const unit = { topic: topics.of(unitId, 'availability') };
  const component = ([key, part]: [string, Part]) => [
    key,
    {
      p: part.p,
      unique_id: `${id}-${key}`,
      default_entity_id: `${part.p}.${`${unitId}_${key}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`,
      name: part.name,
      state_topic: topics.of(unitId, part.topic),
      value_template: part.template,
      availability: part.always ? [gateway] : [gateway, unit],
      availability_mode: 'all',
      ...part.more,
    },
  ];
  return {
    dev: { ids: [id], name: name || unitId, mf: 'Rion', ...(place && { sa: place }) },
    o: { name: 'slm-gateway' },
    cmps: Object.fromEntries(Object.entries(PARTS).map(component)),
    qos: 1,
  };
}
