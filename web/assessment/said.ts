/** What a person says for a preset: which fields it needs. Pure. */
import type { schemas } from '../../client/index.ts';

/** As the API names them. */
export const SAID = ['tonal', 'impulse', 'low_frequency', 'other', 'residual', 'background', 'duration_s'] as const;
/** One of these words. */
export type SaidName = (typeof SAID)[number];

const LABELS: Readonly<Record<SaidName, string>> = {
  tonal: 'Tones, by ear, dB',
  impulse: 'Impulses, by ear, dB',
  low_frequency: 'Low frequencies, by ear, dB',
  other: 'Other additions, dB',
  residual: 'Level without the source, dB',
  background: 'Representative LA90, dB',
  duration_s: 'How long it lasts, s',
};

/** Name, label and an example of each field. */
export function saidOf(preset: schemas.AssessmentPreset): readonly (readonly [SaidName, string, string])[] {
  const isUsed = (name: SaidName): boolean => {
    if (name === 'residual') return preset.residual !== 'subtract';
    if (name === 'background') return preset.background === 'difference';
    return preset[name === 'duration_s' ? 'duration' : name] !== null;
  };
  const [period] = preset.periods;
  return SAID.filter(isUsed).map((name) => [name, LABELS[name], `3, or ${period?.name ?? 'day'}:3`]);
}
