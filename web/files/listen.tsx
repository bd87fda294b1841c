/** Plays the copy of a sound file. It comes by fetch, because the address of a player cannot send a key. */
import { useEffect, useState } from 'preact/hooks';
import type { KeptFile } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { bytes } from '../app/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';

/** The browser holds all of it, bytes: half an hour of two channels at 48 kHz with 16 bits. */
const MOST = 350_000_000;

/** Whether a copy is one that a browser plays. */
export const isSound = ({ path, sha256 }: KeptFile): boolean => sha256 !== null && /\.wav$/i.test(path);

interface Props {
  readonly unitId: string;
  readonly file: KeptFile;
}

/** A button, and then the player. */
export function Listen({ unitId, file: { path, card, modified, size } }: Props) {
  const [address, setAddress] = useState('');
  const { outcome, run, waits } = useAction();
  useEffect(() => () => URL.revokeObjectURL(address), [address]);
  if (size > MOST) return <span class="soft small">Too large to be played here ({bytes(size)}): save it.</span>;
  const listen = () =>
    run(async () => {
      const query = { path, card };
      setAddress(
        URL.createObjectURL(await client.value.blob(`/${encodeURIComponent(unitId)}/files/content`, { query })),
      );
      return '';
    });
  if (address === '')
    return (
      <>
        <button type="button" disabled={waits} onClick={() => void listen()}>
          Listen <span class="hidden-label">to {path}</span>
        </button>
        <Said outcome={outcome} waiting="It is being fetched ..." />
      </>
    );
  return (
    <figure class="sound">
      {/* biome-ignore lint/a11y/useMediaCaption: a recording of noise has no words that are known */}
      <audio controls src={address} aria-label={`Sound of ${path}`} />
      <figcaption class="soft small">
        The card lists it with {modified.replace('T', ' ')}, by the clock of the meter.
      </figcaption>
    </figure>
  );
}
