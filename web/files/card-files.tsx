/** The card in the meter: folders and files, to be downloaded. Each listing asks the meter. */
import { useEffect, useState } from 'preact/hooks';
import type { CardFile, Unit } from '../../client/index.ts';
import { rootOfFiles } from '../state/abilities.ts';
import { client, mayOperate } from '../state/access.ts';
import { go, meterPath, search } from '../state/address.ts';
import { bytes } from '../state/numbers.ts';
import { codeOf, messageOf, Said, useAction } from '../ui/action.tsx';
import { DownloadLink, save } from '../ui/download-link.tsx';
import { Link } from '../ui/link.tsx';
import { Paged } from '../ui/paged.tsx';
import { Table } from '../ui/table.tsx';
import { say } from '../words/say.ts';

interface Failure {
  readonly code: string;
  readonly message: string;
}

export function CardFiles({ unit }: { readonly unit: Unit }) {
  const path = search.value.get('path') ?? rootOfFiles(unit.unit_id);
  // Each folder begins without a listing: that of the folder before must not show under its name.
  return path === undefined ? null : <CardFolder key={path} unit={unit} path={path} />;
}

function CardFolder({ unit, path }: { readonly unit: Unit; readonly path: string }) {
  const { unit_id } = unit;
  const [files, setFiles] = useState<readonly CardFile[] | undefined>(undefined);
  const [failure, setFailure] = useState<Failure | undefined>(undefined);
  const [again, setAgain] = useState(0);
  useEffect(() => {
    let left = false;
    setFiles(undefined);
    setFailure(undefined);
    client.value.files(unit_id, path).then(
      (found) => left || setFiles(found),
      (error: unknown) => left || setFailure({ code: codeOf(error), message: messageOf(error) }),
    );
    return () => {
      left = true;
    };
  }, [unit_id, path, again]);
  return (
    <section class="card" aria-labelledby="card">
      <div class="row end">
        <h2 id="card">{say('On the card')}</h2>
        <span class="row">
          <DownloadLink path={`/${encodeURIComponent(unit_id)}/ftp/archive`} query={{ path }} name={`${unit_id}.zip`}>
            {say('Folder as ZIP')}
          </DownloadLink>
          <button type="button" onClick={() => setAgain(again + 1)}>
            {say('List again')}
          </button>
        </span>
      </div>
      <Crumbs unitId={unit_id} path={path} />
      {!files && !failure && (
        <p class="soft">{say('The card is being listed. While it is, the meter rests from other work ...')}</p>
      )}
      {failure && <NoFiles unit={unit} failure={failure} listAgain={() => setAgain(again + 1)} />}
      {files && <FileTable unitId={unit_id} files={files} />}
    </section>
  );
}

function Crumbs({ unitId, path }: { readonly unitId: string; readonly path: string }) {
  const names = path.split('/').filter((name) => name !== '');
  const to = (count: number) =>
    `${meterPath(unitId, 'files')}?path=${encodeURIComponent(`/${names.slice(0, count).join('/')}`)}`;
  return (
    <nav class="row" aria-label={say('Folder')}>
      <Link to={to(0)}>{say('Card')}</Link>
      {names.map((name, index) => (
        <span key={to(index + 1)}>
          / <Link to={to(index + 1)}>{name}</Link>
        </span>
      ))}
    </nav>
  );
}

function NoFiles({ unit, failure, listAgain }: { readonly unit: Unit; readonly failure: Failure; listAgain(): void }) {
  const { outcome, run, waits } = useAction();
  const turnOn = () =>
    run(async () => {
      const { message } = await client.value.post(unit.unit_id, 'ftp/enable');
      // The FTP server of a meter needs about three seconds to start.
      setTimeout(listAgain, 3_000);
      return `${message} ${say('The card will be listed in some seconds.')}`;
    });
  const isOff = failure.code === 'DEVICE_UNREACHABLE' || failure.code === 'DEVICE_TIMEOUT';
  return (
    <div class="trouble">
      <p>
        <strong>{wordsFor(failure)}</strong>
      </p>
      {isOff && mayOperate.value && (
        <button type="button" disabled={waits} onClick={() => void turnOn()}>
          {say('Switch FTP on in the meter')}
        </button>
      )}
      <Said outcome={outcome} />
    </div>
  );
}

function wordsFor({ code, message }: Failure): string {
  if (code === 'FTP_DISABLED')
    return say('Files are switched off for this meter. Its config under Settings has "Fetch files".');
  if (code === 'DEVICE_UNREACHABLE')
    return say('The FTP server of the meter does not answer. Usually it is switched off.');
  if (code === 'FILE_NOT_FOUND') return say('There is no such folder on the card.');
  return message;
}

function FileTable({ unitId, files }: { readonly unitId: string; readonly files: readonly CardFile[] }) {
  const { outcome, run, waits } = useAction();
  const fetchFile = ({ path, name, size }: CardFile) =>
    run(async () => {
      const content = await client.value.download(unitId, path);
      save(content, name);
      return content.size === size
        ? say('{name} was downloaded and is complete: {size}.', { name, size: bytes(size) })
        : say('{name} was downloaded: {size}; the card lists {listed}.', {
            name,
            size: bytes(content.size),
            listed: bytes(size),
          });
    });
  const sorted = [...files].sort(
    (one, other) =>
      Number(other.is_dir) - Number(one.is_dir) || one.name.localeCompare(other.name, undefined, { numeric: true }),
  );
  if (files.length === 0) return <p class="soft">{say('This folder is empty.')}</p>;
  return (
    <>
      <Said outcome={outcome} waiting={say('The file is being fetched from the meter ...')} />
      <Paged items={sorted} label={say('entries of the card')} wordsOf={({ name }) => name}>
        {(some) => (
          <Table heads={[say('Name'), { number: say('Size') }, say('Changed ## a file')]}>
            {some.map((file) => (
              <tr key={file.path}>
                <td>
                  <bdi>
                    {file.is_dir ? (
                      <button
                        type="button"
                        class="plain"
                        onClick={() => go(`${meterPath(unitId, 'files')}?path=${encodeURIComponent(file.path)}`)}
                      >
                        {file.name}/
                      </button>
                    ) : (
                      <button type="button" class="plain" disabled={waits} onClick={() => void fetchFile(file)}>
                        {file.name}
                      </button>
                    )}
                  </bdi>
                </td>
                <td class="number">{file.is_dir ? '' : bytes(file.size)}</td>
                <td>{file.modified_at?.replace('T', ' ') ?? file.modified}</td>
              </tr>
            ))}
          </Table>
        )}
      </Paged>
    </>
  );
}
