/** Facts that a person gives to a preset: the fields that it needs. Pure. */
import type { schemas } from '../../client/index.ts';
import { INDEX_NAMES } from '../days/calendar-days.ts';
import { say, sayOfApi } from '../words/say.ts';

/** As the API names them. */
export const PRESET_INPUTS = [
  'tonal',
  'impulse',
  'low_frequency',
  'other',
  'residual',
  'background',
  'duration_s',
] as const;
type PresetInput = (typeof PRESET_INPUTS)[number];

const LABELS: Readonly<Record<PresetInput, () => string>> = {
  tonal: () => say('Tones, by ear, dB'),
  impulse: () => say('Impulses, by ear, dB'),
  low_frequency: () => say('Low frequencies, by ear, dB'),
  other: () => say('Other additions, dB'),
  residual: () => say('Level without the source, dB'),
  background: () => say('Representative LA90, dB'),
  duration_s: () => say('How long it lasts, s'),
};

const NAMES: Readonly<Record<string, string>> = INDEX_NAMES;

/** The name of a figure as people write it: `Lden` of `lden`. */
export const figureName = (name: string): string => NAMES[name] ?? sayOfApi(name);

export function inputsOf(preset: schemas.AssessmentPreset): readonly (readonly [PresetInput, string, string])[] {
  const isUsed = (name: PresetInput): boolean => {
    if (name === 'residual') return preset.residual !== 'subtract';
    if (name === 'background') return preset.background === 'difference';
    return preset[name === 'duration_s' ? 'duration' : name] !== null;
  };
  const [period] = preset.periods;
  return PRESET_INPUTS.filter(isUsed).map((name) => [
    name,
    LABELS[name](),
    say('3, or {period}:3', { period: period?.name ?? 'day' }),
  ]);
}
