/** The families of meters that the gateway knows. */
import { isDeepStrictEqual } from 'node:util';
import { GatewayError } from '../errors.ts';
import type { Families, Family, MeterSetting } from './contract.ts';
import { NL43 } from './nl43/index.ts';

/** One line for each family; its folder is beside this file. */
export const BUILT_IN: readonly Family[] = Object.freeze([NL43]);

/** The history counts frames of this length, ms. */
const FRAME_MS = 100;

/** Throws Error for a family that contradicts itself or another one: that is a fault of the program. */
export function createFamilies(list: readonly Family[] = BUILT_IN): Families {
  const families = new Map<string, Family>();
  for (const family of list) {
    const wrong = families.has(family.name) ? 'it is there twice' : faultOf(family);
    if (wrong) throw new Error(`The family of meters ${JSON.stringify(family.name)} cannot be used: ${wrong}.`);
    families.set(family.name, family);
  }
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

function faultOf({ name, channels, conversation, decodePushed, stream, settings }: Family): string | undefined {
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(name)) return 'its name is not made of small letters, digits and -';
  if (channels.length === 0) return 'it has no channel';
  if (!conversation && !decodePushed) return 'it has no conversation with its meters and no decoder for their messages';
  if (stream && !conversation?.stream) return 'it does not say how one asks for its stream';
  if (stream && stream.frameMs !== FRAME_MS) return `its frames are not of ${FRAME_MS} ms`;
  const names = settings.map((setting) => setting.name);
  return new Set(names).size < names.length ? 'two settings have one name' : undefined;
}
