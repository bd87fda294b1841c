/** The gaps of a meter that is not recorded as a whole, and where to change that: afterwards it is too late. */
import type { Unit } from '../../client/index.ts';
import { say, sayWith } from '../words/say.ts';
import { Link } from './link.tsx';

const WORDS: Readonly<Record<string, () => string>> = {
  off: () => say('At present nothing of this meter is recorded.'),
  poll: () =>
    say(
      'At present only readings now and then are kept of this meter. That is not enough for Leq, LN, Lden and limits.',
    ),
};

/** The part that is not recorded; empty when all is recorded. */
export function RecordingNote({ unit: { history } }: { readonly unit: Unit }) {
  const words = WORDS[history];
  if (!words) return null;
  return (
    <p class="soft">
      {words()}{' '}
      {sayWith('To measure them, choose to record "Everything" in the {link} of the meter.', {
        link: <Link to="settings">{say('settings')}</Link>,
      })}
    </p>
  );
}
