/** The packages of evidence of a meter that the gateway keeps: each to be saved, with the key that signed it. */
import type { schemas, Unit } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { changes } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { bytes, dayAndTime } from '../state/numbers.ts';
import { Failed } from '../ui/action.tsx';
import { DownloadLink } from '../ui/download-link.tsx';
import { stampWords } from '../ui/evidence.tsx';
import { Paged } from '../ui/paged.tsx';
import { WideTable } from '../ui/table.tsx';
import { say } from '../words/say.ts';

export function EvidencePage({ unit: { unit_id, timezone } }: { readonly unit: Unit }) {
  const { found: packages, failure } = useFound(
    () => client.value.all<schemas.EvidencePackage>(pathOf(unit_id)),
    [unit_id, changes.value.job],
  );
  return (
    <section class="card" aria-labelledby="packages">
      <h2 id="packages">{say('Packages of evidence')}</h2>
      <Failed failure={failure} />
      {packages?.length === 0 && (
        <p class="soft">
          {say(
            'None yet. The button "Evidence" on the pages History, Days and Assessment makes a package of the span that is shown there.',
          )}
        </p>
      )}
      {packages && packages.length > 0 && (
        <Paged
          items={packages}
          label={say('packages ## what is searched')}
          wordsOf={({ from, to, fingerprint }) => `${from} ${to} ${fingerprint}`}
        >
          {(some) => <PackageTable packages={some} zone={timezone} />}
        </Paged>
      )}
    </section>
  );
}

const pathOf = (unitId: string) => `/${encodeURIComponent(unitId)}/evidence`;

interface TableProps {
  readonly packages: readonly schemas.EvidencePackage[];
  readonly zone: string;
}

function PackageTable({ packages, zone }: TableProps) {
  return (
    <WideTable heads={[say('Made ## when'), say('Levels of ## which time'), say('Signed by the key'), say('Package')]}>
      {packages.map((each) => (
        <tr key={each.id}>
          <td>{dayAndTime(each.made_at, zone)}</td>
          <td>
            {/* Its days are those of the zone that it was made with. */}
            {say('{from} to {to}', {
              from: dayAndTime(each.from, each.timezone),
              to: dayAndTime(each.to, each.timezone),
            })}
            {each.timezone !== zone && <div class="soft small">{say('times of {zone}', { zone: each.timezone })}</div>}
          </td>
          <td>
            <bdi class="small">{each.fingerprint}</bdi>
            <div class="soft small">{stampWords(each)}</div>
          </td>
          <td>
            <DownloadLink
              path={`${pathOf(each.unit_id)}/${each.id}`}
              query={{}}
              name={`${each.unit_id}-evidence-${each.id}.zip`}
            >
              {say('Save')} <span class="hidden-label">{say('package {id}', { id: each.id })}</span>
            </DownloadLink>
            <div class="soft small">
              {bytes(each.bytes)}, <abbr title={`SHA-256 ${each.sha256}`}>{each.sha256.slice(0, 8)}</abbr>
            </div>
          </td>
        </tr>
      ))}
    </WideTable>
  );
}
