/** A file to save: a plain link, or a fetch if a key is needed, because a link cannot send one. */
import type { ComponentChildren } from 'preact';
import type { Query } from '../../client/index.ts';
import { BASE_URL, client, hasKey } from '../app/access.ts';
import { save } from '../app/save.ts';
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

/** A link where no key is needed; else a button that fetches the file with the key. */
export function DownloadLink({ path, query, name, class: look = 'button', children }: Props) {
  const { outcome, run, waits } = useAction();
  if (!hasKey.value) {
    const words = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
    return (
      <a class={look} href={`${String(BASE_URL).replace(/\/$/, '')}${path}?${words}`} download={name}>
        {children}
      </a>
    );
  }
  const fetchFile = () =>
    run(async () => {
      save(await client.value.blob(path, { query }), name);
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
