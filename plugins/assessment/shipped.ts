/**
 * Built-in presets of `config/assessments` and calendars of `config/calendars`, a JSON file for each. The name of the file
 * is the name of the preset or the calendar. Each file is checked like the body of a request.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { compileBody, GatewayError, ROOT, type Schema } from '../../lib/index.ts';
import type * as assessment from './model/index.ts';
import { type CalendarInput, checkedBody, HOLIDAYS, PRESET_BODY, type PresetInput } from './preset-schemas.ts';

/** A calendar with the law of its days. */
interface ShippedCalendar extends CalendarInput {
  readonly source: string;
}

/** By name, in the order of the names. */
export interface Shipped {
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
