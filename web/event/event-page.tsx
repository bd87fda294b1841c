/** The page of one event: its levels, sound and weather, what was done about it, and the answer of a person. */
import { useState } from 'preact/hooks';
import type { AlertEvent, SoundRecording, schemas } from '../../client/index.ts';
import {
  aroundEvent,
  EventRecordings,
  excludedWords,
  placeOfEvent,
  spanOf,
  useRecordings,
} from '../alerts/event-recordings.tsx';
import { causeWord, worstOf } from '../alerts/rule-words.ts';
import { HistoryChart } from '../history/history-chart.tsx';
import { WeatherLanes } from '../history/weather-lane.tsx';
import { client, mayOperate } from '../state/access.ts';
import { MAIN } from '../state/address.ts';
import { isOfLevels, lastedOf, needsLook, textOf, windowWords } from '../state/alarms.ts';
import { type ChosenTime, isoSpan } from '../state/chosen-time.ts';
import { changes, tick, titleOf, unitOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTimeOf, decibels, personName } from '../state/numbers.ts';
import { messageOf, Said, useAction } from '../ui/action.tsx';
import { DownloadLink } from '../ui/download-link.tsx';
import { Field } from '../ui/field.tsx';
import { Link } from '../ui/link.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { language } from '../words/language.ts';
import { say, sayWith } from '../words/say.ts';

type Answer = schemas.GetAlertEventAnswer;

/** The page at `alerts/ID`. */
export function EventPage({ id }: { readonly id: string }) {
  const path = `/_alerts/events/${id}`;
  const { found, again } = useFound<Answer | string>(
    () => client.value.call<Answer>(path).catch(messageOf),
    [id, changes.value.alert],
  );
  if (found === undefined) return <Skeleton what={say('The gateway is being asked ...')} />;
  if (typeof found === 'string')
    return (
      <>
        <h1>{say('Event')}</h1>
        <p class="said bad">{found}</p>
      </>
    );
  const { data: event } = found;
  const names = { rule: <bdi>{textOf(event, 'rule_name')}</bdi>, meter: <bdi>{titleOf(event.unit_id)}</bdi> };
  return (
    <>
      <h1>{sayWith('{rule} at {meter}', names)}</h1>
      <Facts event={event} />
      <EventAnswer event={event} causes={found.causes} again={again} />
      {isOfLevels(event) && <EventLevels key={event.id} event={event} />}
      <Done event={event} messages={found.messages} />
      <PassOn event={event} />
    </>
  );
}

function Facts({ event }: { readonly event: AlertEvent }) {
  const { unit_id, opened_at, closed_at, limit, lae } = event;
  const zone = unitOf(unit_id)?.timezone;
  const length = lastedOf(event, tick.value);
  const said = [
    closed_at === null
      ? say('Since {time}, for {length}.', { time: dayAndTimeOf(opened_at, zone), length })
      : say('{from} to {to}, {length}.', {
          from: dayAndTimeOf(opened_at, zone),
          to: dayAndTimeOf(closed_at, zone),
          length,
        }),
    ...(isOfLevels(event) && limit !== null
      ? [say('Worst {level}, {limit} dB allowed.', { level: worstOf(event), limit: decibels(limit) })]
      : []),
    ...(lae === null ? [] : [`${say('LAE {level} dB', { level: decibels(lae) })}.`]),
    ...[windowWords(event, zone), excludedWords(event)].filter((words) => words !== '').map((words) => `${words}.`),
  ];
  return (
    <section class={`trouble ${closed_at === null && needsLook(event) ? 'act' : 'wait'}`}>
      <p>{said.join(' ')}</p>
      <p class="soft">
        <bdi>{textOf(event, 'detail', unitOf(unit_id)?.timezone)}</bdi>
      </p>
      <p class="row">
        <Link to={placeOfEvent(event)}>
          <bdi>{titleOf(unit_id)}</bdi>
        </Link>
        {isOfLevels(event) && <Link to={aroundEvent(event)}>{say('See it in the history')}</Link>}
        <Link to="alerts">{say('All alerts')}</Link>
      </p>
    </section>
  );
}

