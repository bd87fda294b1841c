/** What one setting of a meter is: how it is read and written, and how the API shows it. GET, PUT and the list of all follow from it. */
import { type Caller, COMMAND_ERRORS, type Host, type Meter, type Schema } from '../../lib/index.ts';

/** What settings are read from: the meter, or what is known of it. */
export type ReadableMeter = Pick<Meter, 'perform' | 'readSetting'>;

/** One setting; `Value` is what the API shows of it. */
export interface Setting<Value, Query, Body> {
  /** Name in the list of all settings, which has the order of the table. */
  readonly name: string;
  /** Below the unit. Undefined: it is only in the list, or another plugin has its path. */
  readonly path?: string;
  /** What it is, after "Read the" and "Set the". */
  readonly what: string;
  readonly description?: string;
  /** Query of GET, with defaults. The list of all reads with these defaults. */
  readonly query?: Readonly<Record<string, Schema>>;
  readonly usual: Query;
  /** Of GET; PUT answers the same with a message. */
  readonly answer: Readonly<Record<string, Schema>>;
  /** Whether the list of all has it: the family of the meter does. */
  isIn(meter: Meter): boolean;
  read(meter: ReadableMeter, query: Query, caller: Caller): Promise<Value>;
  shown(value: Value, query: Query): object;
  /** In the list of all. */
  text(value: Value): string;
  /** Its name if the query selects one of several. Default: `name`. */
  nameFor?(query: Query): string;
  /** A further use of a reading. */
  learned?(host: Host, unitId: string, value: Value): void;
  readonly change?: Change<Value, Query, Body>;
}

interface Change<Value, Query, Body> {
  readonly summary?: string;
  readonly body: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  /** Before the request takes a place in the queue of the meter. Errors: INVALID, NOT_SUPPORTED. */
  check?(body: Body, meter: Meter): void;
  /** The value that holds then. */
  write(meter: Meter, body: Body, caller: Caller): Promise<Value>;
  query(body: Body): Query;
  message(value: Value, body: Body): string;
}

/** A row of the table, whatever its types are. */
export interface SettingRow {
  readonly name: string;
  isIn(meter: Meter): boolean;
  text(meter: ReadableMeter, caller: Caller): Promise<string>;
  routes(host: Host): void;
}

/** The types of a setting belong together; outside of it nobody needs them. */
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
      const value = await setting.read(host.meter(unitId), query, caller);
      setting.learned?.(host, unitId, value);
      publish(host, unitId, setting, query, value);
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
