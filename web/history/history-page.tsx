/** The recorded levels of a meter: any span, as a chart, a table and a CSV of the same rows; and its notes. */
import { useEffect, useState } from 'preact/hooks';
import type { History, schemas, Unit } from '../../client/index.ts';
import { client, mayOperate } from '../state/access.ts';
import { concernsShown, go, isOfMain, meterPath, ofChannel, search, shownChannel } from '../state/address.ts';
import { type ChosenTime, drawnTime, isoSpan } from '../state/chosen-time.ts';
import { changes } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { drawnLimits, type Limit } from '../state/limits.ts';
import { dayAndTime, span } from '../state/numbers.ts';
import { Failed } from '../ui/action.tsx';
import { ChannelChoice } from '../ui/channel-choice.tsx';
import { NewNote } from '../ui/new-note.tsx';
import { NoteList } from '../ui/notes.tsx';
import { RecordingNote } from '../ui/recording-note.tsx';
import { CalibratorProposals } from '../ui/tone.tsx';
import { say } from '../words/say.ts';
import { HistoryChart } from './history-chart.tsx';
import { HistoryFiles } from './history-files.tsx';
import { LevelTable } from './level-table.tsx';
import { type Chosen, chosenSpan, MOVES_MS, SpanChoice } from './span-choice.tsx';
import { Exceedances, GapList } from './time-lists.tsx';
import { Proposals } from './weather-exclusions.tsx';
import { WeatherLanes } from './weather-lane.tsx';

const QUANTITIES = 'leq,lmax,l10,l50,l90,lp';
const queryOf = (chosen: Chosen) => ({ ...isoSpan(chosen), quantities: QUANTITIES, ...ofChannel() });

const MOST_EVENTS = 50;

const addressOf = (unitId: string, span: Readonly<Record<string, string>>): string =>
  `${meterPath(unitId, 'history')}?${new URLSearchParams({ ...span, ...ofChannel() })}`;

export function HistoryPage({ unit }: { readonly unit: Unit }) {
  const { unit_id, timezone } = unit;
  const chosen = chosenSpan();
  const { found: answered, failure } = useFound(
    (signal) => client.value.history(unit_id, queryOf(chosenSpan()), signal),
    [unit_id, search.value.toString()],
    chosen.last === undefined ? undefined : MOVES_MS,
  );
  const history = answered?.channel === shownChannel() ? answered : undefined;
  const limits = useLimits(unit);
  const { from, to } = chosen;
  const [picked, pick] = useState<ChosenTime | undefined>(undefined);
  // A link may choose the whole time that it names.
  useEffect(
    () => pick(search.peek().has('choose') ? drawnTime({ from, to }, chosenSpan(), Date.now()) : undefined),
    [unit_id],
  );
  // A time that is no longer shown is not excluded by mistake.
  useEffect(() => pick((time) => (time && time.from < to && time.to > from ? time : undefined)), [from, to]);
  const shown = isoSpan(chosen);
  const { found: notes = [], again } = useFound(
    () => client.value.all<schemas.Note>(`/${encodeURIComponent(unit_id)}/notes`, shown),
    [unit_id, from, to],
  );
  const { found: events = [] } = useFound(
    () => client.value.alerts({ unit: unit_id, ...shown, limit: MOST_EVENTS }),
    [unit_id, from, to, changes.value.alert],
  );
  const show = (from: number, to: number) => go(addressOf(unit_id, isoSpan({ from, to })));
  const showLast = (last: number) => go(addressOf(unit_id, { last: String(last) }));
  return (
    <>
      <SpanChoice chosen={chosen} zone={timezone} showLast={showLast} show={show} />
      <ChannelChoice unitId={unit_id} part="history" />
      <RecordingNote unit={unit} />
      <Failed failure={failure} />
      {history && (
        <section class="card" aria-label={say('Levels')}>
          <div class="row end">
            <p class="soft">{spanWords(history, timezone)}</p>
            <HistoryFiles unit={unit} limits={limits} query={queryOf(chosen)} />
          </div>
          {history.weighting ? (
            <HistoryChart
              history={history}
              events={events}
              limits={limits}
              notes={notes.filter(({ channels }) => concernsShown(channels))}
              onZoom={(from, to) => show(from * 1_000, to * 1_000)}
              chosen={picked}
              onChoose={(from, to) => pick(drawnTime({ from, to }, chosenSpan(), Date.now()))}
            />
          ) : (
            <NothingRecorded key={shownChannel()} unitId={unit_id} to={history.to} />
          )}
          {history.weighting && <Picked picked={picked} zone={timezone} show={show} leave={() => pick(undefined)} />}
          {history.weighting && (
            <WeatherLanes unitId={unit_id} from={Date.parse(history.from)} to={Date.parse(history.to)} />
          )}
          {history.notes.map((note) => (
            <p key={note} class="soft small">
              {note}
            </p>
          ))}
        </section>
      )}
      {(notes.length > 0 || mayOperate.value) && (
        <section class="card" aria-labelledby="notes">
          <h2 id="notes">{say('Notes')}</h2>
          {mayOperate.value && (
            <NewNote
              unitId={unit_id}
              zone={timezone}
              chosen={picked}
              choose={pick}
              mayGoOn={chosen.last !== undefined}
              hint={say('Drag over the chart, choose rows of the table, or write the times.')}
              again={again}
            />
          )}
          <NoteList notes={notes} zone={timezone} again={again} />
        </section>
      )}
      <CalibratorProposals unitId={unit_id} zone={timezone} from={from} to={to} again={again} />
      <Proposals unitId={unit_id} zone={timezone} from={from} to={to} again={again} />
      <Exceedances zone={timezone} events={events} />
      {history?.weighting && <GapList unitId={unit_id} history={history} show={show} />}
      {history?.weighting && <LevelTable history={history} chosen={picked} choose={pick} />}
    </>
  );
}

