/** Notes of people about the shown time, and exclusions, whose levels do not count. A new note is for this time. */
import type { schemas } from '../../client/index.ts';
import { mayOperate } from '../state/access.ts';
import { dayAndTime } from '../state/numbers.ts';
import { NewNote } from '../ui/note-form.tsx';
import { NoteList } from '../ui/note-list.tsx';
import { say } from '../words/say.ts';

interface Props {
  readonly unitId: string;
  readonly zone: string;
  /** The time shown, ms. */
  readonly span: { readonly from: number; readonly to: number };
  /** Whether the time shown ends now. */
  readonly isNow: boolean;
  readonly notes: readonly schemas.Note[];
  /** After a change. */
  again(): void;
}

/** The card below the chart. */
export function Notes({ unitId, zone, span, isNow, notes, again }: Props) {
  if (notes.length === 0 && !mayOperate.value) return null;
  // The future is not known yet.
  const shown = { from: span.from, to: Math.min(span.to, Date.now()) };
  return (
    <section class="card" aria-labelledby="notes">
      <h2 id="notes">{say('Notes')}</h2>
      <NoteList notes={notes} zone={zone} again={again} />
      {mayOperate.value && (
        <NewNote unitId={unitId} span={shown} mayGoOn={isNow} again={again}>
          <p class="soft">
            {say('About the time shown: {from} to {to}. Drag over the chart to choose another.', {
              from: dayAndTime(shown.from, zone),
              to: dayAndTime(shown.to, zone),
            })}
          </p>
        </NewNote>
      )}
    </section>
  );
}
