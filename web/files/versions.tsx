/** Copies of a file whose path was used again: what was there before stays, and can be downloaded. */
import { useState } from 'preact/hooks';
import type { KeptFile, KeptVersion } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { bytes, dayAndTime } from '../state/numbers.ts';
import { messageOf } from '../ui/action.tsx';
import { DownloadLink } from '../ui/download-link.tsx';
import { say } from '../words/say.ts';

interface VersionsProps {
  readonly unitId: string;
  readonly zone: string;
  readonly file: KeptFile;
}

/** They are asked for when they are opened. */
export function Versions({ unitId, zone, file: { path, versions } }: VersionsProps) {
  const [found, setFound] = useState<readonly KeptVersion[] | undefined>(undefined);
  const [failure, setFailure] = useState('');
  const open = (event: Event) => {
    if (!(event.currentTarget instanceof HTMLDetailsElement) || !event.currentTarget.open) return;
    client.value.fileVersions(unitId, path).then(setFound, (error: unknown) => setFailure(messageOf(error)));
  };
  return (
    <details class="small" onToggle={open}>
      <summary>{say('{count} version|{count} versions', { count: versions })}</summary>
      {failure !== '' && <p class="said bad">{failure}</p>}
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
