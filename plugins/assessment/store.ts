/**
 * Presets and calendars are read from memory; a change is on the disk before memory shows it. Built-in ones come from
 * `config/assessments` and `config/calendars`, a JSON file for each, checked like the body of a request. The name of the file is the name.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { type Clock, compileBody, GatewayError, ROOT, type Schema, SureChanges, type Tables } from '../../lib/index.ts';
import type * as assessment from './model/index.ts';
import {
  type CalendarInput,
  checkedBody,
  HOLIDAYS,
  type KeptPreset,
  PRESET_BODY,
  type PresetInput,
} from './preset-schemas.ts';
import { CALENDARS, type Holiday, OWN_PRESETS } from './tables.ts';

/** The most presets of people, and the most calendars of people. */
export const MOST = 500;

/** A calendar, and whether a person wrote it. */
interface KeptCalendar {
  readonly name: string;
  /** A calendar of this name comes with the gateway. */
  readonly built_in: boolean;
  readonly own: boolean;
  /** The law that the days come from; null: a person wrote it. */
  readonly source: string | null;
  readonly days: readonly Holiday[];
}

/** A preset or calendar of a person hides the built-in preset or calendar of the same name. */
export class AssessmentStore {
  readonly #tables: Tables;
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #own = new Map<string, assessment.PresetBody>();
  readonly #calendars = new Map<string, readonly Holiday[]>();
  readonly #changes: SureChanges;
  #read: Shipped | null = null;

  constructor(tables: Tables, clock: Pick<Clock, 'now' | 'after'>) {
    this.#tables = tables;
    this.#clock = clock;
    this.#changes = new SureChanges(clock, () => this.load());
  }

  async load(): Promise<void> {
    const [presets, calendars] = await this.#tables.read(async (rows) => [
      await rows.find(OWN_PRESETS),
      await rows.find(CALENDARS),
    ]);
    this.#own.clear();
    this.#calendars.clear();
    for (const { name, body } of presets) this.#own.set(name, body);
    for (const { name, days } of calendars) this.#calendars.set(name, days);
  }

  /** Read at the first use: the checks take a tenth of a start, and not every gateway has assessments. */
  get #shipped(): Shipped {
    this.#read ??= readShipped();
    return this.#read;
  }

  /** The built-in presets, then the others; each by name. */
  presets(): readonly KeptPreset[] {
    return namesOf(this.#shipped.presets, this.#own).flatMap((name) => this.find(name) ?? []);
  }

  find(name: string): KeptPreset | undefined {
    const [own, builtIn] = [this.#own.get(name), this.#shipped.presets.get(name)];
    if (own) return { ...own, name, built_in: builtIn !== undefined, own: true };
    return builtIn && { ...builtIn, name, built_in: true, own: false };
  }

  /** Errors: ASSESSMENT_NOT_FOUND. */
  preset(name: string): KeptPreset {
    const found = this.find(name);
    if (!found) throw missing('preset', name);
    return found;
  }

  /** Errors: INVALID where there are too many presets; STORAGE_FULL, STORAGE_FAILED. */
  put(name: string, body: assessment.PresetBody): Promise<KeptPreset> {
    return this.#changes.inTurn(async () => {
      if (!this.#own.has(name) && this.#own.size >= MOST)
        throw new GatewayError('INVALID', `There are ${MOST} presets already; remove one.`);
      await this.#tables.write((rows) => rows.put(OWN_PRESETS, [{ name, body, changedAt: this.#clock.now() }]));
      this.#own.set(name, body);
      return this.preset(name);
    });
  }

  /** The built-in preset of this name counts again. Errors: ASSESSMENT_NOT_FOUND; INVALID for an unchanged built-in preset. */
  remove(name: string): Promise<void> {
    return this.#changes.inTurn(async () => {
      if (!this.preset(name).own)
        throw new GatewayError('INVALID', `The preset ${name} comes with the gateway and cannot be removed.`);
      await this.#tables.write((rows) => rows.remove(OWN_PRESETS, { name }));
      this.#own.delete(name);
    });
  }

  /** The built-in calendars, then the others; each by name. */
  calendars(): readonly KeptCalendar[] {
    return namesOf(this.#shipped.calendars, this.#calendars).flatMap((name) => this.findCalendar(name) ?? []);
  }

  findCalendar(name: string): KeptCalendar | undefined {
    const [own, builtIn] = [this.#calendars.get(name), this.#shipped.calendars.get(name)];
    if (own) return { name, built_in: builtIn !== undefined, own: true, source: null, days: own };
    return builtIn && { name, built_in: true, own: false, ...builtIn };
  }

  /** Errors: ASSESSMENT_NOT_FOUND. */
  calendar(name: string): KeptCalendar {
    const found = this.findCalendar(name);
    if (!found) throw missing('calendar', name);
    return found;
  }

  /** Errors: INVALID where there are too many calendars; STORAGE_FULL, STORAGE_FAILED. */
  putCalendar(name: string, days: readonly Holiday[]): Promise<KeptCalendar> {
    return this.#changes.inTurn(async () => {
      if (!this.#calendars.has(name) && this.#calendars.size >= MOST)
        throw new GatewayError('INVALID', `There are ${MOST} calendars already; remove one.`);
      await this.#tables.write((rows) => rows.put(CALENDARS, [{ name, days, changedAt: this.#clock.now() }]));
      this.#calendars.set(name, days);
      return this.calendar(name);
    });
  }

  /** The built-in calendar of this name counts again. Errors: ASSESSMENT_NOT_FOUND; INVALID for an unchanged built-in calendar. */
  removeCalendar(name: string): Promise<void> {
    return this.#changes.inTurn(async () => {
      if (!this.calendar(name).own)
        throw new GatewayError('INVALID', `The calendar ${name} comes with the gateway and cannot be removed.`);
      await this.#tables.write((rows) => rows.remove(CALENDARS, { name }));
      this.#calendars.delete(name);
    });
  }

  /** Stops following changes. */
  close(): void {
    this.#changes.close();
  }
}

/** The names of the first map in its order, then the further names of the second map, sorted. */
function namesOf(builtIn: ReadonlyMap<string, unknown>, own: ReadonlyMap<string, unknown>): string[] {
  return [...builtIn.keys(), ...[...own.keys()].filter((name) => !builtIn.has(name)).sort()];
}

const missing = (kind: string, name: string) =>
  new GatewayError('ASSESSMENT_NOT_FOUND', `There is no ${kind} ${name}.`);

/** A calendar with the law of its days. */
interface ShippedCalendar extends CalendarInput {
  readonly source: string;
}

/** By name, in the order of the names. */
interface Shipped {
  readonly presets: ReadonlyMap<string, assessment.PresetBody>;
  readonly calendars: ReadonlyMap<string, ShippedCalendar>;
}

interface PresetFile {
  readonly preset: PresetInput;
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
  const presets = readAll(new URL('assessments/', folder), (parsed: PresetFile) => {
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
