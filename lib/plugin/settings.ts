/** The settings of one plugin: given values, checked against its schema, with defaults. */
import { GatewayError, messageOf } from '../errors.ts';
import { compileBody } from '../http/checks.ts';
import type { LoadablePlugin, Schema } from './contract.ts';

const NONE: Schema = { type: 'object', properties: {} };

/**
 * Throws an error that names the wrong key. The defaults of a built-in plugin need no check: a test makes it. To compile the
 * schemas of all of them took a seventh of a start of the build.
 */
export function settingsOf(
  plugin: LoadablePlugin,
  given: Readonly<Record<string, unknown>> | undefined,
  isBuiltIn = false,
): unknown {
  // The default of the whole object is used if no settings were given.
  const { default: usual = {}, ...schema } = plugin.settings ?? NONE;
  const settings: unknown = structuredClone(given ?? usual);
  fill(settings, schema);
  try {
    if (given || !isBuiltIn) compileBody(schema)(settings);
  } catch (error) {
    throw new Error(`plugin_settings.${plugin.name}: ${wordsOf(error)}`);
  }
  return Object.freeze(settings);
}

function fill(value: unknown, schema: Schema): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries((schema.properties ?? {}) as Readonly<Record<string, Schema>>)) {
    const present: unknown = Reflect.has(value, name) ? Reflect.get(value, name) : structuredClone(part.default);
    if (present !== undefined) Reflect.set(value, name, present);
    fill(present, part);
  }
}

function wordsOf(error: unknown): string {
  if (!(error instanceof GatewayError) || !error.errors) return messageOf(error);
  return error.errors.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
}
