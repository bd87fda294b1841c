/** Copies of the files of a card on the gateway: they are available while the meter cannot be reached. */
import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Job, KeptFile, Unit } from '../../client/index.ts';
import { client, mayOperate } from '../app/access.ts';
import { changes } from '../app/fleet.ts';
import { bytes, dayAndTime, whole } from '../app/numbers.ts';
import { messageOf, Said, useAction } from '../ui/action.tsx';
import { DownloadLink } from '../ui/download-link.tsx';
import { Paged } from '../ui/paged.tsx';
import { isSound, Listen } from './listen.tsx';
import { Versions } from './versions.tsx';

const STATES: Readonly<Record<KeptFile['state'], string>> = {
  complete: 'whole',
  growing: 'still growing',
  gone_from_card: 'whole, not on the card any more',
};

/** The list of copies, and the button that fetches new ones. */
export function KeptFiles({ unit }: { readonly unit: Unit }) {
  const { unit_id, timezone } = unit;
  const [files, setFiles] = useState<readonly KeptFile[] | undefined>(undefined);
  const [run, setRun] = useState<Job | undefined>(undefined);
  const [failure, setFailure] = useState('');
  const seen = changes.value.job;
  useEffect(() => {
    let left = false;
    const { value } = client;
    Promise.all([
      value.all<KeptFile>(`/${encodeURIComponent(unit_id)}/files`),
      value.jobs({ unit: unit_id, kind: 'mirror', limit: 1 }),
    ]).then(
      ([found, [last]]) => {
        if (left) return;
        setFiles(found);
        setRun(last);
      },
      (error: unknown) => left || setFailure(messageOf(error)),
    );
    return () => {
      left = true;
    };
  }, [unit_id, seen]);
  return (
    <section class="card" aria-labelledby="kept">
      <div class="row end">
        <h2 id="kept">Kept here</h2>
        <span class="row">
          {files && files.length > 0 && (
            <DownloadLink
              path={`/${encodeURIComponent(unit_id)}/files/archive`}
              query={{ path: '/' }}
              name={`${unit_id}.zip`}
            >
              All as ZIP
            </DownloadLink>
          )}
          {mayOperate.value && <FetchNew unitId={unit_id} />}
        </span>
      </div>
      {failure !== '' && <p class="said bad">{failure}</p>}
      {run && <LastRun run={run} zone={timezone} />}
      {files?.length === 0 && (
        <p class="soft">
          No copies yet. "Fetch what is new" copies the card once; the config of the meter under Settings does it
          regularly.
        </p>
      )}
      {files && files.length > 0 && (
        <Paged items={files} label="files" wordsOf={({ path }) => path}>
          {(some) => <FileTable unitId={unit_id} zone={timezone} files={some} />}
        </Paged>
      )}
    </section>
  );
}

function FetchNew({ unitId }: { readonly unitId: string }) {
  const { outcome, run, waits } = useAction();
  const fetchNew = () => run(async () => (await client.value.mirror(unitId)).message);
  return (
    <>
      <button type="button" disabled={waits} onClick={() => void fetchNew()}>
        Fetch what is new
      </button>
      {outcome.state === 'failed' && <Said outcome={outcome} />}
    </>
  );
}

const RUNS: Readonly<Record<Job['state'], string>> = {
  queued: 'Waits behind other jobs.',
  running: 'The card is being copied ...',
  done: 'Last copied',
  failed: 'The last copy failed',
  cancelled: 'The last copy was cancelled',
};

function LastRun({
  run: { state, progress, message, error, created_at },
  zone,
}: {
  readonly run: Job;
  readonly zone: string;
}) {
  const isOver = state !== 'queued' && state !== 'running';
  return (
    <p class={state === 'failed' ? 'said bad' : 'soft'} role="status">
      {RUNS[state]}
      {isOver && ` ${dayAndTime(created_at, zone)}. `}
      {!isOver &&
        progress &&
        ` ${whole(progress.done)}${progress.total === null ? '' : ` of ${whole(progress.total)}`} ${progress.unit}. `}{' '}
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls has to be reached by keyboard
    <div class="scroll" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col" class="number">
              Size
            </th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
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
                {STATES[file.state]}
                <div class="soft small">
                  {file.fetched_at && dayAndTime(file.fetched_at, zone)}
                  {file.sha256 && (
                    <>
                      , <abbr title={`SHA-256 ${file.sha256}`}>{file.sha256.slice(0, 8)}</abbr>
                    </>
                  )}
                  {file.rows > 0 && `, ${whole(file.rows)} rows of levels`}
                </div>
                {isSound(file) && (
                  <Listen
                    unitId={unitId}
                    file={file}
                    when={`The card lists it with ${file.modified.replace('T', ' ')}, by the clock of the meter.`}
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
        </tbody>
      </table>
    </div>
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
