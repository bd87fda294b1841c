/** The documents of a kept report, each to be saved. */
import type { schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { changes } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { bytes, dayAndTime } from '../state/numbers.ts';
import { DownloadLink } from '../ui/download-link.tsx';
import { Paged } from '../ui/paged.tsx';
import { say } from '../words/say.ts';

/** Documents of one report, the newest first. */
export function ReportDocuments({ report: { id, name, zone } }: { readonly report: schemas.KeptReport }) {
  const { found: documents } = useFound(() => client.value.reportDocuments(id), [id, changes.value.job]);
  if (!documents) return null;
  if (documents.length === 0) return <p class="soft">{say('No documents yet.')}</p>;
  return (
    <Paged
      items={documents}
      label={say('documents of {name}', { name })}
      wordsOf={(one) => `${one.name} ${one.sha256}`}
    >
      {(some) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls has to be reached by keyboard
        <div class="scroll" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{say('Levels of ## a span')}</th>
                <th scope="col">{say('Made ## when')}</th>
                <th scope="col">{say('Document')}</th>
              </tr>
            </thead>
            <tbody>
              {some.map((one) => (
                <tr key={one.id}>
                  <td>{say('{from} to {to}', { from: dayAndTime(one.from, zone), to: dayAndTime(one.to, zone) })}</td>
                  <td>
                    {dayAndTime(one.made_at, zone)}
                    {one.late && <div class="soft small">{say('late')}</div>}
                  </td>
                  <td>
                    <DownloadLink path={one.href} query={{}} name={one.name}>
                      {say('Save {format}', { format: one.format.toUpperCase() })}{' '}
                      <span class="hidden-label">{one.id}</span>
                    </DownloadLink>
                    <div class="soft small">
                      {bytes(one.bytes)}, <abbr title={`SHA-256 ${one.sha256}`}>{one.sha256.slice(0, 8)}</abbr>
                    </div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Paged>
  );
}
