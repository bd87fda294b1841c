/** Settings of one of several instances on one database. */
import type { Group } from './property.ts';

/** What an instance is called, and where the others reach it. */
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
    title: 'Where the other instances reach this one',
    description:
      'Such as http://192.0.2.10:8100. Without it: the first address of this computer that the gateway listens on.',
    default: '',
    pattern: '^(https?://[A-Za-z0-9.:\\[\\]-]{1,253})?$',
  },
  share_meters: {
    type: 'boolean',
    title: 'Whether instances that wait serve sessions with meters',
    description:
      'With it the connections and streams of the meters are shared out between the instances that have it on; tables, levels and answers stay with one of them. Without it one instance has all meters.',
    default: false,
  },
} as const satisfies Group;
