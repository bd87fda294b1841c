/** Settings of one instance among several on one database. */
import type { Group } from './property.ts';

/** Name of an instance, and its address for clients. */
export const instances = {
  instance_name: {
    type: 'string',
    title: 'Name of this instance among those on the same database',
    description: 'Shown to people. Without it: the name of this computer.',
    default: '',
    maxLength: 64,
  },
  instance_address: {
    type: 'string',
    title: 'Where clients reach this instance',
    description:
      'Such as http://192.0.2.10:8100. A standby sends clients there while this instance is active. Without it: the first address of this computer that the gateway listens on.',
    default: '',
    pattern: '^(https?://[A-Za-z0-9.:\\[\\]-]{1,253})?$',
  },
  sites: {
    type: 'array',
    title: 'Other gateways whose units are shown beside the own ones',
    description:
      'Each has name, address (such as http://192.0.2.20:8100) and key, an API key of a viewer there. They are read every 10 s. Only from a file.',
    default: [],
    maxItems: 100,
    items: {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 64 },
        address: { type: 'string', pattern: '^https?://[A-Za-z0-9.:\\[\\]-]{1,253}$' },
        key: { type: 'string', maxLength: 200, default: '' },
      },
      required: ['name', 'address'],
      additionalProperties: false,
    },
  },
} as const satisfies Group;
