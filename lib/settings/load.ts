/** Defaults < file < environment < command line. */
import { combine, defaults, type Layer, type ProcessSurroundings } from './check.ts';
import { configVariable, fromArguments, fromEnvironment, fromFile, type ReadText, type Wishes } from './read.ts';
import type { Settings } from './schema.ts';

/** Sources of settings. */
export interface Sources extends ProcessSurroundings {
  readonly argv: readonly string[];
  readonly readText: ReadText;
  /** Read when neither `--config` nor SLM_CONFIG names another file. */
  readonly usualFile: string;
}

/** Settings that were read. They are checked when `settings` is called. */
export interface Loaded {
  /** Throws SettingsError. Not called for help and version, which also work with wrong settings. */
  settings(): Settings;
  readonly wishes: Wishes;
  /** Warnings; the settings can still be used. */
  readonly warnings: readonly string[];
}

/** Throws SettingsError when the command line itself cannot be read. */
export function load(sources: Sources): Loaded {
  const { layer, wishes } = fromArguments(sources.argv);
  const file = wishes.config ?? configVariable(sources.env) ?? sources.usualFile;
  const environment = fromEnvironment(sources.env);
  const settings = () => combine([defaults(sources), fromFile(file, sources.readText), environment, layer]);
  return { settings, wishes, warnings: environment.warnings };
}

/** Settings given by a program that embeds the gateway; the rest are defaults. Throws SettingsError. */
export function settingsFrom(given: Partial<Settings>, surroundings: ProcessSurroundings): Settings {
  const layer: Layer = { values: given, from: () => 'the caller' };
  return combine([defaults(surroundings), layer]);
}
