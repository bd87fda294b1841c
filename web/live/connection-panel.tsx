/**
 * The connection between gateway and meter: what uses the meter, what waits, how much data it has used. A test checks step by
 * step what is wrong.
 */
import { useState } from 'preact/hooks';
import type { Config, Examination, Session } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { changes } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { bytes, clockTime, dayAndTime, span } from '../state/numbers.ts';
import { Failed, Said, useAction } from '../ui/action.tsx';
import { say, sayOfApi, sayWith } from '../words/say.ts';

const EVERY_MS = 5_000;

export function ConnectionPanel({ unitId, zone }: { readonly unitId: string; readonly zone: string | null }) {
  const { found: session, failure } = useFound((signal) => client.value.session(unitId, signal), [unitId], EVERY_MS);
  const { found: config } = useFound(() => client.value.config(unitId), [unitId, changes.value.config]);
  return (
    <section class="card" aria-labelledby="connection">
      <h2 id="connection">{say('Connection')}</h2>
      <Failed failure={failure} />
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
  const { state_text, connection, reservation, waiting, watchers, counters, shared_with, today } = session;
  const { last_ending, retry_in_s } = connection;
  const count = (name: Exclude<keyof NonNullable<typeof counters>, 'counted_since'>) => counters?.[name] ?? 0;
  return (
    <dl class="facts">
      <dt>{say('Now')}</dt>
      <dd>{sayOfApi(state_text)}</dd>
      <dt>{say('Connected')}</dt>
      <dd>
        {connection.since
          ? say('since {time}', { time: dayAndTime(connection.since, zone) })
          : retry_in_s === null
            ? say('no ## not connected')
            : say('no, tried again in {time}', { time: span(retry_in_s) })}
      </dd>
      {last_ending && (
        <>
          <dt>{say('Last ended')}</dt>
          <dd>
            {last_ending.reason}, {clockTime(last_ending.at, zone)}
          </dd>
        </>
      )}
      <dt>{say('Used by')}</dt>
      <dd>
        {reservation
          ? say('{operation}, for {time}', { operation: reservation.operation, time: span(reservation.held_s) })
          : say('nothing at present')}
      </dd>
      <dt>{say('Waiting')}</dt>
      <dd>{waiting.length === 0 ? say('nothing ## waits') : waiting.map(({ operation }) => operation).join(', ')}</dd>
      <dt>{say('Viewers')}</dt>
      <dd>{say('{watchers} of the stream', { watchers })}</dd>
      <dt>{say('Data today')}</dt>
      <dd>
        {say('{bytes} since {time}', {
          bytes: bytes(today.bytes_received + today.bytes_sent),
          time: dayAndTime(today.since, zone),
        })}
        {limit !== undefined && (
          <div class="soft small">{say('Copies of the card may take {bytes} a day.', { bytes: bytes(limit) })}</div>
        )}
      </dd>
      <dt>{say('Data in all')}</dt>
      <dd>{allData(session, bytes(count('bytes_received') + count('bytes_sent')), zone)}</dd>
      <dt>{say('Trouble so far')}</dt>
      <dd>
        {say('{timeouts} time-outs, {failures} failed connections, {garbled} spoilt replies', {
          timeouts: count('timeouts'),
          failures: count('connect_failures'),
          garbled: count('garbled'),
        })}
      </dd>
      {shared_with.length > 0 && (
        <>
          <dt>{say('The same meter as')}</dt>
          <dd>{say('{units}: one of these configs is not needed.', { units: shared_with.join(', ') })}</dd>
        </>
      )}
    </dl>
  );
}

/** Bytes of the meter so far: by its connection, and by FTP. */
function allData({ ftp, counters }: Session, own: string, zone: string | null): string {
  const files = ftp.bytes_received > 0 ? bytes(ftp.bytes_received + ftp.bytes_sent) : undefined;
  const all = files === undefined ? own : say('{bytes} and {files} of files', { bytes: own, files });
  return counters
    ? say('{bytes} since {time}', { bytes: all, time: dayAndTime(String(counters.counted_since), zone) })
    : all;
}

type Check = Examination['checks'][number];

const MARKS = {
  ok: () => say('well ## of a check'),
  warning: () => say('check it'),
  failed: () => say('failed ## of a check'),
  skipped: () => say('not tried'),
};

const CHECKS: Readonly<Record<Check['check'], () => string>> = {
  config: () => say('Config'),
  name: () => say('Name in the network'),
  address: () => say('Address in the network'),
  port: () => say('Control port'),
  reply: () => say('Reply'),
  identity: () => say('Type and serial number'),
  sleep: () => say('Sleep mode'),
  weightings: () => say('Weightings'),
  clock: () => say('Clock of the meter'),
  ftp: () => say('FTP'),
  'data connection': () => say('Connection for files'),
  sharing: () => say('Other units with this meter'),
};

const needsPerson = ({ outcome }: Check): boolean => outcome === 'failed' || outcome === 'warning';

export function ExaminationPanel({ unitId, onRun }: { readonly unitId: string; onRun(runs: boolean): void }) {
  const [examination, setExamination] = useState<Examination | undefined>(undefined);
  const { outcome, run, waits } = useAction();
  const examine = () =>
    run(async () => {
      onRun(true);
      const found = await client.value.doctor(unitId).finally(() => onRun(false));
      setExamination(found);
      return verdictOf(found.checks);
    });
  return (
    <section class="card" aria-labelledby="examination">
      <div class="row end">
        <h2 id="examination">{say('Test the connection')}</h2>
        <button type="button" disabled={waits} onClick={() => void examine()}>
          {say('Test it step by step')}
        </button>
      </div>
      <Said
        outcome={outcome}
        waiting={say(
          'Checking name, address, port, reply, identity, clock and files: about 10 s. The chart stands still meanwhile ...',
        )}
      />
      {examination && <Findings checks={examination.checks} />}
    </section>
  );
}

function verdictOf(checks: readonly Check[]): string {
  const failed = checks.filter(({ outcome }) => outcome === 'failed').length;
  const doubtful = checks.filter(({ outcome }) => outcome === 'warning').length;
  if (failed > 0) return say('One check failed.|{count} checks failed.', { count: failed });
  if (doubtful > 0)
    return say(
      'The connection works. One thing should be checked.|The connection works. {count} things should be checked.',
      { count: doubtful },
    );
  return say('Nothing is wrong.');
}

/** Checks that need a person are first and open. */
function Findings({ checks }: { readonly checks: readonly Check[] }) {
  const others = checks.filter((each) => !needsPerson(each));
  return (
    <>
      <Steps checks={checks.filter(needsPerson)} />
      <details>
        <summary>{say('The other check|The other {count} checks', { count: others.length })}</summary>
        <Steps checks={others} />
      </details>
    </>
  );
}

const Steps = ({ checks }: { readonly checks: readonly Check[] }) => (
  <ul class="steps">
    {checks.map(({ check, outcome, detail, advice, command }) => (
      <li key={check} class={outcome}>
        <strong>
          {CHECKS[check]()}: {MARKS[outcome]()}.
        </strong>{' '}
        {detail}
        {advice && <div>{advice}</div>}
        {command && (
          <div class="soft small">{sayWith('Or as a command: {command}', { command: <code>{command}</code> })}</div>
        )}
      </li>
    ))}
  </ul>
);
