/** A calendar of days, coloured by the limits. A day or a span of it is excluded here; its figures change at once. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { schemas, Unit } from '../../client/index.ts';
import { client, mayOperate } from '../state/access.ts';
import { concernsShown, go, isOfMain, meterPath, ofChannel, search, shownChannel } from '../state/address.ts';
import type { ChosenTime } from '../state/chosen-time.ts';
import { changes } from '../state/fleet.ts';
import { unlessAbsent, useFound } from '../state/found.ts';
import { Failed } from '../ui/action.tsx';
import { ChannelChoice } from '../ui/channel-choice.tsx';
import { Evidence } from '../ui/evidence.tsx';
import { NewNote } from '../ui/new-note.tsx';
import { NoteList } from '../ui/notes.tsx';
import { RecordingNote } from '../ui/recording-note.tsx';
import { Filters } from '../ui/schema-form.tsx';
import { say } from '../words/say.ts';
import { Calendar, type ExceededDay } from './calendar.tsx';
import { dateOf, firstDay, INDEX_NAMES, midnight, presets, WEEKS } from './calendar-days.ts';
import { Calibrations } from './calibrations.tsx';

const DAY_MS = 86_400_000;
const NONE_EXCEEDED: ReadonlyMap<string, ExceededDay> = new Map();

export function DaysPage({ unit }: { readonly unit: Unit }) {
  const { unit_id, timezone } = unit;
  const [chosen, choose] = useState<ChosenTime | undefined>(undefined);
  /** Counts the changes of notes, after which the levels are others. */
  const [changed, setChanged] = useState(0);
  const channel = shownChannel();
  const wanted = search.value.get('preset');
  const [preset, index] = presets().find(([name]) => name === wanted) ?? (['eu', 'lden'] as const);
  const first = firstDay(timezone);
  const span = {
    from: new Date(midnight(first, timezone)).toISOString(),
    to: new Date(midnight(first + WEEKS * 7 * DAY_MS, timezone)).toISOString(),
  };
  useEffect(() => choose(undefined), [unit_id]);
  const place = useRef<HTMLElement>(null);
  const { found: answered, failure } = useFound(
    (signal) => client.value.indices(unit_id, { preset, ...span, ...ofChannel() }, signal),
    [unit_id, preset, channel, changed],
  );
  // Levels of another channel are not shown as those of this one.
  const indices = answered?.channel === channel ? answered : undefined;
  // The days that exceeded a limit are shown with those of the main channel, whichever channel the rule is about.
  const { found: ofRules } = useFound(() => exceededOf(unit_id, span), [unit_id, changes.value.alert, changed]);
  const { found: notes = [] } = useFound(
    () => client.value.all<schemas.Note>(`/${encodeURIComponent(unit_id)}/notes`, span),
    [unit_id, changed],
  );
  const exceeded = isOfMain() ? ofRules : NONE_EXCEEDED;
  const dates = { from: dateOf(first, timezone), to: dateOf(first + (WEEKS * 7 - 1) * DAY_MS, timezone) };
  // Permits judge the main channel. A gateway without the plugin has no verdicts.
  const { found: judged } = useFound(
    () => client.value.verdicts(unit_id, dates).catch(() => undefined),
    [unit_id, changed, changes.value.alert],
  );
  const verdicts = new Map(isOfMain() ? judged?.days.map((day) => [day.date, day]) : []);
  const written = search.value.get('limit') ?? '';
  const limit = written !== '' && Number.isFinite(Number(written)) ? Number(written) : undefined;
  const show = (more: Readonly<Record<string, string>>) =>
    go(`${meterPath(unit_id, 'days')}?${new URLSearchParams({ preset, limit: written, ...ofChannel(), ...more })}`, {
      replace: true,
    });
  return (
    <>
      <Filters
        parts={[
          {
            name: 'preset',
            label: say('Index ## of days'),
            choices: presets().map(([name, , word]) => [name, word] as const),
          },
          {
            name: 'limit',
            type: 'number',
            step: '0.1',
            label: say('Limit of the {index}, dB', { index: INDEX_NAMES[index] }),
            hint: say('none ## of limits'),
          },
        ]}
        values={{ preset, limit }}
        change={(name, text) => show({ [name]: text })}
      />
      <ChannelChoice unitId={unit_id} part="days" />
      <RecordingNote unit={unit} />
      <Failed failure={failure} />
      {indices && exceeded && (
        <Calendar
          unit={unit}
          indices={indices}
          index={index}
          first={first}
          exceeded={exceeded}
          limit={limit}
          verdicts={verdicts}
          chosen={chosen}
          choose={(time) => {
            choose(time);
            // From the first day that is chosen in the calendar, the keyboard goes to its times.
            if (!chosen) place.current?.querySelector('input')?.focus();
          }}
        />
      )}
      <DayNotes
        unit={unit}
        notes={notes.filter(({ channels }) => concernsShown(channels))}
        chosen={chosen}
        choose={choose}
        place={place}
        again={() => setChanged(changed + 1)}
      />
      <Evidence unitId={unit_id} span={span} />
      <Calibrations unit={unit} />
    </>
  );
}

/** By date. Empty when the gateway has no alerts. */
async function exceededOf(
  unitId: string,
  span: { readonly from: string; readonly to: string },
): Promise<ReadonlyMap<string, ExceededDay>> {
  const query = { unit: unitId, ...span };
  const answer = client.value.call<Pick<schemas.GetAlertDaysAnswer, 'data'>>('/_alerts/days', { query });
  const { data } = await unlessAbsent(answer, { data: [] });
  return new Map(data.map((day) => [day.date, day]));
}

interface Props {
  readonly unit: Unit;
  readonly notes: readonly schemas.Note[];
  readonly chosen: ChosenTime | undefined;
  choose(time: ChosenTime | undefined): void;
  readonly place: RefObject<HTMLElement | null>;
  again(): void;
}

function DayNotes({ unit, notes, chosen, choose, place, again }: Props) {
  const { unit_id: unitId, timezone } = unit;
  if (notes.length === 0 && !mayOperate.value) return null;
  return (
    <section class="card" aria-labelledby="day-notes" ref={place}>
      <h2 id="day-notes">{say('Notes')}</h2>
      {mayOperate.value && (
        <NewNote
          unitId={unitId}
          zone={timezone}
          chosen={chosen}
          choose={choose}
          mayGoOn
          hint={say('Choose a day in the calendar, or the first and the last one of several, or write the times.')}
          again={again}
        />
      )}
      <NoteList notes={notes} zone={timezone} again={again} />
    </section>
  );
}
