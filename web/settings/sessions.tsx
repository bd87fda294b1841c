/** Sessions that are open. */
import type { schemas } from '../../client/index.ts';
import { client, mayAdminister } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { say } from '../words/say.ts';

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
