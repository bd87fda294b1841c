/** Exceeded limits and other alerts: open ones first, then those that have ended; and the rules. */
import { useEffect, useState } from 'preact/hooks';
import type { AlertEvent, AlertTarget } from '../../client/index.ts';
import { client, mayAdminister, mayOperate } from '../app/access.ts';
import { meterPath } from '../app/address.ts';
import { needsLook } from '../app/alarms.ts';
import { changes, titleOf, unitOf } from '../app/fleet.ts';
import { useFound } from '../app/found.ts';
import { dayAndTimeOf, span } from '../app/numbers.ts';
import { useTitle } from '../app/title.ts';
import { messageOf, Said, useAction } from '../ui/action.tsx';
import { Link } from '../ui/link.tsx';
import { AlertRules } from './alert-rules.tsx';
import { AlertTargets } from './alert-targets.tsx';
import { aroundEvent } from './event-span.ts';
import { worstOf } from './rule-words.ts';

const CLOSED_AT_ONCE = 50;
const MOST_CLOSED = 1_000;

export function AlertsPage() {
  useTitle('Alerts');
  const [open, setOpen] = useState<readonly AlertEvent[] | undefined>(undefined);
  const [closed, setClosed] = useState<readonly AlertEvent[]>([]);
  const [targets, setTargets] = useState<readonly AlertTarget[] | undefined>(undefined);
  const { found: kinds } = useFound(() => client.value.alertKinds(), []);
  const [failure, setFailure] = useState('');
  const seen = changes.value.alert;
  const [asked, setAsked] = useState(0);
  const [most, setMost] = useState(CLOSED_AT_ONCE);
  useEffect(() => {
    let left = false;
    const found = [
      client.value.alerts({ open: 'true', limit: 1_000 }),
      client.value.alerts({ open: 'false', limit: most }),
    ] as const;
    Promise.all(found).then(
      ([stillOpen, over]) => {
        if (left) return;
        setOpen(stillOpen);
        setClosed(over);
        setFailure('');
      },
      (error: unknown) => left || setFailure(messageOf(error)),
    );
    // Only an admin may know whom alerts reach.
    if (mayAdminister.peek())
      client.value.alertTargets().then(
        (found) => left || setTargets(found),
        () => {},
      );
    return () => {
      left = true;
    };
  }, [seen, asked, most]);
  return (
    <>
      <h1>Alerts</h1>
      {failure !== '' && <p class="said bad">{failure}</p>}
      {open?.length === 0 && <p class="soft">Nothing is open.</p>}
      {open && open.length > 0 && (
        <ul class="stack" aria-label="Open">
          {open
            .toSorted((one, other) => Number(needsLook(other)) - Number(needsLook(one)))
            .map((event) => (
              <li key={event.id}>
                <OpenEvent event={event} onChange={() => setAsked(asked + 1)} />
              </li>
            ))}
        </ul>
      )}
      {closed.length > 0 && (
        <ClosedEvents
          events={closed}
          more={closed.length === most && most < MOST_CLOSED ? () => setMost(MOST_CLOSED) : undefined}
        />
      )}
      <AlertRules kinds={kinds?.rules} targets={targets ?? []} />
      {targets && kinds && (
        <AlertTargets kinds={kinds.targets} targets={targets} onChange={() => setAsked(asked + 1)} />
      )}
    </>
  );
}

const timeOf = (at: string, { unit_id }: AlertEvent): string => dayAndTimeOf(at, unitOf(unit_id)?.timezone);

function OpenEvent({ event, onChange }: { readonly event: AlertEvent; onChange(): void }) {
  const [note, setNote] = useState('');
  const { outcome, run, waits } = useAction();
  const { id, rule_name, unit_id, kind, opened_at, detail, ack } = event;
  const acknowledge = (submitted: Event) => {
    submitted.preventDefault();
    void run(async () => (await client.value.acknowledge(id, note)).message).then((done) => done && onChange());
  };
  return (
    <section class={`trouble ${needsLook(event) ? 'act' : 'wait'}`}>
      <div class="row end">
        <strong>
          <bdi>{rule_name}</bdi>
        </strong>
        <span class="soft small">since {timeOf(opened_at, event)}</span>
      </div>
      <p>
        <Link to={meterPath(unit_id)}>
          <bdi>{titleOf(unit_id)}</bdi>
        </Link>
        : {detail}
        {kind === 'level' && (
          <>
            {' '}
            Worst {worstOf(event)}. <Link to={aroundEvent(event)}>See it in the history</Link>
          </>
        )}
      </p>
      {ack && (
        <p class="soft">
          Seen by {ack.by}, {timeOf(ack.at, event)}. <bdi>{ack.note}</bdi>
        </p>
      )}
      {!ack && mayOperate.value && (
        <form class="row" onSubmit={acknowledge}>
          <label class="hidden-label" for={`note-${id}`}>
            Note
          </label>
          <input
            id={`note-${id}`}
            placeholder="What is done about it"
            maxLength={500}
            value={note}
            onInput={({ currentTarget }) => setNote(currentTarget.value)}
          />
          <button type="submit" disabled={waits}>
            I have seen it
          </button>
        </form>
      )}
      <Said outcome={outcome} waiting="" />
    </section>
  );
}

interface ClosedProps {
  readonly events: readonly AlertEvent[];
  /** Undefined where all are shown. */
  readonly more: (() => void) | undefined;
}

function ClosedEvents({ events, more }: ClosedProps) {
  return (
    <section class="card" aria-labelledby="over">
      <h2 id="over">Over</h2>
      <table class="folds">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What</th>
            <th scope="col" class="number">
              Lasted
            </th>
            <th scope="col" class="number">
              Worst
            </th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <ClosedEvent key={event.id} event={event} />
          ))}
        </tbody>
      </table>
      {more && (
        <button type="button" class="plain" onClick={more}>
          Show older ones
        </button>
      )}
    </section>
  );
}

function ClosedEvent({ event }: { readonly event: AlertEvent }) {
  const { unit_id, rule_name, opened_at, closed_at, ack } = event;
  const lasted = (Date.parse(closed_at ?? opened_at) - Date.parse(opened_at)) / 1_000;
  return (
    <tr>
      <td>
        <Link to={aroundEvent(event)}>{timeOf(opened_at, event)}</Link>
      </td>
      <td>
        <bdi>{rule_name}</bdi> at <bdi>{titleOf(unit_id)}</bdi>
        {ack && (
          <span class="soft small">
            , seen by <bdi>{ack.by}</bdi>
            {ack.note !== '' && ': '}
            <bdi>{ack.note}</bdi>
          </span>
        )}
      </td>
      <td class="number">{span(lasted)}</td>
      <td class="number">{worstOf(event)}</td>
    </tr>
  );
}