const SENT: Readonly<Record<string, () => string>> = {
  opened: () => say('message about the beginning'),
  critical: () => say('message: the limit is exceeded'),
  closed: () => say('message about the end'),
  revised: () => say('message about a correction'),
  escalated: () => say('message: nobody has acknowledged'),
};
const STATES: Readonly<Record<schemas.EventMessage['state'], () => string>> = {
  waiting: () => say('waits'),
  done: () => say('delivered'),
  failed: () => say('not delivered'),
};

function Done({ event, messages }: { readonly event: AlertEvent; readonly messages: Answer['messages'] }) {
  const { unit_id, opened_at, closed_at, escalated_at, revised, ack, cause } = event;
  const steps: readonly (readonly [at: string | null | undefined, words: string])[] = [
    [opened_at, say('It began.')],
    [escalated_at, say('Nobody had acknowledged it: more people got a message.')],
    [ack?.at, ack ? `${say('Acknowledged by {who}.', { who: personName(ack.by) })} ${ack.note}` : ''],
    ...(ack?.later ?? []).map(({ at, by, note }): readonly [string, string] => [at, `${personName(by)}: ${note}`]),
    [closed_at, say('It ended.')],
    [
      revised?.at,
      say('Late levels corrected it to {level}.', { level: worstOf({ ...event, worst: revised?.value ?? null }) }),
    ],
    ...messages.map(({ created_at, ended_at, type, target, state }): readonly [string, string] => [
      ended_at ?? created_at,
      [target, SENT[type]?.() ?? type, STATES[state]()].filter((words) => words !== null).join(', '),
    ]),
  ];
  return (
    <section class="card" aria-labelledby="done">
      <h2 id="done">{say('What was done')}</h2>
      <ul>
        {steps
          .flatMap(([at, words]) => (at ? [{ at, words }] : []))
          .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
          .map(({ at, words }) => (
            <li key={`${at} ${words}`}>
              <span class="soft">{dayAndTimeOf(at, unitOf(unit_id)?.timezone)}</span> <bdi>{words}</bdi>
            </li>
          ))}
      </ul>
      {cause === null && <p class="soft">{say('Its cause is not known yet.')}</p>}
    </section>
  );
}

/** The address of this page, and a report of this time. */
function PassOn({ event }: { readonly event: AlertEvent }) {
  const { outcome, run } = useAction();
  const copy = () =>
    run(async () => {
      await navigator.clipboard.writeText(location.href);
      return say('The link is copied.');
    });
  const title = say('{rule} at {meter}', { rule: textOf(event, 'rule_name'), meter: titleOf(event.unit_id) });
  const query = {
    units: event.unit_id,
    ...isoSpan(spanAround(event)),
    lang: language,
    title,
    format: 'pdf',
    ...(event.channel !== null && { channel: event.channel }),
  };
  return (
    <section class="card" aria-labelledby="pass-on">
      <h2 id="pass-on">{say('Pass it on')}</h2>
      <div class="row">
        {isSecureContext ? (
          <button type="button" onClick={() => void copy()}>
            {say('Copy the link')}
          </button>
        ) : (
          // Browsers copy nothing for a page without TLS.
          <code>{location.href}</code>
        )}
        {isOfLevels(event) && (
          <DownloadLink path="/_reports/preview" query={query} name={`event-${event.id}.pdf`}>
            {say('Save as PDF')}
          </DownloadLink>
        )}
        <Said outcome={outcome} waiting="" />
      </div>
    </section>
  );
}

interface EventAnswerProps {
  readonly event: AlertEvent;
  readonly causes: readonly string[];
  again(): void;
}

