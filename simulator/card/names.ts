/**
 * Names and times as the card has them. Device times are ms since 1970 in the meter's own local clock, so the UTC getters
 * of Date show what the meter's display shows.
 *
 * Captured: `NL_0001_SLM_Lp _0019_0001.rnd` (a literal space: the kind is a field of three characters),
 * `NL_0001_SLM_MAN_0019_0000.rnd`, `Auto_0019`, `Manual_0019`, `Auto_Leq`, `Auto_Lp_01`, `0001_20251223_193950.bmp`.
 * Inferred: the Leq file (from the Lp sibling and NL-52 files) and the name of the header.
 */

const digits = (value: number, width: number): string => String(value).padStart(width, '0');

/** `Auto_0019`. */
export const storeFolder = (mode: 'Auto' | 'Manual', storeName: number): string => `${mode}_${digits(storeName, 4)}`;

/** Leq and MAN fill the field; Lp leaves a space. */
export const dataFile = (kind: 'Leq' | 'Lp' | 'MAN', index: number, storeName: number, sequence: number): string =>
  `NL_${digits(index, 4)}_SLM_${kind.padEnd(3)}_${digits(storeName, 4)}_${digits(sequence, 4)}.rnd`;

/** `NL_0001_SLM_0019.rnh`. */
export const headerFile = (index: number, storeName: number): string =>
  `NL_${digits(index, 4)}_SLM_${digits(storeName, 4)}.rnh`;

/** `NL_0001_20260420_140130_130dB_0019_0001_ST0001.wav`: with the device time at which it begins. */
export const recordingFile = (index: number, deviceTime: number, storeName: number): string =>
  `NL_${digits(index, 4)}_${compactTime(deviceTime)}_130dB_${digits(storeName, 4)}_0001_ST0001.wav`;

/** In the folder of an Auto store. */
export const LEQ_FOLDER = 'Auto_Leq';

/** Folders of Lp files count from 1. */
export const lpFolder = (number: number): string => `Auto_Lp_${digits(number, 2)}`;

export function screenshotFile(number: number, deviceTime: number): string {
  return `${digits(number, 4)}_${compactTime(deviceTime)}.bmp`;
}

/** `YYYYMMDD_HHMMSS`. */
const compactTime = (deviceTime: number): string =>
  clockTime(deviceTime).replaceAll('/', '').replaceAll(':', '').replace(' ', '_');

/** `YYYY/MM/DD HH:MM:SS`. */
export const clockTime = (deviceTime: number): string => clockTimeMs(deviceTime).slice(0, 19);

/** `YYYY/MM/DD HH:MM:SS.mmm`. */
export const clockTimeMs = (deviceTime: number): string =>
  new Date(deviceTime).toISOString().slice(0, 23).replace('T', ' ').replaceAll('-', '/');

/** `DDd HH:MM:SS.s`. */
export function measurementTime(ms: number): string {
  const tenths = Math.round(ms / 100);
  const part = (size: number, of: number, width: number) => digits(Math.floor(tenths / size) % of, width);
  const days = digits(Math.floor(tenths / 864_000), 2);
  return `${days}d ${part(36_000, 24, 2)}:${part(600, 60, 2)}:${part(10, 60, 2)}.${tenths % 10}`;
}
