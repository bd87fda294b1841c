/** The settings of one plugin: given values, checked against its schema, with defaults. */
import { GatewayError, messageOf } from '../errors.ts';
import { compileBody } from '../http/checks.ts';
import type { LoadablePlugin, Schema } from './contract.ts';

const NONE: Schema = { type: 'object', properties: {} };

/** Throws an error that names the wrong key. */
export function settingsOf(plugin: LoadablePlugin, given: Readonly<Record<string, unknown>> | undefined): unknown {
  // The default of the whole object is used if no settings were given.
  const { default: usual = {}, ...schema } = plugin.settings ?? NONE;
  const settings: unknown = structuredClone(given ?? usual);
  try {
    compileBody(schema)(settings);
  } catch (error) {
    throw new Error(`plugin_settings.${plugin.name}: ${wordsOf(error)}`);
  }
  return Object.freeze(settings);
}

function wordsOf(error: unknown): string {
  if (!(error instanceof GatewayError) || !error.errors) return messageOf(error);
  return error.errors.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
}
