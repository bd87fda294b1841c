/**
 * The message about a unit for Home Assistant: one device with its parts (MQTT discovery of devices, Home Assistant 2026.4:
 * the names `dev`, `o`, `cmps`, and `p` and `unique_id` of every part are required). The message is retained, and an empty
 * message removes the device.
 *
 * Levels have no `state_class`: otherwise Home Assistant would keep arithmetic means of them, which are wrong for decibels.
 * The energy means of 15 minutes and of an hour are separate parts.
 */
import { type LevelSettings, quantities } from '../../lib/built-in.ts';
import type { DeviceConfig } from '../../lib/index.ts';
import { PERMIT_VERDICTS } from '../permits/index.ts';
import { COMMAND_NAMES } from './commands.ts';
import type { Topics, UnitTopic } from './topics.ts';

interface Part {
  readonly name: string;
  readonly topic: UnitTopic;
  readonly template?: string;
  /** Shown even while the meter cannot be reached: the value reports just that, or does not come from the meter. */
  readonly always?: true;
  readonly p: 'sensor' | 'binary_sensor' | 'button';
  readonly more: Readonly<Record<string, unknown>>;
}
type Parts = Readonly<Record<string, Part>>;

const PERCENT = { unit_of_measurement: '%', state_class: 'measurement', entity_category: 'diagnostic' };
const LEVEL = { device_class: 'sound_pressure', unit_of_measurement: 'dB', suggested_display_precision: 1 };

const levels = (weightings: quantities.SymbolWeightings): Parts =>
  Object.fromEntries(
    quantities.QUANTITY_NAMES.flatMap((key): [string, Part][] => {
      const { sensor, unit } = quantities.quantityOf(key) ?? {};
      if (!sensor) return [];
      const more = { ...LEVEL, device_class: sensor, unit_of_measurement: unit };
      const name = quantities.symbolOf(key, weightings);
      return [[key, { p: 'sensor', name, topic: 'levels', template: `{{ value_json.${key} }}`, more }]];
    }),
  );

/** For units that record. Old means are still right: each has its span. */
function meanLevels(weightings: quantities.SymbolWeightings): Parts {
  const name = quantities.symbolOf('leq', weightings);
  const mean = (topic: 'leq_15m' | 'leq_1h', time: string): Part => ({
    p: 'sensor',
    name: `${name} ${time}`,
    topic,
    template: '{{ value_json.leq }}',
    always: true,
    more: LEVEL,
  });
  return { leq_15m: mean('leq_15m', '15 min'), leq_1h: mean('leq_1h', '1 h') };
}

const DEVICE: Parts = {
  battery: {
    p: 'sensor',
    name: 'Battery',
    topic: 'battery',
    template: '{{ value_json.battery_level }}',
    more: { ...PERCENT, device_class: 'battery' },
  },
  card: {
    p: 'sensor',
    name: 'Card free',
    topic: 'card',
    template: '{{ value_json.free_percent }}',
    more: { ...PERCENT, icon: 'mdi:sd' },
  },
  state: {
    p: 'sensor',
    name: 'State',
    topic: 'state',
    template: '{{ value_json.measurement_state }}',
    more: { icon: 'mdi:record-circle-outline' },
  },
  problem: {
    p: 'binary_sensor',
    name: 'Problem',
    topic: 'state',
    always: true,
    template: "{{ 'ON' if value_json.problem else 'OFF' }}",
    more: { device_class: 'problem', entity_category: 'diagnostic' },
  },
  alert: {
    p: 'binary_sensor',
    name: 'Alert',
    topic: 'alerts',
    always: true,
    template: "{{ 'ON' if value_json.open > 0 else 'OFF' }}",
    more: { icon: 'mdi:bell-alert' },
  },
};

/** For units with a permit. */
const JUDGED: Parts = {
  verdict: {
    p: 'sensor',
    name: 'Permit today',
    topic: 'verdict',
    template: '{{ value_json.verdict }}',
    always: true,
    more: { device_class: 'enum', options: PERMIT_VERDICTS, icon: 'mdi:gavel' },
  },
};

const BUTTONS: Parts = Object.fromEntries(
  COMMAND_NAMES.map((command): [string, Part] => [
    `button_${command}`,
    {
      p: 'button',
      name: `${command.charAt(0).toUpperCase()}${command.slice(1)}`,
      topic: 'command',
      more: { payload_press: command },
    },
  ]),
);

/** Letters, digits, dashes and underscores. Every other character is written as a code, so that no two units get the same id. */
export function deviceId(base: string, unitId: string): string {
  const spelled = (text: string) => text.replaceAll('_', '__').replaceAll('.', '_d').replaceAll('/', '_s');
  return `${spelled(base)}_-${spelled(unitId)}`;
}

/** `prefix`: of Home Assistant; `base`: of this gateway. */
export const discoveryTopic = (prefix: string, base: string, unitId: string): string =>
  `${prefix}/device/${deviceId(base, unitId)}/config`;

export interface DiscoveryParts {
  readonly config: DeviceConfig;
  readonly settings: LevelSettings;
  readonly serialNumber: string | null;
  readonly isJudged: boolean;
  readonly buttons: boolean;
}

function partsOf({ config, settings, isJudged, buttons }: DiscoveryParts): Parts {
  const weightings = { frequency: settings.frequencyWeighting, time: settings.timeWeighting };
  return {
    ...levels(weightings),
    ...(config.history !== 'off' && meanLevels(weightings)),
    ...DEVICE,
    ...(isJudged && JUDGED),
    ...(buttons && BUTTONS),
  };
}

export const partNames = (told: DiscoveryParts): readonly string[] => Object.keys(partsOf(told));

/** Every part that a unit may have, now or after an earlier start. */
const ALL_PARTS: Parts = {
  ...levels({ frequency: null, time: null }),
  ...meanLevels({ frequency: null, time: null }),
  ...DEVICE,
  ...JUDGED,
  ...BUTTONS,
};
export const ALL_PART_NAMES: readonly string[] = Object.keys(ALL_PARTS);

/** The topics that belong only to these parts. */
export function topicsOfParts(names: readonly string[]): ReadonlySet<UnitTopic> {
  const parts = Object.entries(ALL_PARTS);
  const others = new Set(parts.filter(([name]) => !names.includes(name)).map(([, { topic }]) => topic));
  return new Set(parts.map(([, { topic }]) => topic).filter((topic) => !others.has(topic)));
}

/** The payload. It has only parts of the unit. Parts in `gone` have only their platform, so that Home Assistant removes them. */
export function discoveryOf(base: string, topics: Topics, told: DiscoveryParts, gone: readonly string[] = []): object {
  const { unitId, name, place } = told.config;
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
      [part.p === 'button' ? 'command_topic' : 'state_topic']: topics.of(unitId, part.topic),
      ...(part.template && { value_template: part.template }),
      availability: part.always ? [gateway] : [gateway, unit],
      availability_mode: 'all',
      ...part.more,
    },
  ];
  const serial = told.serialNumber !== null && { sn: told.serialNumber };
  return {
    dev: { ids: [id], name: name || unitId, mf: 'Rion', ...serial, ...(place && { sa: place }) },
    o: { name: 'slm-gateway' },
    cmps: {
      ...Object.fromEntries(Object.entries(partsOf(told)).map(component)),
      ...Object.fromEntries(gone.map((key) => [key, { p: ALL_PARTS[key]?.p }])),
    },
    qos: 1,
  };
}
