/** How old a value is. Counts on by itself. */
import { useComputed } from '@preact/signals';
import { now } from '../state/fleet.ts';
import { clockTime, span } from '../state/numbers.ts';
import { say } from '../words/say.ts';

interface Props {
  readonly at: string | null;
  readonly zone?: string | null;
}

/** `4 s ago`, or `never`; the exact time is its title. */
export function Age({ at, zone }: Props) {
  if (at === null) return <span class="soft">{say('never')}</span>;
  return (
    <time dateTime={at} title={clockTime(at, zone)} class="soft">
      <Counting at={Date.parse(at)} key={at} />
    </time>
  );
}

function Counting({ at }: { readonly at: number }) {
  const text = useComputed(() => say('{length} ago', { length: span((now.value - at) / 1_000) }));
  return <>{text}</>;
}
