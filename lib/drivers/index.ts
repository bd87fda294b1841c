/** The families of meters that the gateway knows. */
import { isDeepStrictEqual } from 'node:util';
import { GatewayError } from '../errors.ts';
import type { Families, Family, MeterSetting } from './contract.ts';
import { NL43 } from './nl43/index.ts';

/** One line for each family; its folder is beside this file. */
export const BUILT_IN: readonly Family[] = Object.freeze([NL43]);

/** The families of the gateway, by name. */
export function createFamilies(list: readonly Family[] = BUILT_IN): Families {
  const families = new Map(list.map((family) => [family.name, family]));
  const names = Object.freeze([...families.keys()]);
  return {
    names,
    settings: settingsOf(list),
    find: (name) => families.get(name),
    get(name) {
      const family = families.get(name);
      if (family) return family;
      const what = `This gateway does not know the family of meters ${name}; it knows ${names.join(', ')}.`;
      throw new GatewayError('NOT_SUPPORTED', what);
    },
  };
}

function settingsOf(families: readonly Family[]): readonly MeterSetting[] {
  const byName = new Map<string, MeterSetting>();
  for (const setting of families.flatMap(({ settings }) => settings)) {
    const { name, schema } = setting;
    const known = byName.get(name);
    if (!known) byName.set(name, setting);
    else if (!isDeepStrictEqual(known.schema, schema))
      byName.set(name, { ...known, schema: { anyOf: [known.schema, schema] } });
  }
  return [...byName.values()];
}
