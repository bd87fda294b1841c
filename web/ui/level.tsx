/** A level with its name, `54.3 dB LAeq`, and the age of a value. An old level is struck through and read out as old. */
import { useComputed } from '@preact/signals';
import { now } from '../state/fleet.ts';
import { clockTime, decibels, nameOf, percentileOf, span, type Weightings } from '../state/numbers.ts';
import { say } from '../words/say.ts';

interface Props {
  readonly level: number | null;
  readonly quantity: string;
  readonly weightings: Weightings;
  readonly old: boolean;
  /** Of a percentile: N of its LN. */
  readonly percent?: number | undefined;
  readonly huge?: boolean;
}

export function Level({ level, quantity, weightings, old, percent, huge = false }: Props) {
  const name = percent === undefined ? nameOf(quantity, weightings) : percentileOf(percent, weightings);
  const isOld = old && level !== null;
  return (
    <span class={`level${isOld ? ' old' : ''}${huge ? ' huge' : ''}`}>
      <span class="value">{decibels(level)}</span>
      <span class="unit">
        dB {name}
        {isOld && <span class="hidden-label"> {say('(old)')}</span>}
      </span>
    </span>
  );
}

/** `4 s ago`, or `never`; the exact time is its title. */
export function Age({ at, zone }: { readonly at: string | null; readonly zone?: string | null }) {
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