function spanWords({ from, to, step_s, weighting }: History, zone: string | null): string {
  const gaps = { from: dayAndTime(from, zone), to: dayAndTime(to, zone), length: span(step_s) };
  return weighting
    ? say('{from} to {to} · one row is {length} · weighting {frequency}, {time}', { ...gaps, ...weighting })
    : say('{from} to {to} · one row is {length}', gaps);
}

/** A channel beside the main one may be switched off at the meter. `to`: it moves with the time, and the reason with it. */
function NothingRecorded({ unitId, to }: { readonly unitId: string; readonly to: string }) {
  const { found } = useFound(
    async () => (isOfMain() ? undefined : (await client.value.extent(unitId, shownChannel())).recording),
    [unitId, to],
  );
  const why = found?.channels.find(({ channel }) => channel === shownChannel())?.reason;
  return (
    <p>
      {say('Nothing was recorded in this time.')} {why}
    </p>
  );
}

interface PickedProps {
  readonly picked: ChosenTime | undefined;
  readonly zone: string;
  show(from: number, to: number): void;
  leave(): void;
}

function Picked({ picked, zone, show, leave }: PickedProps) {
  if (!picked) return <p class="soft small picked">{say('Drag over the chart to choose a time.')}</p>;
  const { from, to } = picked;
  return (
    <p class="row picked">
      {say('Chosen: {from} to {to}, {length}.', {
        from: dayAndTime(from, zone),
        to: dayAndTime(to, zone),
        length: span((to - from) / 1_000),
      })}
      <button type="button" onClick={() => show(from, to)}>
        {say('Zoom in')}
      </button>
      <button type="button" class="plain" onClick={leave}>
        {say('Choose nothing')}
      </button>
    </p>
  );
}

/** Of the rules that concern this meter and the channel that the page shows. */
function useLimits(unit: Unit): readonly Limit[] {
  const { found: rules = [] } = useFound(() => client.value.alertRules(), [changes.value.alert]);
  return drawnLimits(rules, unit, shownChannel());
}
