/** Exceeded limits and other alerts: open ones first, then those that have ended; and the rules. */
import { useState } from 'preact/hooks';
import type { AlertEvent, SoundRecording } from '../../client/index.ts';
import { client, mayAdminister, mayOperate } from '../state/access.ts';
import { eventPath, meterPath } from '../state/address.ts';
import { isOfLevels, lastedOf, levelSoFar, needsLook, textOf, windowWords } from '../state/alarms.ts';
import { exceededOnly } from '../state/alerts.ts';
import { changes, tick, titleOf, unitOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTimeOf, personName } from '../state/numbers.ts';
import { Failed, Said, useAction } from '../ui/action.tsx';
import { Name } from '../ui/card.tsx';
import { Link } from '../ui/link.tsx';
import { Paged } from '../ui/paged.tsx';
import { say, sayWith } from '../words/say.ts';
import { AlertRules } from './alert-rules.tsx';
import { AlertTargets } from './alert-targets.tsx';
import { ClosedEvents } from './closed-events.tsx';
import { aroundEvent, EventRecordings, placeOfEvent, useRecordings } from './event-recordings.tsx';
import { worstOf } from './rule-words.ts';

export function AlertsPage() {
  const [asked, setAsked] = useState(0);
  const seen = changes.value.alert + asked;
  const { found: open, failure } = useFound(() => client.value.alerts({ open: 'true', limit: 1_000 }), [seen]);
  const { found: kinds } = useFound(() => client.value.alertKinds(), []);
  // Only an admin may know whom alerts reach.
  const askTargets = async () => (mayAdminister.peek() ? client.value.alertTargets() : undefined);
  const { found: targets } = useFound(askTargets, [seen]);
  const recordingsOf = useRecordings(open ?? []);
  return (
    <>
      <h1>{say('Alerts')}</h1>
      <Failed failure={failure} />
      <ExceededOnly />
      {open?.length === 0 && exceededOnly.value.length === 0 && <p class="soft">{say('Nothing is open.')}</p>}
      {open && open.length > 0 && (
        <Paged
          items={open.toSorted((one, other) => Number(needsLook(other)) - Number(needsLook(one)))}
          label={say('open alerts')}
          wordsOf={(event) => `${textOf(event, 'rule_name')} ${titleOf(event.unit_id)}`}
        >
          {(some) => (
            <ul class="stack" aria-label={say('Open ## alerts')}>
              {some.map((event) => (
                <li key={event.id}>
                  <OpenEvent event={event} recordings={recordingsOf(event)} onChange={() => setAsked(asked + 1)} />
                </li>
              ))}
            </ul>
          )}
        </Paged>
      )}
      <ClosedEvents seen={seen} />
      <AlertRules kinds={kinds?.rules} targets={targets ?? []} />
      {targets && kinds && (
        <AlertTargets kinds={kinds.targets} targets={targets} onChange={() => setAsked(asked + 1)} />
      )}
    </>
  );
}

/** Limits that are exceeded so far; their rules open an alert at the end of the window. */
function ExceededOnly() {
  if (exceededOnly.value.length === 0) return null;
  return (
    <ul class="stack" aria-label={say('Exceeded')}>
      {exceededOnly.value.map(({ unitId, budget: { rule, name, leq_so_far, limit_db, window_to } }) => (
        <li key={`${unitId} ${rule}`} class="trouble act">
          <Name>{name}</Name>
          <p>
            {sayWith('{meter}: {levels} The limit is exceeded so far. There is no alert yet; the window ends {time}.', {
              meter: (
                <Link to={meterPath(unitId)}>
                  <bdi>{titleOf(unitId)}</bdi>
                </Link>
              ),
              levels: levelSoFar(leq_so_far, limit_db),
              time: dayAndTimeOf(window_to, unitOf(unitId)?.timezone),
            })}
          </p>
        </li>
      ))}
    </ul>
  );
}

const timeOf = (at: string, { unit_id }: AlertEvent): string => dayAndTimeOf(at, unitOf(unit_id)?.timezone);

interface OpenProps {
  readonly event: AlertEvent;
  readonly recordings: readonly SoundRecording[];
  onChange(): void;
}

function OpenEvent({ event, recordings, onChange }: OpenProps) {
  const [note, setNote] = useState('');
  const { outcome, run, waits } = useAction();
  const { id, unit_id, opened_at, ack } = event;
  const windows = windowWords(event, unitOf(unit_id)?.timezone);
  const acknowledge = (submitted: Event) => {
    submitted.preventDefault();
    void run(() => client.value.acknowledge(id, note)).then((done) => done && onChange());
  };
  return (
    <section class={`trouble ${needsLook(event) ? 'act' : 'wait'}`}>
      <div class="row end">
        <strong>
          <Link to={eventPath(id)}>
            <bdi>{textOf(event, 'rule_name')}</bdi>
          </Link>
        </strong>
        <span class="soft small">
          {say('since {time}, for {length}', { time: timeOf(opened_at, event), length: lastedOf(event, tick.value) })}
        </span>
      </div>
      <p>
        {sayWith('{meter}: {detail}', {
          meter: (
            <Link to={placeOfEvent(event)}>
              <bdi>{titleOf(unit_id)}</bdi>
            </Link>
          ),
          detail: textOf(event, 'detail', unitOf(unit_id)?.timezone),
        })}
        {isOfLevels(event) && (
          <>
            {' '}
            {say('Worst {level}.', { level: worstOf(event) })}{' '}
            {windows !== '' && `${say('It goes on {windows}.', { windows })} `}
            <Link to={aroundEvent(event)}>{say('See it in the history')}</Link>
          </>
        )}
      </p>
      <EventRecordings recordings={recordings} />
      {ack && (
        <p class="soft">
          {say('Acknowledged by {who}, {time}.', { who: personName(ack.by), time: timeOf(ack.at, event) })}{' '}
          <bdi>{ack.note}</bdi>
        </p>
      )}
      {!ack && mayOperate.value && (
        <form class="row" onSubmit={acknowledge}>
          <label class="hidden-label" for={`note-${id}`}>
            {say('Note')}
          </label>
          <input
            id={`note-${id}`}
            placeholder={say('What is done about it')}
            maxLength={500}
            value={note}
            onInput={({ currentTarget }) => setNote(currentTarget.value)}
          />
          <button type="submit" disabled={waits}>
            {say('Acknowledge')}
          </button>
        </form>
      )}
      <Said outcome={outcome} waiting="" />
    </section>
  );
}
