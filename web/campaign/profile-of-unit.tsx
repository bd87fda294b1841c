/** Which profile a meter was given, and whether its settings are still those. */
import { useEffect, useState } from 'preact/hooks';
import type { Drift, Unit } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { dayAndTime } from '../state/numbers.ts';
import { say, sayWith } from '../words/say.ts';
import { DriftWords } from './drift-words.tsx';
import { useProfiles } from './profiles.ts';

/** The profile of a meter, and how it differs from it. */
export function ProfileOfUnit({ unit: { unit_id, timezone } }: { readonly unit: Unit }) {
  const { profiles } = useProfiles();
  const name = profiles?.find(({ units }) => units.includes(unit_id))?.name;
  const [drift, setDrift] = useState<Drift | undefined>(undefined);
  useEffect(() => {
    let left = false;
    setDrift(undefined);
    if (name !== undefined)
      client.value.drift(name).then(
        (found) => left || setDrift(found.find((each) => each.unit_id === unit_id)),
        () => {},
      );
    return () => {
      left = true;
    };
  }, [unit_id, name, profiles]);
  if (!profiles) return null;
  return (
    <section class="card" aria-labelledby="profile">
      <h2 id="profile">{say('Profile')}</h2>
      {name === undefined ? (
        <p class="soft">{say('This meter was given no profile. Profiles are made under Settings.')}</p>
      ) : (
        <p>
          {drift ? (
            sayWith('{name}, applied to it {time}', {
              name: <bdi>{name}</bdi>,
              time: dayAndTime(drift.applied_at, timezone),
            })
          ) : (
            <bdi>{name}</bdi>
          )}
        </p>
      )}
      {drift && <DriftWords drift={drift} zone={timezone} />}
    </section>
  );
}
