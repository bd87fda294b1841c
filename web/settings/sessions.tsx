/** Who is signed in, and who may sign in. */
import type { schemas } from '../../client/index.ts';
import { client, mayAdminister } from '../app/access.ts';
import { useFound } from '../app/found.ts';
import { dayAndTime } from '../app/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';

/** One's own sessions; for admins those of everybody, and the people. */
export function Sessions() {
  const { found: sessions = [], again } = useFound(() => client.value.sessions(), []);
  return (
    <section class="card" aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <p class="soft">
        Who is signed in{mayAdminister.value ? '' : ' as you'}. A session that is ended here is over at once.
      </p>
      {sessions.length === 0 && <p>Nobody is.</p>}
      <ul>
        {sessions.map((session) => (
          <SessionLine key={session.id} one={session} again={again} />
        ))}
      </ul>
      {mayAdminister.value && <People />}
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
          {current && ', this browser'}{' '}
          <span class="soft small">
            from {address} since {dayAndTime(since)}, last used {dayAndTime(last_used_at)}
            {agent !== '' && `, ${agent}`}
          </span>
        </span>
        {!current && (
          <button type="button" disabled={waits} onClick={() => void end()}>
            End <span class="hidden-label">the session of {name}</span>
          </button>
        )}
      </div>
      <Said outcome={outcome} waiting="" />
    </li>
  );
}

function People() {
  const { found: people = [] } = useFound(() => client.value.people(), []);
  return (
    <>
      <h3>People</h3>
      <p class="soft small">
        Made, changed and removed on the computer of the gateway: <code>npm run keys -- person add</code>
      </p>
      <ul>
        {people.map(({ id, name, role, units, sessions, last_used_at }) => (
          <li key={id}>
            <strong>
              <bdi>{name}</bdi>
            </strong>{' '}
            {role}, {units ? `for ${units.join(', ')}` : 'all meters'}{' '}
            <span class="soft small">
              {sessions === 0 ? 'not signed in' : `signed in, last used ${dayAndTime(last_used_at ?? '')}`}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
