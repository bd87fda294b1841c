/** Alerts as notifications: in this browser, and on the other phones of the person. */
import { useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { useFound } from '../app/found.ts';
import { dayAndTime } from '../app/numbers.ts';
import { thisPhone, turnOff, turnOn, whyNot } from '../app/this-phone.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Field } from '../ui/field.tsx';

/** One's own phones; for admins of all meters those of everybody. */
export function Phones() {
  const { found: phones = [], again } = useFound(() => client.value.phones(), []);
  const isOn = phones.some(({ id, own }) => own && id === thisPhone());
  return (
    <section class="card" aria-labelledby="phones">
      <h2 id="phones">Alerts on telephones</h2>
      <p class="soft">
        Alerts arrive as notifications, also while this page is closed, where an administrator has made a target for
        telephones.
      </p>
      {!isOn && <TurnOn again={again} />}
      <ul>
        {phones.map((phone) => (
          <PhoneLine key={phone.id} phone={phone} again={again} />
        ))}
      </ul>
    </section>
  );
}

function TurnOn({ again }: { again(): void }) {
  const [name, setName] = useState('');
  const { outcome, run, waits } = useAction();
  const why = whyNot();
  if (why !== undefined) return <p class="trouble wait">{why}</p>;
  const submit = (submitted: Event) => {
    submitted.preventDefault();
    void run(() => turnOn(name.trim())).then((done) => done && again());
  };
  return (
    <form onSubmit={submit}>
      <Field label="Name of this telephone" hint="Duty phone" value={name} change={setName} />
      <button type="submit" disabled={waits}>
        Get alerts in this browser
      </button>
      <Said outcome={outcome} waiting="The browser and its push service are being asked ..." />
    </form>
  );
}

function PhoneLine({ phone, again }: { readonly phone: schemas.Phone; again(): void }) {
  const { id, name, person, own, reached, created_at, taken_at, quiet } = phone;
  const { outcome, run, waits } = useAction();
  const called = name || `telephone ${id}`;
  return (
    <li>
      <div class="row end">
        <span class="entry">
          <strong>
            <bdi>{called}</bdi>
          </strong>
          {own ? id === thisPhone() && ', this browser' : ` of ${person}`}{' '}
          <span class="soft small">
            since {dayAndTime(created_at)}, {taken_at ? `last told ${dayAndTime(taken_at)}` : 'not told yet'}
            {!reached && ', gets nothing: its owner has no rights any more'}
            {quiet.map(
              ({ rule, unit_id, until }) => `, quiet about rule ${rule} at ${unit_id} until ${dayAndTime(until)}`,
            )}
          </span>
        </span>
        <button
          type="button"
          disabled={waits}
          onClick={() => void run(() => turnOff(id)).then((done) => done && again())}
        >
          Turn off <span class="hidden-label">alerts on {called}</span>
        </button>
      </div>
      <Said outcome={outcome} waiting="" />
    </li>
  );
}
