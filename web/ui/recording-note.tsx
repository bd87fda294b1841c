/** What is missing of a meter that is not recorded as a whole, and where to change that: afterwards it is too late. */
import type { Unit } from '../../client/index.ts';
import { Link } from './link.tsx';

const WORDS: Readonly<Record<string, string>> = {
  off: 'At present nothing of this meter is recorded.',
  poll: 'At present only readings now and then are kept of this meter. That is not enough for Leq, LN, Lden and limits.',
};

/** What is not recorded; nothing where all is. */
export function RecordingNote({ unit: { history } }: { readonly unit: Unit }) {
  const words = WORDS[history];
  if (!words) return null;
  return (
    <p class="soft">
      {words} To measure them choose "Everything" as what is recorded, in the <Link to="settings">settings</Link> of the
      meter.
    </p>
  );
}
