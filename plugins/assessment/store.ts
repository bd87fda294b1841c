/** Presets and calendars: read from memory, on the disk before memory shows a change. */
import { assessment, GatewayError, type Tables } from '../../lib/index.ts';
import { CALENDARS, type CalendarRow, type Holiday, OWN_PRESETS } from './tables.ts';

/** Most presets of people, and most calendars. */
export const MOST = 500;

/** A preset, and whether a person wrote it. */
export interface KeptPreset extends assessment.AssessmentPreset {
  readonly own: boolean;
}

const STANDARD_PRESETS = new Map(assessment.STANDARD_PRESETS.map((preset) => [preset.name, preset]));

/** By name. A preset of a person stands before the built-in one of the same name. */
export class AssessmentStore {
  readonly #tables: Tables;
  readonly #now: () => number;
  readonly #own = new Map<string, assessment.PresetBody>();
  readonly #calendars = new Map<string, CalendarRow>();

  constructor(tables: Tables, now: () => number) {
    this.#tables = tables;
    this.#now = now;
  }

  async load(): Promise<void> {
    const [presets, calendars] = await this.#tables.read(async (rows) => [
      await rows.find(OWN_PRESETS),
      await rows.find(CALENDARS),
    ]);
    for (const { name, body } of presets) this.#own.set(name, body);
    for (const row of calendars) this.#calendars.set(row.name, row);
  }

  /** The built-in ones in their order, then the others by name. */
  presets(): readonly KeptPreset[] {
    const others = [...this.#own.keys()].filter((name) => !STANDARD_PRESETS.has(name)).sort();
    return [...STANDARD_PRESETS.keys(), ...others].flatMap((name) => this.find(name) ?? []);
  }

  find(name: string): KeptPreset | undefined {
    const [own, builtIn] = [this.#own.get(name), STANDARD_PRESETS.get(name)];
    if (own) return { ...own, name, built_in: builtIn !== undefined, own: true };
    return builtIn && { ...builtIn, own: false };
  }

  /** Errors: ASSESSMENT_NOT_FOUND. */
  preset(name: string): KeptPreset {
    const found = this.find(name);
    if (!found) throw missing('preset', name);
    return found;
  }

  /** Errors: INVALID where there are too many; STORAGE_FULL, STORAGE_FAILED. */
  async put(name: string, body: assessment.PresetBody): Promise<KeptPreset> {
    if (!this.#own.has(name) && this.#own.size >= MOST)
      throw new GatewayError('INVALID', `There are ${MOST} presets already; remove one.`);
    await this.#tables.write((rows) => rows.put(OWN_PRESETS, [{ name, body, changedAt: this.#now() }]));
    this.#own.set(name, body);
    return this.preset(name);
  }

  /** The built-in one of this name is as it was. Errors: ASSESSMENT_NOT_FOUND; INVALID for one that nobody changed. */
  async remove(name: string): Promise<void> {
    if (!this.preset(name).own)
      throw new GatewayError('INVALID', `The preset ${name} comes with the gateway and cannot be removed.`);
    await this.#tables.write((rows) => rows.remove(OWN_PRESETS, { name }));
    this.#own.delete(name);
  }

  calendars(): readonly CalendarRow[] {
    return [...this.#calendars.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Errors: ASSESSMENT_NOT_FOUND. */
  calendar(name: string): CalendarRow {
    const found = this.#calendars.get(name);
    if (!found) throw missing('calendar', name);
    return found;
  }

  /** Answers with whether it is new. Errors: INVALID where there are too many; STORAGE_FULL, STORAGE_FAILED. */
  async putCalendar(name: string, days: readonly Holiday[]): Promise<boolean> {
    const isNew = !this.#calendars.has(name);
    if (isNew && this.#calendars.size >= MOST)
      throw new GatewayError('INVALID', `There are ${MOST} calendars already; remove one.`);
    const row = { name, days, changedAt: this.#now() };
    await this.#tables.write((rows) => rows.put(CALENDARS, [row]));
    this.#calendars.set(name, row);
    return isNew;
  }

  /** Errors: ASSESSMENT_NOT_FOUND. */
  async removeCalendar(name: string): Promise<void> {
    this.calendar(name);
    await this.#tables.write((rows) => rows.remove(CALENDARS, { name }));
    this.#calendars.delete(name);
  }
}

const missing = (kind: string, name: string) =>
  new GatewayError('ASSESSMENT_NOT_FOUND', `There is no ${kind} ${name}.`);
