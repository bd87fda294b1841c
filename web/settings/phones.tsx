/** Alerts as notifications: in this browser, and on the other phones of the person. */
import { useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { useFound } from '../app/found.ts';
import { dayAndTime } from '../app/numbers.ts';
import { thisPhone, turnOff, turnOn, whyNot } from '../app/this-phone.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Field } from '../ui/field.tsx';
import { say } from '../words/say.ts';

/** One's own phones; for admins of all meters those of everybody. */
export function Phones() {
  const { found: phones = [], again } = useFound(() => client.value.phones(), []);
  const isOn = phones.some(({ id, own }) => own && id === thisPhone());
  return (
    <section class="card" aria-labelledby="phones">
      <h2 id="phones">{say('Alerts on telephones')}</h2>
      <p class="soft">
        {say(
          'Alerts arrive as notifications, also while this page is closed, where an administrator has made a target for telephones.',
        )}
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
      <Field label={say('Name of this telephone')} hint={say('Duty phone')} value={name} change={setName} />
      <button type="submit" disabled={waits}>
        {say('Get alerts in this browser')}
      </button>
      <Said outcome={outcome} waiting={say('The browser and its push service are being asked ...')} />
    </form>
  );
}

function PhoneLine({ phone, again }: { readonly phone: schemas.Phone; again(): void }) {
  const { id, name, person, own, reached, created_at, taken_at, quiet } = phone;
  const { outcome, run, waits } = useAction();
  const called = name || say('telephone {id}', { id });
  return (
    <li>
      <div class="row end">
        <span class="entry">
          <strong>
            <bdi>{called}</bdi>
          </strong>
          {own ? id === thisPhone() && `, ${say('this browser')}` : ` ${say('of {person}', { person })}`}{' '}
          <span class="soft small">
            {[
              say('since {time}', { time: dayAndTime(created_at) }),
              taken_at ? say('last message {time}', { time: dayAndTime(taken_at) }) : say('no message yet'),
              ...(reached ? [] : [say('gets nothing: its owner has lost all rights')]),
              ...quiet.map(({ rule, unit_id, until }) =>
                say('quiet about rule {rule} at {meter} until {time}', {
                  rule,
                  meter: unit_id ?? '',
                  time: dayAndTime(until),
                }),
              ),
            ].join(', ')}
          </span>
        </span>
        <button
          type="button"
          disabled={waits}
          onClick={() => void run(() => turnOff(id)).then((done) => done && again())}
        >
          {say('Turn off')} <span class="hidden-label">{say('alerts on {phone}', { phone: called })}</span>
        </button>
      </div>
      <Said outcome={outcome} waiting="" />
    </li>
  );
}
