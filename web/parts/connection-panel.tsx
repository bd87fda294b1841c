/** How the gateway and the meter get on: who uses the meter, what waits, what it cost. From the gateway's memory. */
import { useEffect, useState } from 'preact/hooks';
import type { Session } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { bytes, clockTime, dayAndTime, span, whole } from '../app/numbers.ts';
import { messageOf } from './action.tsx';

const EVERY_MS = 5_000;

export function ConnectionPanel({ unitId }: { readonly unitId: string }) {
  const [session, setSession] = useState<Session | undefined>(undefined);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    const leaving = new AbortController();
    const ask = async () => {
      if (document.hidden) return;
      try {
        setSession(await client.value.session(unitId, leaving.signal));
        setFailure('');
      } catch (error) {
        if (!leaving.signal.aborted) setFailure(messageOf(error));
      }
    };
    void ask();
    const timer = setInterval(() => void ask(), EVERY_MS);
    return () => {
      clearInterval(timer);
      leaving.abort();
    };
  }, [unitId]);
  return (
    <section class="card" aria-labelledby="connection">
      <h2 id="connection">Connection</h2>
      {failure !== '' && <p class="said bad">{failure}</p>}
      {session && <Facts session={session} />}
    </section>
  );
}

function Facts({ session }: { readonly session: Session }) {
  const { state_text, connection, reservation, waiting, watchers, counters, shared_with, ftp } = session;
  const { last_ending, retry_in_s } = connection;
  const count = (name: string) => Number(counters?.[name] ?? 0);
  return (
    <dl class="facts">
      <dt>Now</dt>
      <dd>{state_text}</dd>
      <dt>Connected</dt>
      <dd>
        {connection.since ? `since ${dayAndTime(connection.since)}` : 'no'}
        {retry_in_s !== null && `, tried again in ${span(retry_in_s)}`}
      </dd>
      {last_ending && (
        <>
          <dt>Last ended</dt>
          <dd>
            {last_ending.reason}, {clockTime(last_ending.at)}
          </dd>
        </>
      )}
      <dt>Used by</dt>
      <dd>{reservation ? `${reservation.operation}, for ${span(reservation.held_s)}` : 'nobody at the moment'}</dd>
      <dt>Waiting</dt>
      <dd>{waiting.length === 0 ? 'nothing' : waiting.map(({ operation }) => operation).join(', ')}</dd>
      <dt>Viewers of the stream</dt>
      <dd>{whole(watchers)}</dd>
      <dt>Traffic</dt>
      <dd>
        {bytes(count('bytes_received') + count('bytes_sent'))}
        {ftp.bytes_received > 0 && ` and ${bytes(ftp.bytes_received)} of files`}
        {counters && ` since ${dayAndTime(String(counters.counted_since))}`}
      </dd>
      <dt>Trouble so far</dt>
      <dd>
        {whole(count('timeouts'))} time-outs, {whole(count('connect_failures'))} failed connections,{' '}
        {whole(count('garbled'))} spoilt replies
      </dd>
      {shared_with.length > 0 && (
        <>
          <dt>The same meter as</dt>
          <dd>{shared_with.join(', ')}: one of these configs is one too many.</dd>
        </>
      )}
    </dl>
  );
}
