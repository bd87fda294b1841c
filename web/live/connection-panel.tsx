/** The connection between gateway and meter: what uses the meter, what waits, how much data it has used. From the gateway's memory. */
import { useEffect, useState } from 'preact/hooks';
import type { Config, Session } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { changes } from '../app/fleet.ts';
import { useFound } from '../app/found.ts';
import { bytes, clockTime, dayAndTime, span, whole } from '../app/numbers.ts';
import { messageOf } from '../ui/action.tsx';

const EVERY_MS = 5_000;

interface Props {
  readonly unitId: string;
  readonly zone: string | null;
}

/** The state of the connection, asked again while it is shown. */
export function ConnectionPanel({ unitId, zone }: Props) {
  const [session, setSession] = useState<Session | undefined>(undefined);
  const [failure, setFailure] = useState('');
  const { found: config } = useFound(() => client.value.config(unitId), [unitId, changes.value.config]);
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
      {session && <Facts session={session} zone={zone} limit={limitOf(config)} />}
    </section>
  );
}

/** Bytes of a day; undefined: there is no limit. */
const limitOf = (config: Config | undefined): number | undefined =>
  config?.mirror.enabled && config.mirror.max_mb_per_day > 0 ? config.mirror.max_mb_per_day * 1_000_000 : undefined;

interface FactsProps {
  readonly session: Session;
  readonly zone: string | null;
  readonly limit: number | undefined;
}

function Facts({ session, zone, limit }: FactsProps) {
  const { state_text, connection, reservation, waiting, watchers, counters, shared_with, ftp, today } = session;
  const { last_ending, retry_in_s } = connection;
  const count = (name: Exclude<keyof NonNullable<typeof counters>, 'counted_since'>) => counters?.[name] ?? 0;
  return (
    <dl class="facts">
      <dt>Now</dt>
      <dd>{state_text}</dd>
      <dt>Connected</dt>
      <dd>
        {connection.since ? `since ${dayAndTime(connection.since, zone)}` : 'no'}
        {retry_in_s !== null && `, tried again in ${span(retry_in_s)}`}
      </dd>
      {last_ending && (
        <>
          <dt>Last ended</dt>
          <dd>
            {last_ending.reason}, {clockTime(last_ending.at, zone)}
          </dd>
        </>
      )}
      <dt>Used by</dt>
      <dd>{reservation ? `${reservation.operation}, for ${span(reservation.held_s)}` : 'nothing at present'}</dd>
      <dt>Waiting</dt>
      <dd>{waiting.length === 0 ? 'nothing' : waiting.map(({ operation }) => operation).join(', ')}</dd>
      <dt>Viewers</dt>
      <dd>{whole(watchers)} of the stream</dd>
      <dt>Data today</dt>
      <dd>
        {bytes(today.bytes_received + today.bytes_sent)} since {dayAndTime(today.since, zone)}
        {limit !== undefined && <div class="soft small">Copies of the card may take {bytes(limit)} a day.</div>}
      </dd>
      <dt>Data in all</dt>
      <dd>
        {bytes(count('bytes_received') + count('bytes_sent'))}
        {ftp.bytes_received > 0 && ` and ${bytes(ftp.bytes_received + ftp.bytes_sent)} of files`}
        {counters && ` since ${dayAndTime(String(counters.counted_since), zone)}`}
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
