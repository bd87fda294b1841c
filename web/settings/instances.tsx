/** The gateways on one database: which is active, and which is silent; one that is gone for good is removed. */
import { useEffect } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client, mayAdministerAll } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime } from '../state/numbers.ts';
import { Card, Name } from '../ui/card.tsx';
import { Entry } from '../ui/entry.tsx';
import { say } from '../words/say.ts';

/** About two beats of an instance, ms. */
const LOOK_MS = 10_000;

/** Nothing where the gateway is alone. */
export function Instances() {
  const { found: cluster, again } = useFound(() => client.value.cluster(), []);
  const found = cluster?.data ?? [];
  useEffect(() => {
    const next = setTimeout(again, LOOK_MS);
    return () => clearTimeout(next);
  });
  if (found.length === 0) return null;
  return (
    <Card
      id="instances"
      title={say('Instances')}
      about={say('Gateways on one database. When the active one is lost, a standby takes over.')}
    >
      <ul>
        {found.map((one) => (
          <li key={one.id}>
            <Entry
              name={one.name}
              mayChange={mayAdministerAll.value && isGone(one)}
              remove={() => client.value.removeInstance(one.id)}
              onChange={again}
            >
              <Name>{one.name}</Name>
              {one.self && ` (${say('answers this page ## an instance')})`}:{' '}
              <span class={one.state === 'silent' ? 'said bad' : ''}>{stateWords(one)}</span>
              <div class="soft small">
                <bdi>{one.address}</bdi>, {say('version {version}', { version: one.version })}
              </div>
            </Entry>
          </li>
        ))}
      </ul>
      {mayAdministerAll.value && found.some(isGone) && (
        <p class="soft">{say('Remove an instance that is gone for good. If it is started again, it joins again.')}</p>
      )}
    </Card>
  );
}

const isGone = ({ state }: schemas.ClusterInstance): boolean => state === 'silent' || state === 'left';

const STATES: Readonly<Record<schemas.ClusterInstance['state'], (seen: string | null) => string>> = {
  active: () => say('active ## an instance'),
  standby: () => say('standby, ready to take over'),
  silent: (seen) =>
    seen === null
      ? say('silent: no sign of life since this gateway began')
      : say('silent: last sign of life {time}', { time: dayAndTime(seen) }),
  left: () => say('was stopped'),
};

const stateWords = ({ state, last_seen: seen }: schemas.ClusterInstance): string => STATES[state](seen);
