/** One setting of a meter: its reading, its writing, and its fields in the API. GET, PUT and the list of all follow from it. */
import { type Caller, COMMAND_ERRORS, type Host, type Meter, type Schema } from '../../lib/index.ts';

/** The source of settings: the meter, or known values. */
export type ReadableMeter = Pick<Meter, 'perform' | 'readSetting'>;

export interface Setting<Value, Query, Body> {
  readonly name: string;
  /** Below the unit. Undefined: it is only in the list, or another plugin has its path. */
  readonly path?: string;
  /** The name of the setting after "Read the" and "Set the". */
  readonly what: string;
  readonly description?: string;
  /** Query of GET, with defaults. The list of all reads with these defaults. */
  readonly query?: Readonly<Record<string, Schema>>;
  readonly usual: Query;
  /** The fields of GET; PUT answers the same with a message. */
  readonly answer: Readonly<Record<string, Schema>>;
  /** Whether the list of all contains it: the family of the meter must have it. */
  isIn(meter: Meter): boolean;
  read(meter: ReadableMeter, query: Query, caller: Caller): Promise<Value>;
  shown(value: Value, query: Query): object;
  /** The value in the list of all. */
  text(value: Value): string;
  /** Its name if the query selects one of several. Default: `name`. */
  nameFor?(query: Query): string;
  learned?(host: Host, unitId: string, value: Value): void;
  readonly change?: Change<Value, Query, Body>;
}

interface Change<Value, Query, Body> {
  readonly summary?: string;
  readonly body: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  /** Called before the request waits in the queue of the meter. Errors: INVALID, NOT_SUPPORTED. */
  check?(body: Body, meter: Meter): void;
  write(meter: Meter, body: Body, caller: Caller): Promise<Value>;
  query(body: Body): Query;
  message(value: Value, body: Body): string;
}

export interface SettingRow {
  readonly name: string;
  isIn(meter: Meter): boolean;
  text(meter: ReadableMeter, caller: Caller): Promise<string>;
  routes(host: Host): void;
}

export function row<Value, Query, Body>(setting: Setting<Value, Query, Body>): SettingRow {
  return {
    name: setting.name,
    isIn: (meter) => setting.isIn(meter),
    text: async (meter, caller) => setting.text(await setting.read(meter, setting.usual, caller)),
    routes(host) {
      if (setting.path === undefined) return;
      addGet(host, setting, setting.path);
      if (setting.change) addPut(host, setting, setting.path, setting.change);
    },
  };
}

function addGet<Value, Query, Body>(host: Host, setting: Setting<Value, Query, Body>, path: string): void {
  host.route<unknown, Query>({
    method: 'GET',
    path: `/{unit_id}/${path}`,
    access: 'viewer',
    summary: `Read the ${setting.what}`,
    ...(setting.description && { description: setting.description }),
    ...(setting.query && { query: setting.query }),
    answer: setting.answer,
    errors: COMMAND_ERRORS,
    async handle({ unitId, query, caller }) {
      let isNew = true;
      const onAge = (ms: number) => {
        isNew = false;
        caller.onAge?.(ms);
      };
      const value = await setting.read(host.meter(unitId), query, { ...caller, onAge });
      // A value that was known already was published when it was read.
      if (isNew) {
        setting.learned?.(host, unitId, value);
        publish(host, unitId, setting, query, value);
      }
      return setting.shown(value, query);
    },
  });
}

function addPut<Value, Query, Body>(
  host: Host,
  setting: Setting<Value, Query, Body>,
  path: string,
  change: Change<Value, Query, Body>,
): void {
  host.route<Body, unknown>({
    method: 'PUT',
    path: `/{unit_id}/${path}`,
    access: 'operator',
    summary: `Set the ${setting.what}`,
    ...(setting.description && { description: setting.description }),
    body: { type: 'object', required: change.required, additionalProperties: false, properties: change.body },
    answer: { message: { type: 'string' }, ...setting.answer },
    errors: COMMAND_ERRORS,
    async handle({ unitId, body, caller }) {
      const meter = host.meter(unitId);
      change.check?.(body, meter);
      const value = await change.write(meter, body, caller);
      publish(host, unitId, setting, change.query(body), value);
      return { message: change.message(value, body), ...setting.shown(value, change.query(body)) };
    },
  });
}

/** Publishes the value for plugins that keep the last values of settings. */
function publish<Value, Query>(
  host: Host,
  unitId: string,
  { name, nameFor, text }: Pick<Setting<Value, Query, never>, 'name' | 'nameFor' | 'text'>,
  query: Query,
  value: Value,
): void {
  host.publish(unitId, 'setting', { name: nameFor?.(query) ?? name, value: text(value) });
}
