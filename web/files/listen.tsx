/** Plays a copied recording of sound. It comes by fetch, because the address of a player cannot send a key. */
import { useEffect, useState } from 'preact/hooks';
import type { KeptFile } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { bytes } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { DownloadLink } from '../ui/download-link.tsx';
import { say } from '../words/say.ts';

/** The browser holds all of it, bytes: half an hour of two channels at 48 kHz with 16 bits. */
const MOST = 350_000_000;

/** Whether a copy is one that a browser plays. */
export const isSound = ({ path, sha256 }: KeptFile): boolean => sha256 !== null && /\.wav$/i.test(path);

interface Props {
  readonly unitId: string;
  readonly file: Pick<KeptFile, 'path' | 'card' | 'size' | 'sha256'>;
  readonly when: string;
}

/** A button, and then the player; a link to save it where it cannot be played. */
export function Listen({ unitId, file, when }: Props) {
  const { path, card, size, sha256 } = file;
  const [address, setAddress] = useState('');
  const [isUnplayable, setUnplayable] = useState(false);
  const { outcome, run, waits } = useAction();
  useEffect(() => () => URL.revokeObjectURL(address), [address]);
  const content = `/${encodeURIComponent(unitId)}/files/content`;
  const query = { path, card, ...(sha256 !== null && { sha256 }) };
  if (size > MOST || isUnplayable)
    return (
      <span class="soft small">
        {isUnplayable
          ? say('This browser cannot play it:')
          : say('Too large to be played here ({size}):', { size: bytes(size) })}{' '}
        <DownloadLink path={content} query={query} name={path.split('/').at(-1) ?? ''} class="">
          {say('save it')}
        </DownloadLink>
        .
      </span>
    );
  const listen = () =>
    run(async () => {
      setAddress(URL.createObjectURL(await client.value.blob(content, { query })));
      return '';
    });
  if (address === '')
    return (
      <>
        <button type="button" disabled={waits} onClick={() => void listen()}>
          {say('Listen')} <span class="hidden-label">{say('to {path}', { path })}</span>
        </button>
        <Said outcome={outcome} waiting={say('It is being fetched ...')} />
      </>
    );
  return (
    <figure class="sound">
      {/* biome-ignore lint/a11y/useMediaCaption: a recording of noise has no words that are known */}
      <audio controls src={address} aria-label={say('Sound of {path}', { path })} onError={() => setUnplayable(true)} />
      <figcaption class="soft small">{when}</figcaption>
    </figure>
  );
}
