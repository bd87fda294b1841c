/** Reads scenarios by name from a folder of JSON files. Checking is `scenario.ts`. Files are read once and kept. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE } from '../package-folder.ts';
import { checkScenario, type Scenario } from './scenario.ts';

/** The folder of the scenarios that come with the simulator. */
const SCENARIO_FOLDER = fileURLToPath(new URL('config/scenarios', PACKAGE));

const loaded = new Map<string, Scenario>();

/** Names of all scenarios in a folder, sorted. */
export function scenarioNames(folder = SCENARIO_FOLDER): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

/** RangeError for an unknown name, TypeError when the file is wrong; both say where and what. */
export function loadScenario(name: string, folder = SCENARIO_FOLDER): Scenario {
  const path = join(folder, `${name}.json`);
  const known = loaded.get(path);
  if (known) return known;
  // Compared with the listing, never opened by name: a name with a path in it must not leave the folder.
  const names = scenarioNames(folder);
  if (!names.includes(name)) throw new RangeError(`no scenario is called ${name}; known are ${names.join(', ')}`);
  const scenario = checkScenario(name, parse(name, path));
  loaded.set(path, scenario);
  return scenario;
}

function parse(name: string, path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new TypeError(`scenario ${name}: ${path} is not JSON: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}
