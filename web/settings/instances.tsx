/** The gateways that share one database: which has the meters, and which is not heard of; one that is gone for good is removed. */
import { useEffect } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client, mayAdministerAll } from '../app/access.ts';
import { useFound } from '../app/found.ts';
import { dayAndTime } from '../app/numbers.ts';
import { RevocableEntry } from '../ui/revoke.tsx';
import { say } from '../words/say.ts';

/** About two beats of an instance, ms. */
const LOOK_MS = 10_000;
/** Meters without an instance that are named: those of a lost one may be hundreds. */
const MOST_NAMED = 5;

/** Nothing where the gateway is alone. */
export function Instances() {
  const { found: cluster, again } = useFound(() => client.value.cluster(), []);
  const { data: found = [], unowned = [] } = cluster ?? {};
  useEffect(() => {
    const next = setTimeout(again, LOOK_MS);
    return () => clearTimeout(next);
  });
  if (found.length === 0) return null;
  return (
    <section class="card" aria-labelledby="instances">
      <h2 id="instances">{say('Instances')}</h2>
      <p class="soft">
        {say('Gateways that share one database. When one that has meters is lost, another one takes them over.')}
      </p>
      <ul>
        {found.map((one) => (
          <RevocableEntry
            key={one.id}
            name={one.name}
            canEnd={mayAdministerAll.value && isGone(one)}
            verb="remove"
            revoke={async () => (await client.value.removeInstance(one.id)).message}
            again={again}
          >
            <strong>
              <bdi>{one.name}</bdi>
            </strong>
            {one.self && ` (${say('answers this page ## an instance')})`}:{' '}
            <span class={one.state === 'silent' ? 'said bad' : ''}>{stateWords(one)}</span>
            {one.units !== null && `, ${say('meters that it serves: {count}', { count: one.units })}`}
            <div class="soft small">
              <bdi>{one.address}</bdi>, {say('version {version}', { version: one.version })}
            </div>
          </RevocableEntry>
        ))}
      </ul>
      {unowned.slice(0, MOST_NAMED).map(({ unit_id, why }) => (
        <p class="trouble wait" key={unit_id}>
          <bdi>{unit_id}</bdi>: {say('no instance serves this meter now')}. <bdi>{why}</bdi>
        </p>
      ))}
      {unowned.length > MOST_NAMED && (
        <p class="trouble wait">
          {say('And {count} more meter.|And {count} more meters.', { count: unowned.length - MOST_NAMED })}
        </p>
      )}
      {mayAdministerAll.value && found.some(isGone) && (
        <p class="soft">{say('Remove an instance that is gone for good. If it is started again, it joins again.')}</p>
      )}
    </section>
  );
}

const isGone = ({ state }: schemas.ClusterInstance): boolean => state === 'silent' || state === 'left';

const STATES: Readonly<Record<schemas.ClusterInstance['state'], (seen: string | null) => string>> = {
  'has the meters': () => say('has the meters'),
  waits: () => say('waits, ready to take over'),
  silent: (seen) =>
    seen === null
      ? say('silent: no sign of life since this gateway began')
      : say('silent: last sign of life {time}', { time: dayAndTime(seen) }),
  left: () => say('was stopped'),
};

const stateWords = ({ state, last_seen: seen }: schemas.ClusterInstance): string => STATES[state](seen);
