/** The link between an instance and its gateway; and the routes that show and remove instances. */
import type { InstancesKnown, MemberState } from '../cluster/contract.ts';
import { named, TIME_OR_NULL } from '../domain/fields/field.ts';
import { INSTANCE_STATES, type InstanceState } from '../domain/ids.ts';
import { GatewayError } from '../errors.ts';
import { invalid } from '../http/checks.ts';
import type { Route, Schema } from '../http/contract.ts';
import type { Trouble } from '../http/health.ts';
import type { Ownership } from '../store/postgres/medium.ts';

export interface ActiveInstance {
  /** The fence of the store. */
  readonly ownership: Ownership;
  /** False as soon as another instance may have the meters. Asked before each connection, and before bytes go out. */
  readonly mayAct: () => boolean;
  readonly known: () => InstancesKnown;
  /** Removes a member that is silent or has left. False: it has given a sign of life since. Errors: STORAGE_FAILED. */
  readonly remove: (id: string) => Promise<boolean>;
  readonly troubles: () => readonly Trouble[];
  /** Called when everything but the server is ready: the address is free after it. */
  readonly beforeListen: () => Promise<void>;
}

/** For a gateway in its own data folder: there are no instances. */
export const noInstances: Pick<ActiveInstance, 'known' | 'remove'> = Object.freeze({
  known: () => ({ members: [], takeovers: 0, gap: undefined }),
  remove: async () => false,
});

const INSTANCE: Schema = named('ClusterInstance', {
  id: { type: 'string', description: 'Made once, in the data folder of the instance.' },
  name: { type: 'string', description: 'Setting `instance_name`.' },
  address: { type: 'string', description: 'Where clients reach it.' },
  version: { type: 'string' },
  state: {
    type: 'string',
    enum: [...INSTANCE_STATES],
    description:
      'active: it is the gateway. standby: it takes over when the active instance is gone. silent: it gives no sign of life. left: it was stopped regularly.',
  },
  last_seen: {
    ...TIME_OR_NULL,
    description:
      'When its last sign of life came, by the clock of the instance that answers; null: none since that instance started.',
  },
  self: { type: 'boolean', description: 'The instance that answers.' },
});

type Known = Pick<ActiveInstance, 'known' | 'remove'>;

/** `GET /_cluster` and `DELETE /_cluster/{instance}`. */
export const clusterRoutes = (instances: Known): readonly Route[] => [list(instances), removal(instances)];

const list = ({ known }: Known): Route => ({
  method: 'GET',
  path: '/_cluster',
  access: 'viewer',
  summary: 'Show the instances that share one database, and which of them is active',
  answer: {
    data: {
      type: 'array',
      description: 'Empty if the gateway keeps its data in its own folder: then it is the only instance.',
      items: INSTANCE,
    },
  },
  errors: [],
  handle() {
    return { data: known().members.map(shown) };
  },
});

const removal = ({ known, remove }: Known): Route => ({
  method: 'DELETE',
  path: '/_cluster/{instance}',
  params: {
    instance: { type: 'string', minLength: 1, maxLength: 200, description: 'The name of an instance, or its id.' },
  },
  access: 'admin',
  operation: 'removeInstance',
  summary: 'Remove an instance that is gone for good',
  description:
    'Only an instance that is silent or was stopped can be removed. It is no longer listed, and /health and alerts no longer name it. If it is started again, it joins again.',
  answer: { message: { type: 'string' } },
  errors: ['INSTANCE_NOT_FOUND', 'INSTANCE_RUNS', 'STORAGE_FAILED'],
  async handle({ params: { instance = '' }, before }) {
    const one = theOne(known().members, instance);
    before(shown(one));
    if (!GONE.includes(one.state)) throw runs(`The instance ${one.name} is ${one.state}`);
    if (!(await remove(one.id))) throw runs(`The instance ${one.name} has just given a sign of life`);
    return { message: `The instance ${one.name} is removed. If it is started again, it joins again.` };
  },
});

const GONE: readonly InstanceState[] = ['silent', 'left'];

const runs = (what: string) =>
  new GatewayError('INSTANCE_RUNS', `${what}: only a silent or stopped instance can be removed.`);

/** Errors: INSTANCE_NOT_FOUND; INVALID for a name that several instances have. */
function theOne(members: readonly MemberState[], given: string): MemberState {
  const named = members.filter(({ name }) => name === given);
  const [one, ...more] = members.filter(({ id }) => id === given).concat(named);
  if (!one) throw new GatewayError('INSTANCE_NOT_FOUND', `There is no instance ${given}.`);
  if (one.id === given || more.length === 0) return one;
  const ids = named.map(({ id }) => id).join(', ');
  throw invalid([{ path: '/instance', message: `is the name of several instances: give the id of one, ${ids}` }]);
}

const shown = ({ lastSeen, isSelf, ...member }: MemberState) => ({
  ...member,
  self: isSelf,
  last_seen: lastSeen === undefined ? null : new Date(lastSeen).toISOString(),
});
