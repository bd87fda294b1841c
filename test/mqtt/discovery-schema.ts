/** The shape that Home Assistant asks for in its MQTT discovery of devices, as a JSON Schema. */
import { Ajv2020 } from 'ajv/dist/2020.js';

/** Home Assistant 2026.4: without one of the required names it drops the whole document. It knows no `object_id` any more. */
const COMPONENT = {
  type: 'object',
  required: ['p', 'unique_id', 'default_entity_id', 'availability'],
  properties: {
    p: { enum: ['sensor', 'binary_sensor', 'button'] },
    command_topic: { type: 'string', pattern: '^[^#+]+$' },
    payload_press: { type: 'string', minLength: 1 },
    suggested_display_precision: { type: 'integer', minimum: 0 },
    unique_id: { type: 'string', pattern: '^[A-Za-z0-9_-]+$' },
    default_entity_id: { type: 'string', pattern: '^(sensor|binary_sensor|button)\\.[a-z0-9_]+$' },
    name: { type: 'string' },
    state_topic: { type: 'string', pattern: '^[^#+]+$' },
    value_template: { type: 'string' },
    availability_mode: { enum: ['all', 'any', 'latest'] },
    availability: {
      type: 'array',
      minItems: 1,
      items: { type: 'object', required: ['topic'], properties: { topic: { type: 'string' } } },
    },
    device_class: { enum: ['sound_pressure', 'battery', 'problem', 'enum'] },
    options: { type: 'array', minItems: 1, items: { type: 'string' } },
    unit_of_measurement: { enum: ['dB', 'dBA', '%'] },
    state_class: { const: 'measurement' },
    entity_category: { const: 'diagnostic' },
    icon: { type: 'string', pattern: '^mdi:' },
  },
  additionalProperties: false,
  allOf: [
    {
      if: { properties: { device_class: { const: 'sound_pressure' } }, required: ['device_class'] },
      // Home Assistant would keep arithmetic means of what has a state class.
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: {
        required: ['unit_of_measurement'],
        properties: { unit_of_measurement: { enum: ['dB', 'dBA'] }, state_class: false },
      },
    },
    {
      // A button has no state: what it does not know is refused.
      if: { properties: { p: { const: 'button' } } },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { required: ['command_topic'], properties: { state_topic: false, value_template: false } },
      else: { required: ['state_topic'], properties: { command_topic: false, payload_press: false } },
    },
  ],
};
const DEVICE = {
  type: 'object',
  required: ['dev', 'o', 'cmps'],
  properties: {
    dev: {
      type: 'object',
      required: ['ids', 'name'],
      properties: {
        ids: { type: 'array', minItems: 1, items: { type: 'string' } },
        name: { type: 'string', minLength: 1 },
        mf: { type: 'string' },
        sn: { type: 'string', minLength: 1 },
        sa: { type: 'string' },
      },
      additionalProperties: false,
    },
    o: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    cmps: { type: 'object', additionalProperties: COMPONENT },
    qos: { enum: [0, 1, 2] },
  },
  additionalProperties: false,
};
export const isDiscovery = new Ajv2020({ allErrors: true, strict: false }).compile(DEVICE);
