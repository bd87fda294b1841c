/** A file to save: a plain link, or a fetch where a key must be sent or a byte order mark may be missing. */
import type { ComponentChildren } from 'preact';
import type { Query } from '../../client/index.ts';
import { client, hasKey } from '../app/access.ts';
import { apiAddress } from '../app/address.ts';
import { save, withByteOrderMark } from '../app/save.ts';
import { say } from '../words/say.ts';
import { Said, useAction } from './action.tsx';

interface Props {
  /** Below the base path. */
  readonly path: string;
  readonly query: Query;
  /** Of the file, where the browser is not told another one. */
  readonly name: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A link where no key is needed; else, and for CSV, a button that fetches the file with the key. CSV begins with a byte order mark. */
export function DownloadLink({ path, query, name, class: look = 'button', children }: Props) {
  const { outcome, run, waits } = useAction();
  const isCsv = String(query.format).startsWith('csv');
  if (!hasKey.value && !isCsv)
    return (
      <a class={look} href={apiAddress(path, query)} download={name}>
        {children}
      </a>
    );
  const fetchFile = () =>
    run(async () => {
      const file = await client.value.blob(path, { query });
      save(isCsv ? await withByteOrderMark(file) : file, name);
      return '';
    });
  return (
    <>
      <button type="button" class={look === 'button' ? '' : 'plain'} disabled={waits} onClick={() => void fetchFile()}>
        {children}
      </button>
      <Said outcome={outcome} waiting={say('It is being fetched ...')} />
    </>
  );
}
