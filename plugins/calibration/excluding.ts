/** The exclusion of the time of a calibration. */
import type { Notes } from '../notes/index.ts';
import type { Calibration } from './calibration.ts';

/** The id of the exclusion for this time (ms since 1970 UTC): a new one, or one for a calibration that is made longer. */
export async function excludeCalibration(
  notes: Notes,
  unitId: string,
  { from, to }: { readonly from: number; readonly to: number },
  by: string,
): Promise<number> {
  const present = notes
    .list(unitId)
    .find(
      (note) =>
        note.kind === 'exclusion' &&
        note.reason === 'calibration' &&
        note.channels === null &&
        note.from < to &&
        (note.to ?? to) > from,
    );
  if (present) {
    const span = { from: Math.min(present.from, from), to: present.to === null ? null : Math.max(present.to, to) };
    const isShorter = span.from !== present.from || span.to !== present.to;
    if (isShorter) await notes.change(present.id, { ...present, ...span }, by);
    return present.id;
  }
  const text = 'A calibrator was measured.';
  const body = { from, to, kind: 'exclusion', reason: 'calibration', text, channels: null, observed: false } as const;
  return (await notes.add(unitId, body, by)).id;
}

/** The same for an entry of the log; nothing where only its moment is known. */
export async function excludeSpan(notes: Notes, { unitId, begunAt, endedAt }: Calibration, by: string): Promise<void> {
  if (begunAt !== null && endedAt !== null) await excludeCalibration(notes, unitId, { from: begunAt, to: endedAt }, by);
}
