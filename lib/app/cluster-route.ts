/** Shows the instances that share the meters. */
import type { Route } from '../http/contract.ts';
import type { MemberState } from './instance-seat.ts';

/** `GET /_cluster`. `members`: none where the gateway is alone. */
export const clusterRoute = (members: () => readonly MemberState[]): Route => ({
  method: 'GET',
  path: '/_cluster',
  access: 'viewer',
  summary: 'Show the instances that share one database, and which of them has the meters',
  answer: {
    data: {
      type: 'array',
      description: 'Empty where the gateway keeps its data in its own folder: then there are no others.',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string', description: 'Made once, in the data folder of the instance.' },
          name: { type: 'string', description: 'Setting `instance_name`.' },
          address: { type: 'string', description: 'Where the other instances reach it.' },
          version: { type: 'string' },
          state: {
            type: 'string',
            enum: ['has the meters', 'waits', 'silent', 'left'],
            description: 'silent: it is not heard of any more and could not take over. left: it was stopped in order.',
          },
          self: { type: 'boolean', description: 'The instance that answers.' },
        },
        required: ['id', 'name', 'address', 'version', 'state', 'self'],
        additionalProperties: false,
      },
    },
  },
  errors: [],
  handle: () => ({
    data: members().map(({ id, name, address, version, state, isSelf }) => {
      return { id, name, address, version, state, self: isSelf };
    }),
  }),
});
