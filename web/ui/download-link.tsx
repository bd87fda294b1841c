/** A file to save: a plain link, or a fetch where a key must be sent or a byte order mark may be missing. */
import type { ComponentChildren } from 'preact';
import type { Query } from '../../client/index.ts';
import { client, hasKey } from '../state/access.ts';
import { apiAddress } from '../state/address.ts';
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

/** Lets the browser save a file. Files come by fetch, because a link cannot send a key. */
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A CSV as people open it: without the mark, spreadsheets read letters such as ü as those of another alphabet. */
async function withByteOrderMark(csv: Blob): Promise<Blob> {
  // The decoder of text() leaves a mark out.
  return new Blob(['\ufeff', await csv.text()], { type: csv.type });
}
