/** Shows the instances that share the meters. */
import type { InstancesKnown } from '../cluster/contract.ts';
import { named, TIME_OR_NULL } from '../domain/fields/schema.ts';
import { INSTANCE_STATES } from '../domain/instance-states.ts';
import type { Route, Schema } from '../http/contract.ts';

const INSTANCE: Schema = named('ClusterInstance', {
  id: { type: 'string', description: 'Made once, in the data folder of the instance.' },
  name: { type: 'string', description: 'Setting `instance_name`.' },
  address: { type: 'string', description: 'Where the other instances reach it.' },
  version: { type: 'string' },
  state: {
    type: 'string',
    enum: [...INSTANCE_STATES],
    description: 'silent: it is not heard of any more and could not take over. left: it was stopped in order.',
  },
  last_seen: {
    ...TIME_OR_NULL,
    description:
      'When its last sign of life came, by the clock of the instance that answers; null: none since that one began.',
  },
  self: { type: 'boolean', description: 'The instance that answers.' },
});

/** `GET /_cluster`. */
export const clusterRoute = (known: () => InstancesKnown): Route => ({
  method: 'GET',
  path: '/_cluster',
  access: 'viewer',
  summary: 'Show the instances that share one database, and which of them has the meters',
  answer: {
    data: {
      type: 'array',
      description: 'Empty where the gateway keeps its data in its own folder: then there are no others.',
      items: INSTANCE,
    },
  },
  errors: [],
  handle: () => ({
    data: known().members.map(({ id, name, address, version, state, lastSeen, isSelf }) => ({
      ...{ id, name, address, version, state, self: isSelf },
      last_seen: lastSeen === undefined ? null : new Date(lastSeen).toISOString(),
    })),
  }),
});
