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
  if (isBuiltIn && given === undefined) return Object.freeze(filled(settings, schema));
  try {
    compileBody(schema)(settings);
  } catch (error) {
    throw new Error(`plugin_settings.${plugin.name}: ${wordsOf(error)}`);
  }
  return Object.freeze(settings);
}

/** The value with the defaults of its missing properties, as the check fills them in. */
function filled(value: unknown, schema: Schema): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const [name, part] of Object.entries((schema.properties ?? {}) as Readonly<Record<string, Schema>>)) {
    const given: unknown = Reflect.get(value, name);
    const present = given === undefined ? structuredClone(part.default) : given;
    if (present !== undefined) Reflect.set(value, name, filled(present, part));
  }
  return value;
}

function wordsOf(error: unknown): string {
  if (!(error instanceof GatewayError) || !error.errors) return messageOf(error);
  return error.errors.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
}
