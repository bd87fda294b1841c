/** One level with its name and unit: `54.3 dB LAeq`. An old one is struck through and says so to a screen reader. */

import { decibels, nameOf, percentileOf, type Weightings } from '../state/numbers.ts';
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

/** A level with its name; an old one is struck through. */
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
