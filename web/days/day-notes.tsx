/** Notes and exclusions of the days shown. A day, or a span of it, is excluded here; its figures change at once. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { firstMomentOf, type schemas, type Unit } from '../../client/index.ts';
import { mayOperate } from '../state/access.ts';
import { localInput } from '../state/numbers.ts';
import { NewNote, SpanFields, type WrittenSpan } from '../ui/note-form.tsx';
import { NoteList } from '../ui/note-list.tsx';
import { say } from '../words/say.ts';
import { midnight } from './calendar-days.ts';

const DAY_MS = 86_400_000;

interface Props {
  readonly unit: Unit;
  readonly notes: readonly schemas.Note[];
  /** Noon of the day that was chosen in the calendar, ms; undefined: none yet. */
  readonly chosen: number | undefined;
  /** After a change. */
  again(): void;
}

/** The card below the calendar. */
export function DayNotes({ unit, notes, chosen, again }: Props) {
  const { unit_id: unitId, timezone } = unit;
  if (notes.length === 0 && !mayOperate.value) return null;
  return (
    <section class="card" aria-labelledby="day-notes">
      <h2 id="day-notes">{say('Notes')}</h2>
      <NoteList notes={notes} zone={timezone} again={again} />
      {mayOperate.value && <SpanOfDay key={chosen} unitId={unitId} zone={timezone} chosen={chosen} again={again} />}
    </section>
  );
}

interface SpanProps {
  readonly unitId: string;
  readonly zone: string;
  readonly chosen: number | undefined;
  again(): void;
}

/** The whole day at first, of today what is over. */
function SpanOfDay({ unitId, zone, chosen, again }: SpanProps) {
  const [written, setWritten] = useState<WrittenSpan>(() => wholeDay(chosen ?? Date.now(), zone));
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // From the calendar above one comes to its times.
    if (chosen !== undefined) place.current?.querySelector('input')?.focus();
  }, []);
  const span = { from: firstMomentOf(written.from, zone), to: firstMomentOf(written.to, zone) };
  return (
    <NewNote unitId={unitId} span={span} mayGoOn={chosen === undefined} again={again}>
      <p class="soft">{say('Choose a day in the calendar, or write the times.')}</p>
      <div class="fields" ref={place}>
        <SpanFields value={written} change={setWritten} />
      </div>
    </NewNote>
  );
}

function wholeDay(at: number, zone: string): WrittenSpan {
  const noon = firstMomentOf(`${localInput(at, zone).slice(0, 10)}T12:00`, zone);
  const end = Math.min(midnight(noon + DAY_MS, zone), Date.now());
  return { from: localInput(midnight(noon, zone), zone), to: localInput(end, zone) };
}
