/**
 * Presets and calendars: built-in ones, and those of people. Built-in ones come from `config/assessments` and
 * `config/calendars`, a JSON file for each, checked like the body of a request. The name of the file is the name.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { compileBody, ROOT } from '../../lib/built-in.ts';
import {
  type Clock,
  columns,
  defineTable,
  GatewayError,
  NamedRows,
  type Schema,
  type TableMigration,
  type Tables,
} from '../../lib/index.ts';
import type * as assessment from './model/index.ts';
import {
  type CalendarBody,
  checkedBody,
  HOLIDAYS,
  type Holiday,
  type Origin,
  PRESET_BODY,
  type PresetInput,
} from './preset-schemas.ts';

const { integer, json, text } = columns;

const PRESET_FIELDS = { name: text(), body: json<assessment.PresetBody>(), changedAt: integer() };
export const OWN_PRESETS = defineTable('assessment_preset', ['name'], PRESET_FIELDS);
const CALENDAR_FIELDS = { name: text(), days: json<readonly Holiday[]>(), changedAt: integer() };
export const CALENDARS = defineTable('assessment_calendar', ['name'], CALENDAR_FIELDS);
export const MIGRATIONS: readonly TableMigration[] = [
  {
    name: '0001-presets',
    statements: [
      'create table assessment_preset (name text not null primary key, body json not null, changed_at integer not null)',
      'create table assessment_calendar (name text not null primary key, days json not null, changed_at integer not null)',
    ],
  },
];

/** Of people, each. */
const MOST = 500;

/** Presets or calendars. A person may hide a built-in one with another of the same name. */
class OwnAndBuiltIn<Body extends object, Row extends { readonly name: string; readonly changedAt: number }> {
  readonly #noun: string;
  readonly #rows: NamedRows<Row>;
  readonly #bodyOf: (row: Row) => Body;
  readonly #builtIn: () => ReadonlyMap<string, Body>;

  constructor(
    noun: string,
    rows: NamedRows<Row>,
    bodyOf: (row: Row) => Body,
    builtIn: () => ReadonlyMap<string, Body>,
  ) {
    this.#noun = noun;
    this.#rows = rows;
    this.#bodyOf = bodyOf;
    this.#builtIn = builtIn;
  }

  /** The built-in ones, then the others; each by name. */
  list(): readonly (Body & Origin)[] {
    const names = new Set([...this.#builtIn().keys(), ...this.#rows.list().map(({ name }) => name)]);
    return [...names].flatMap((name) => this.find(name) ?? []);
  }

  find(name: string): (Body & Origin) | undefined {
    const [own, builtIn] = [this.#rows.find(name), this.#builtIn().get(name)];
    const body = own ? this.#bodyOf(own) : builtIn;
    return body && { ...body, name, built_in: builtIn !== undefined, own: own !== undefined };
  }

  get(name: string): Body & Origin {
    const found = this.find(name);
    if (!found) throw new GatewayError('ASSESSMENT_NOT_FOUND', `There is no ${this.#noun} ${name}.`);
    return found;
  }

  /** Errors: INVALID where there are too many; STORAGE_FULL, STORAGE_FAILED. */
  async put(row: Omit<Row, 'changedAt'>): Promise<Body & Origin> {
    return this.get((await this.#rows.put(row)).name);
  }

  /** The built-in one of this name counts again. Errors: ASSESSMENT_NOT_FOUND; INVALID for an unchanged built-in one. */
  async remove(name: string): Promise<void> {
    if (!this.get(name).own)
      throw new GatewayError('INVALID', `The ${this.#noun} ${name} comes with the gateway and cannot be removed.`);
    await this.#rows.remove(name);
  }
}

export type AssessmentStore = ReturnType<typeof assessmentStore>;

/** Call `load` before the first use. */
export function assessmentStore(tables: Tables, clock: Clock) {
  const full = (kind: string) => () => new GatewayError('INVALID', `There are ${MOST} ${kind} already; remove one.`);
  const presets = new NamedRows(tables, clock, { table: OWN_PRESETS, most: MOST, full: full('presets') });
  const calendars = new NamedRows(tables, clock, { table: CALENDARS, most: MOST, full: full('calendars') });
  // Read at the first use: the checks take a tenth of a start, and not every gateway has assessments.
  let read: Shipped | undefined;
  const shipped = () => {
    read ??= readShipped();
    return read;
  };
  return {
    presets: new OwnAndBuiltIn(
      'preset',
      presets,
      ({ body }) => body,
      () => shipped().presets,
    ),
    calendars: new OwnAndBuiltIn(
      'calendar',
      calendars,
      ({ days }): CalendarBody => ({ source: null, days }),
      () => shipped().calendars,
    ),
    async load() {
      await presets.load();
      await calendars.load();
    },
    close() {
      presets.close();
      calendars.close();
    },
  };
}

type ShippedCalendar = CalendarBody & { readonly source: string };

interface Shipped {
  readonly presets: ReadonlyMap<string, assessment.PresetBody>;
  readonly calendars: ReadonlyMap<string, ShippedCalendar>;
}

const TEXT: Schema = { type: 'string', minLength: 1, maxLength: 300 };
const file = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  additionalProperties: false,
  required: ['description', ...Object.keys(properties)],
  properties: { description: TEXT, ...properties },
});
const checkPreset = compileBody(file({ preset: PRESET_BODY }));
const checkCalendar = compileBody(file({ source: TEXT, days: HOLIDAYS }));

/** Reads all files of a folder such as `config`. Throws an Error that names the file and its problem. */
export function readShipped(folder: URL = new URL('config/', ROOT)): Shipped {
  const presets = readAll(new URL('assessments/', folder), (parsed: { readonly preset: PresetInput }) => {
    checkPreset(parsed);
    return checkedBody(undefined, parsed.preset);
  });
  const calendars = readAll(new URL('calendars/', folder), (parsed: ShippedCalendar) => {
    checkCalendar(parsed);
    return { source: parsed.source, days: parsed.days };
  });
  return { presets, calendars };
}

function readAll<P, T>(folder: URL, checked: (parsed: P) => T): ReadonlyMap<string, T> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return new Map(names.sort().map((name) => [name.slice(0, -'.json'.length), read(new URL(name, folder), checked)]));
}

function read<P, T>(place: URL, checked: (parsed: P) => T): T {
  try {
    return checked(JSON.parse(readFileSync(place, 'utf8')));
  } catch (error) {
    throw new Error(`${place.pathname.split('/').slice(-3).join('/')}: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof GatewayError && error.errors)
    return error.errors.map(({ path, message }) => `${path} ${message}`).join('; ');
  return error instanceof Error ? error.message : String(error);
}
