/** Copies of the files of a card on the gateway: they are available while the meter cannot be reached. */
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { Job, KeptFile, Unit } from '../../client/index.ts';
import { client, mayOperate } from '../state/access.ts';
import { changes } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { bytes, dayAndTime } from '../state/numbers.ts';
import { Failed, Said, useAction } from '../ui/action.tsx';
import { DownloadLink } from '../ui/download-link.tsx';
import { progressOf } from '../ui/job-list.tsx';
import { Paged } from '../ui/paged.tsx';
import { WideTable } from '../ui/table.tsx';
import { say } from '../words/say.ts';
import { isSound, Listen } from './listen.tsx';

const STATES: Readonly<Record<KeptFile['state'], () => string>> = {
  complete: () => say('complete ## a file'),
  growing: () => say('still growing'),
  gone_from_card: () => say('complete, no longer on the card'),
};

export function KeptFiles({ unit }: { readonly unit: Unit }) {
  const { unit_id, timezone } = unit;
  const ask = () =>
    Promise.all([
      client.value.all<KeptFile>(`/${encodeURIComponent(unit_id)}/files`),
      client.value.jobs({ unit: unit_id, kind: 'mirror', limit: 1 }),
    ]);
  const { found, failure } = useFound(ask, [unit_id, changes.value.job]);
  const [files, [run] = []] = found ?? [];
  return (
    <section class="card" aria-labelledby="kept">
      <div class="row end">
        <h2 id="kept">{say('Kept here')}</h2>
        <span class="row">
          {files && files.length > 0 && (
            <DownloadLink
              path={`/${encodeURIComponent(unit_id)}/files/archive`}
              query={{ path: '/' }}
              name={`${unit_id}.zip`}
            >
              {say('All as ZIP')}
            </DownloadLink>
          )}
          {mayOperate.value && <FetchNew unitId={unit_id} />}
        </span>
      </div>
      <Failed failure={failure} />
      {run && <LastRun run={run} zone={timezone} />}
      {files?.length === 0 && (
        <p class="soft">
          {say(
            'No copies yet. "Fetch what is new" copies the card once; the config of the meter under Settings does it regularly.',
          )}
        </p>
      )}
      {files && files.length > 0 && (
        <Paged items={files} label={say('files')} wordsOf={({ path }) => path}>
          {(some) => <FileTable unitId={unit_id} zone={timezone} files={some} />}
        </Paged>
      )}
    </section>
  );
}

function FetchNew({ unitId }: { readonly unitId: string }) {
  const { outcome, run, waits } = useAction();
  const fetchNew = () => run(() => client.value.mirror(unitId));
  return (
    <>
      <button type="button" disabled={waits} onClick={() => void fetchNew()}>
        {say('Fetch what is new')}
      </button>
      {outcome.state === 'failed' && <Said outcome={outcome} />}
    </>
  );
}

function runWords(state: Job['state'], time: string): string {
  if (state === 'queued') return say('Waits behind other tasks.');
  if (state === 'running') return say('The card is being copied ...');
  if (state === 'done') return say('Last copied {time}.', { time });
  return state === 'failed'
    ? say('The last copy failed {time}.', { time })
    : say('The last copy was cancelled {time}.', { time });
}

function LastRun({ run, zone }: { readonly run: Job; readonly zone: string }) {
  const { state, progress, message, error, created_at } = run;
  const isOver = state !== 'queued' && state !== 'running';
  return (
    <p class={state === 'failed' ? 'said bad' : 'soft'} role="status">
      {runWords(state, dayAndTime(created_at, zone))} {!isOver && progress && `${progressOf(progress)}. `}
      {error?.detail ?? message}
    </p>
  );
}

interface TableProps {
  readonly unitId: string;
  readonly zone: string;
  readonly files: readonly KeptFile[];
}

function FileTable({ unitId, zone, files }: TableProps) {
  return (
    <WideTable heads={[say('File'), { number: say('Size') }, say('State')]}>
      {files.map((file) => (
        <tr key={`${file.card} ${file.path}`}>
          <td>
            <bdi>
              {file.sha256 === null ? (
                <CardPath path={file.path} />
              ) : (
                <DownloadLink
                  path={`/${encodeURIComponent(unitId)}/files/content`}
                  query={{ path: file.path, card: file.card }}
                  name={file.path.split('/').at(-1) ?? ''}
                  class=""
                >
                  <CardPath path={file.path} />
                </DownloadLink>
              )}
            </bdi>
          </td>
          <td class="number">{bytes(file.size)}</td>
          <td>
            {STATES[file.state]()}
            <div class="soft small">
              {file.fetched_at && dayAndTime(file.fetched_at, zone)}
              {file.sha256 && (
                <>
                  , <abbr title={`SHA-256 ${file.sha256}`}>{file.sha256.slice(0, 8)}</abbr>
                </>
              )}
              {file.rows > 0 && `, ${say('{count} row of levels|{count} rows of levels', { count: file.rows })}`}
            </div>
            {isSound(file) && (
              <Listen
                unitId={unitId}
                file={file}
                when={say('The card lists it with {time}, by the clock of the meter.', {
                  time: file.modified.replace('T', ' '),
                })}
              />
            )}
            {file.versions > 1 && <Versions unitId={unitId} zone={zone} file={file} />}
            {file.problems.map((problem) => (
              <div key={problem} class="said bad small">
                {problem}
              </div>
            ))}
          </td>
        </tr>
      ))}
    </WideTable>
  );
}

/** A path that a narrow screen breaks between its parts. */
const CardPath = ({ path }: { readonly path: string }) => (
  <>
    {path.split(/(?<=[/_])/).map((part, index) => (
      <Fragment key={index}>
        {index > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </>
);

/** They are asked for when they are opened. */
function Versions({ unitId, zone, file: { path, versions } }: Omit<TableProps, 'files'> & { readonly file: KeptFile }) {
  const [isOpen, setOpen] = useState(false);
  const { found, failure } = useFound(
    async () => (isOpen ? client.value.fileVersions(unitId, path) : undefined),
    [unitId, path, isOpen],
  );
  return (
    <details class="small" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{say('{count} version|{count} versions', { count: versions })}</summary>
      <Failed failure={failure} />
      <ul>
        {found?.map(({ card, sha256, size, fetched_at, replaced_at }) => (
          <li key={`${card} ${sha256}`}>
            <DownloadLink
              path={`/${encodeURIComponent(unitId)}/files/content`}
              query={{ path, card, sha256 }}
              name={path.split('/').at(-1) ?? ''}
              class=""
            >
              <abbr title={`SHA-256 ${sha256}`}>{sha256.slice(0, 8)}</abbr>
            </DownloadLink>
            {`, ${say('card {number}', { number: card })}, ${bytes(size)}`}
            {fetched_at && `, ${say('fetched {time}', { time: dayAndTime(fetched_at, zone) })}`}
            {replaced_at && `, ${say('replaced {time}', { time: dayAndTime(replaced_at, zone) })}`}
          </li>
        ))}
      </ul>
    </details>
  );
}
