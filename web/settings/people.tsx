/** People who may sign in: invited by a link, changed, signed out and removed; and the sessions that are open. */
import { useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { about, client, enterAs, isOpen, mayAdminister } from '../state/access.ts';
import { ROOT } from '../state/address.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime, dayWithYear, localInput } from '../state/numbers.ts';
import { ActionButton } from '../ui/action.tsx';
import { Card, Name } from '../ui/card.tsx';
import { Entry } from '../ui/entry.tsx';
import { chosenUnits, FreshSecret, isComplete, leastRights, rightsParts, rightsText } from '../ui/rights.tsx';
import { type FormUse, SchemaForm, useValues } from '../ui/schema-form.tsx';
import { say } from '../words/say.ts';

export function People() {
  const { found: people = [], again } = useFound(() => client.value.people(), []);
  const caller = about.value?.caller;
  if (caller && isOpen(caller)) return <FirstPerson />;
  return (
    <Card id="people" title={say('People')}>
      <ul>
        {people.map((person) => (
          <PersonLine key={person.id} person={person} isSelf={person.name === caller?.name} again={again} />
        ))}
      </ul>
      <Invitations />
    </Card>
  );
}

/** Where everybody may do everything: from the first person on, everybody needs a sign-in. */
function FirstPerson() {
  const [values, set] = useValues({ name: '', password: '' });
  const save = async () => {
    const answer = await client.value.addPerson({ ...values, role: 'admin' });
    await enterAs(values.name, values.password);
    return answer;
  };
  return (
    <Card
      id="people"
      title={say('People')}
      about={say('Everybody on this computer may do everything. From the first person on, everybody has to sign in.')}
    >
      <SchemaForm
        title={say('Become the first admin')}
        button={say('Become the first admin')}
        use={{ saved: () => {}, isPlain: true }}
        parts={[
          { name: 'name', label: say('Your name'), required: true },
          { name: 'password', type: 'secret', label: say('New password'), required: true },
        ]}
        values={values}
        set={set}
        save={save}
      />
    </Card>
  );
}

interface LineProps {
  readonly person: schemas.Person;
  readonly isSelf: boolean;
  again(): void;
}

function PersonLine({ person, isSelf, again }: LineProps) {
  const { name, until, sessions, last_used_at } = person;
  return (
    <li>
      <Entry
        name={name}
        mayChange={!isSelf}
        form={(use) => <PersonForm person={person} use={use} />}
        remove={() => client.value.removePerson(name)}
        onChange={again}
        more={
          sessions > 0 && (
            <ActionButton work={() => client.value.signOutPerson(name)} done={again} hidden={name}>
              {say('Sign out everywhere')}
            </ActionButton>
          )
        }
      >
        <Name>{name}</Name> {rightsText(person)}
        {until && `, ${endText(until)}`}{' '}
        <span class="soft small">
          {sessions === 0
            ? say('not signed in')
            : say('signed in, last used {time}', { time: dayAndTime(last_used_at ?? '') })}
        </span>
      </Entry>
    </li>
  );
}

const endText = (until: string): string =>
  Date.parse(until) > Date.now()
    ? say('until {time}', { time: dayWithYear(until) })
    : say('ended {time}', { time: dayWithYear(until) });

/** A day that is none, as one of the year 12026, stays as it is: the gateway refuses it. */
function endOf(day: string): string | null {
  if (day === '') return null;
  const end = new Date(`${day}T23:59:59`);
  return Number.isNaN(end.getTime()) ? day : end.toISOString();
}

/** The last day of a person, to its end here; null: the person may sign in without an end. */
const untilPart = () => ({
  name: 'until' as const,
  type: 'date' as const,
  label: say('Last day (none: without an end)'),
  written: {
    print: (until: string | null) => (until === null ? '' : localInput(until).slice(0, 10)),
    parse: endOf,
  },
});

function PersonForm({ person, use }: { readonly person: schemas.Person; readonly use: FormUse }) {
  const [values, set] = useValues({ ...person, units: person.tags ? null : person.units });
  const { role, until } = values;
  const save = async () => {
    const body = { role, ...chosenUnits(values), ...(until !== person.until && { until }) };
    return (await client.value.changePerson(person.name, body)).message;
  };
  return (
    <SchemaForm
      title={say('Change {name}', { name: person.name })}
      button={say('Save')}
      use={use}
      parts={[...rightsParts(values, set), untilPart()]}
      values={values}
      set={set}
      save={save}
      isReady={isComplete(values)}
    >
      <span class="soft small">{say('The person then signs in again.')}</span>
    </SchemaForm>
  );
}

function Invitations() {
  const { found: waiting = [], again } = useFound(() => client.value.invitations(), []);
  const [values, set] = useValues({ ...leastRights(), until: null as string | null });
  const [link, setLink] = useState('');
  const invite = async () => {
    const { role, until } = values;
    const answer = await client.value.invite({ role, ...chosenUnits(values), until });
    // The link begins at the root of the gateway, which a proxy may have put below a prefix.
    setLink(new URL(`.${answer.link}`, ROOT).href);
    return say('Send this link to the person. It works once, within three days.');
  };
  return (
    <>
      {waiting.length > 0 && (
        <>
          <h3>{say('Invitations that wait')}</h3>
          <ul>
            {waiting.map((each) => (
              <li key={each.id}>
                <Entry
                  name={rightsText(each)}
                  mayChange
                  remove={() => client.value.removeInvitation(each.id)}
                  onChange={again}
                  verb="revoke"
                >
                  {rightsText(each)}{' '}
                  <span class="soft small">
                    {say('by {name}', { name: each.made_by })},{' '}
                    {say('until {time}', { time: dayAndTime(each.expires_at) })}
                  </span>
                </Entry>
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="stack new">
        <h3>{say('Invite somebody')}</h3>
        <SchemaForm
          title={say('Invite somebody')}
          button={say('Invite')}
          use={{ saved: again, isPlain: true }}
          parts={[...rightsParts(values, set), untilPart()]}
          values={values}
          set={set}
          save={invite}
          isReady={isComplete(values)}
        >
          {link !== '' && (
            <FreshSecret what={say('This is the link. It is shown only now:')} text={link} forget={() => setLink('')} />
          )}
        </SchemaForm>
      </div>
    </>
  );
}

/** One's own sessions; for admins those of everybody. */
export function Sessions() {
  const { found: sessions = [], again } = useFound(() => client.value.sessions(), []);
  return (
    <Card id="sessions" title={say('Sessions')}>
      <p class="soft">
        {mayAdminister.value ? say('These people are signed in.') : say('These browsers are signed in as you.')}{' '}
        {say('A session that is ended here is over at once.')}
      </p>
      {sessions.length === 0 && <p>{say('Nobody is. ## signed in')}</p>}
      <ul>
        {sessions.map((session) => (
          <SessionLine key={session.id} one={session} again={again} />
        ))}
      </ul>
    </Card>
  );
}

function SessionLine({ one, again }: { readonly one: schemas.SignInSession; again(): void }) {
  const { id, name, role, address, agent, since, last_used_at, current } = one;
  return (
    <li class="row end">
      <span class="entry">
        <Name>{name}</Name> {role}
        {current && `, ${say('this browser')}`}{' '}
        <span class="soft small">
          {say('from {address} since {since}, last used {time}', {
            address,
            since: dayAndTime(since),
            time: dayAndTime(last_used_at),
          })}
          {agent !== '' && `, ${agent}`}
        </span>
      </span>
      {!current && (
        <div class="row">
          <ActionButton
            work={() => client.value.endSession(id)}
            done={again}
            hidden={say('the session of {name}', { name })}
          >
            {say('End ## a session')}
          </ActionButton>
        </div>
      )}
    </li>
  );
}
