/** People who may sign in: invited by a link, changed, signed out and removed; and the sessions that are open. */
import { useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { about, client, enterAs, isOpen, mayAdminister } from '../state/access.ts';
import { ROOT } from '../state/address.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime, dayWithYear, localInput } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { AskedTwice } from '../ui/asked-twice.tsx';
import { RevocableEntry } from '../ui/entry.tsx';
import { Field } from '../ui/field.tsx';
import { chosenUnits, FreshSecret, isComplete, leastRights, RightsFields, rightsText } from '../ui/rights.tsx';
import { say } from '../words/say.ts';

/** For admins. */
export function People() {
  const { found: people = [], again } = useFound(() => client.value.people(), []);
  const caller = about.value?.caller;
  if (caller && isOpen(caller)) return <FirstPerson />;
  return (
    <section class="card" aria-labelledby="people">
      <h2 id="people">{say('People')}</h2>
      <ul>
        {people.map((person) => (
          <PersonLine key={person.id} person={person} isSelf={person.name === caller?.name} again={again} />
        ))}
      </ul>
      <Invitations />
    </section>
  );
}

/** Where everybody may do everything: from the first person on, everybody needs a sign-in. */
function FirstPerson() {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { outcome, run, waits } = useAction();
  const make = async (event: Event) => {
    event.preventDefault();
    await run(async () => {
      const { message } = await client.value.addPerson({ name: name.trim(), role: 'admin', password });
      await enterAs(name.trim(), password);
      return message;
    });
  };
  return (
    <section class="card" aria-labelledby="people">
      <h2 id="people">{say('People')}</h2>
      <p class="soft">
        {say('Everybody on this computer may do everything. From the first person on, everybody has to sign in.')}
      </p>
      <form class="stack" onSubmit={(event) => void make(event)}>
        <div class="fields">
          <Field label={say('Your name')} value={name} change={setName} required />
          <Field label={say('New password')} type="password" value={password} change={setPassword} required />
        </div>
        <div class="row">
          <button type="submit" class="main" disabled={waits}>
            {say('Become the first admin')}
          </button>
          <Said outcome={outcome} waiting="" />
        </div>
      </form>
    </section>
  );
}

interface LineProps {
  readonly person: schemas.Person;
  readonly isSelf: boolean;
  again(): void;
}

function PersonLine({ person, isSelf, again }: LineProps) {
  const { name, until, sessions, last_used_at } = person;
  const [isChanged, setChanged] = useState(false);
  const { outcome, run, waits } = useAction();
  const act = (work: () => Promise<{ message: string }>) => async () => {
    if (!(await run(async () => (await work()).message))) return;
    setChanged(false);
    again();
  };
  const hidden = <span class="hidden-label"> {name}</span>;
  return (
    <li>
      <div class="row end">
        <span class="entry">
          <strong>
            <bdi>{name}</bdi>
          </strong>{' '}
          {rightsText(person)}
          {until && `, ${endText(until)}`}{' '}
          <span class="soft small">
            {sessions === 0
              ? say('not signed in')
              : say('signed in, last used {time}', { time: dayAndTime(last_used_at ?? '') })}
          </span>
        </span>
        {!isSelf && (
          <div class="row">
            {sessions > 0 && (
              <button type="button" disabled={waits} onClick={() => void act(() => client.value.signOutPerson(name))()}>
                {say('Sign out everywhere')}
                {hidden}
              </button>
            )}
            <button type="button" aria-expanded={isChanged} onClick={() => setChanged(!isChanged)}>
              {say('Change')}
              {hidden}
            </button>
            <AskedTwice
              first={say('Remove')}
              sure={say('Yes, remove')}
              name={name}
              waits={waits}
              work={() => void act(() => client.value.removePerson(name))()}
            />
          </div>
        )}
      </div>
      {isChanged && (
        <ChangeForm person={person} waits={waits} save={(body) => act(() => client.value.changePerson(name, body))()} />
      )}
      <Said outcome={outcome} waiting="" />
    </li>
  );
}

const endText = (until: string): string =>
  Date.parse(until) > Date.now()
    ? say('until {time}', { time: dayWithYear(until) })
    : say('ended {time}', { time: dayWithYear(until) });

/** The end of a day here; null for no day. */
const endOf = (day: string): string | null => (day === '' ? null : new Date(`${day}T23:59:59`).toISOString());

interface ChangeProps {
  readonly person: schemas.Person;
  readonly waits: boolean;
  save(body: schemas.ChangePersonBody): void;
}

function ChangeForm({ person, waits, save }: ChangeProps) {
  const { role, units, tags, until } = person;
  const [rights, setRights] = useState({ role, units: tags ? null : units, tags });
  const first = until ? localInput(until).slice(0, 10) : '';
  const [day, setDay] = useState(first);
  const submit = (event: Event) => {
    event.preventDefault();
    save({ role: rights.role, ...chosenUnits(rights), ...(day !== first && { until: endOf(day) }) });
  };
  return (
    <form class="stack" onSubmit={submit} aria-label={say('Change {name}', { name: person.name })}>
      <RightsFields value={rights} change={setRights}>
        <Field label={say('Last day (none: without an end)')} type="date" value={day} change={setDay} />
      </RightsFields>
      <div class="row">
        <button type="submit" class="main" disabled={waits || !isComplete(rights)}>
          {say('Save')}
        </button>
        <span class="soft small">{say('The person then signs in again.')}</span>
      </div>
    </form>
  );
}

function Invitations() {
  const { found: waiting = [], again } = useFound(() => client.value.invitations(), []);
  const [rights, setRights] = useState(leastRights());
  const [day, setDay] = useState('');
  const [link, setLink] = useState('');
  const { outcome, run, waits } = useAction();
  const invite = async (event: Event) => {
    event.preventDefault();
    const body = { role: rights.role, ...chosenUnits(rights), until: endOf(day) };
    const isMade = await run(async () => {
      const answer = await client.value.invite(body);
      // The link begins at the root of the gateway, which a proxy may have put below a prefix.
      setLink(new URL(`.${answer.link}`, ROOT).href);
      return say('Send this link to the person. It works once, within three days.');
    });
    if (isMade) again();
  };
  return (
    <>
      {waiting.length > 0 && (
        <>
          <h3>{say('Invitations that wait')}</h3>
          <ul>
            {waiting.map((each) => (
              <RevocableEntry
                key={each.id}
                name={rightsText(each)}
                canEnd
                revoke={async () => (await client.value.removeInvitation(each.id)).message}
                again={again}
              >
                {rightsText(each)}{' '}
                <span class="soft small">
                  {say('by {name}', { name: each.made_by })},{' '}
                  {say('until {time}', { time: dayAndTime(each.expires_at) })}
                </span>
              </RevocableEntry>
            ))}
          </ul>
        </>
      )}
      <form class="stack new" onSubmit={(event) => void invite(event)} aria-labelledby="invite">
        <h3 id="invite">{say('Invite somebody')}</h3>
        <RightsFields value={rights} change={setRights}>
          <Field label={say('Last day (none: without an end)')} type="date" value={day} change={setDay} />
        </RightsFields>
        <div class="row">
          <button type="submit" class="main" disabled={waits || !isComplete(rights)}>
            {say('Invite')}
          </button>
          <Said outcome={outcome} waiting="" />
        </div>
        {link !== '' && (
          <FreshSecret what={say('This is the link. It is shown only now:')} text={link} forget={() => setLink('')} />
        )}
      </form>
    </>
  );
}

/** One's own sessions; for admins those of everybody. */
export function Sessions() {
  const { found: sessions = [], again } = useFound(() => client.value.sessions(), []);
  return (
    <section class="card" aria-labelledby="sessions">
      <h2 id="sessions">{say('Sessions')}</h2>
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
    </section>
  );
}

function SessionLine({ one, again }: { readonly one: schemas.SignInSession; again(): void }) {
  const { id, name, role, address, agent, since, last_used_at, current } = one;
  const { outcome, run, waits } = useAction();
  const end = async () => {
    if (await run(async () => (await client.value.endSession(id)).message)) again();
  };
  return (
    <li>
      <div class="row end">
        <span class="entry">
          <strong>
            <bdi>{name}</bdi>
          </strong>{' '}
          {role}
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
          <button type="button" disabled={waits} onClick={() => void end()}>
            {say('End ## a session')} <span class="hidden-label">{say('the session of {name}', { name })}</span>
          </button>
        )}
      </div>
      <Said outcome={outcome} waiting="" />
    </li>
  );
}
