/**
 * Abilities of each meter, from the gateway. The pages offer only these. While they are unknown, the pages offer everything:
 * the gateway refuses the rest with words.
 */
import { signal } from '@preact/signals';
import type { Capabilities } from '../../client/index.ts';
import { client } from './access.ts';

/** Null: the gateway did not say. */
const known = signal<ReadonlyMap<string, Capabilities | null>>(new Map());

export async function askAbilities(unitId: string): Promise<void> {
  const found = await client.value.capabilities(unitId).catch(() => null);
  if (found || !known.value.has(unitId)) known.value = new Map(known.value).set(unitId, found);
}

export function can(unitId: string, ...operations: readonly string[]): boolean {
  const found = known.value.get(unitId);
  return !found || operations.every((name) => found.operations.includes(name));
}

export const hasFiles = (unitId: string): boolean => known.value.get(unitId)?.files !== null;

export function canStore(unitId: string): boolean {
  const found = known.value.get(unitId);
  return !found || found.settings.some(({ name }) => name === 'store_mode');
}

export const hasSettings = (unitId: string): boolean => known.value.get(unitId)?.settings.length !== 0;

/** Whether the meter refuses a change of this setting while it measures. While that is unknown: no. */
export function isRefusedWhileMeasuring(unitId: string, name: string): boolean {
  const { settings, operations } = known.value.get(unitId) ?? {};
  // The number of the series is an operation: the families that have it refuse it like the other settings of the store.
  if (name === 'index_number') return operations?.includes('set_store_name') ?? false;
  return settings?.find((setting) => setting.name === name)?.changes === 'stopped';
}

/** The folder on the card that has the measurements of most meters of the family; undefined until it is known. */
export function rootOfFiles(unitId: string): string | undefined {
  const found = known.value.get(unitId);
  return found === undefined ? undefined : (found?.files?.roots[0] ?? '/');
}
