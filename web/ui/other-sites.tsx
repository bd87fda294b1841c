/** Units of other gateways, each a site of its own (setting `sites`), with the age of what is shown. */
import { useEffect } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { about, client } from '../state/access.ts';
import { meterPath } from '../state/address.ts';
import { useFound } from '../state/found.ts';
import { decibels, span } from '../state/numbers.ts';
import { say } from '../words/say.ts';

/** As often as the gateway reads them, ms. */
const LOOK_MS = 10_000;

/** Nothing where no site is named, or the key may not see them. */
export function OtherSites() {
  const count = about.value?.sites ?? 0;
  const { found = [], again } = useFound(async () => (count > 0 ? client.value.sites() : []), [count]);
  useEffect(() => {
    if (count === 0) return;
    const next = setTimeout(again, LOOK_MS);
    return () => clearTimeout(next);
  });
  return (
    <>
      {found.map((site) => (
        <SiteUnits key={site.name} site={site} />
      ))}
    </>
  );
}

function SiteUnits({ site }: { readonly site: schemas.Site }) {
  const { name, address, state, age_s: age, units } = site;
  return (
    <section class="card site" aria-label={name}>
      <div class="row end">
        <h2>
          <a href={address}>
            <bdi>{name}</bdi>
          </a>
        </h2>
        <span class={state === 'silent' ? 'said bad small' : 'soft small'}>{stateWords(state, age)}</span>
      </div>
      <ul class="stack">
        {units.map((unit) => (
          <li key={unit.unit_id} class="row end">
            <a href={`${address}/${meterPath(unit.unit_id)}`}>
              <bdi>{unit.name ?? unit.unit_id}</bdi>
            </a>
            <span>{decibels(unit.lp)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function stateWords(state: schemas.Site['state'], age: schemas.Site['age_s']): string {
  if (age === null) return state === 'silent' ? say('does not answer') : say('is being asked');
  const time = span(age);
  return state === 'silent'
    ? say('does not answer; values are {time} old', { time })
    : say('read {time} ago', { time });
}