/** A cause answers the event, with the note that was written before. */
function EventAnswer({ event: { id, ack, cause: present }, causes, again }: EventAnswerProps) {
  const [note, setNote] = useState('');
  const [own, setOwn] = useState('');
  const { outcome, run, waits } = useAction();
  if (!mayOperate.value)
    return present === null ? null : <p>{say('Cause: {cause}.', { cause: causeWord(present) })}</p>;
  const answer = async (cause?: string) => {
    const done = await run(() => client.value.acknowledge(id, note.trim(), cause));
    if (!done) return;
    setNote('');
    setOwn('');
    again();
  };
  const answerOwn = (submitted: Event) => {
    submitted.preventDefault();
    if (own.trim() !== '') void answer(own.trim());
  };
  const shown = present === null || causes.includes(present) ? causes : [present, ...causes];
  return (
    <section class="card stack" aria-labelledby="answer">
      <h2 id="answer">{say('What was it?')}</h2>
      <Field label={say('Note')} hint={say('What is done about it')} value={note} change={setNote} />
      <div class="row">
        {shown.map((cause) => (
          <button
            key={cause}
            type="button"
            aria-pressed={cause === present}
            disabled={waits}
            onClick={() => void answer(cause)}
          >
            <bdi>{causeWord(cause)}</bdi>
          </button>
        ))}
      </div>
      <form class="row" onSubmit={answerOwn}>
        <Field label={say('Another cause')} value={own} change={setOwn} />
        <button type="submit" disabled={waits || own.trim() === ''}>
          {say('Answer')}
        </button>
        <button type="button" disabled={waits || (ack !== null && note.trim() === '')} onClick={() => void answer()}>
          {ack ? say('Add the note') : say('Acknowledge without a cause')}
        </button>
      </form>
      <Said outcome={outcome} waiting="" />
    </section>
  );
}

const AROUND_MS = 600_000;
const QUANTITIES = 'leq,lmax,lp';

/** The time that the page shows; it ends now at the latest. */
function spanAround(event: AlertEvent): ChosenTime {
  const [from, to] = spanOf(event);
  return { from: from - AROUND_MS, to: Math.max(from, Math.min(to + AROUND_MS, Date.now())) };
}

async function ask({ unit_id, channel }: AlertEvent, span: ChosenTime) {
  const times = isoSpan(span);
  const of = channel ?? MAIN;
  const [history, notes] = await Promise.all([
    client.value.history(unit_id, { ...times, quantities: QUANTITIES, channel: of }),
    client.value.all<schemas.Note>(`/${encodeURIComponent(unit_id)}/notes`, times),
  ]);
  return { history, notes: notes.filter(({ channels }) => channels === null || channels.includes(of)) };
}

function EventLevels({ event }: { readonly event: AlertEvent }) {
  const [closer, setCloser] = useState<ChosenTime | undefined>(undefined);
  const shown = closer ?? spanAround(event);
  const recordings = useRecordings([event])(event);
  const { found } = useFound(() => ask(event, shown), [event.id, event.closed_at, closer, changes.value.alert]);
  if (!found) return null;
  const { history, notes } = found;
  const span = { from: Date.parse(history.from), to: Date.parse(history.to) };
  const [begin, end] = spanOf(event);
  const look = (from: number, to: number) => setCloser({ from: Math.floor(from), to: Math.ceil(to) });
  return (
    <section class="card" aria-label={say('Levels')}>
      {history.weighting ? (
        <HistoryChart
          history={history}
          limits={event.limit === null ? [] : [{ level: event.limit, label: textOf(event, 'rule_name') }]}
          notes={notes}
          onZoom={(from, to) => look(from * 1_000, to * 1_000)}
          chosen={{ from: begin, to: end }}
          onChoose={look}
        />
      ) : (
        <p>{say('Nothing was recorded in this time.')}</p>
      )}
      <SoundLane recordings={recordings} span={span} />
      <WeatherLanes unitId={event.unit_id} from={span.from} to={span.to} />
      <EventRecordings recordings={recordings} />
      {closer && (
        <button type="button" onClick={() => setCloser(undefined)}>
          {say('Show all of it')}
        </button>
      )}
    </section>
  );
}

interface SoundLaneProps {
  readonly recordings: readonly SoundRecording[];
  readonly span: ChosenTime;
}

/** On the axis of the chart. */
function SoundLane({ recordings, span }: SoundLaneProps) {
  if (recordings.length === 0) return null;
  const placeOf = (time: string) => Math.min(1, Math.max(0, (Date.parse(time) - span.from) / (span.to - span.from)));
  return (
    <figure class="lane sound-lane">
      <svg viewBox="0 0 1 1" preserveAspectRatio="none" role="img" aria-label={say('Recorded sound')}>
        {recordings.map(({ card, path, from, to }) => (
          <rect key={`${card} ${path}`} x={placeOf(from)} width={placeOf(to) - placeOf(from)} height={1} />
        ))}
      </svg>
      <figcaption class="soft small">{say('Recorded sound')}</figcaption>
    </figure>
  );
}
