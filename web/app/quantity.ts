/** The name of a level, with its weightings if they are known. `LAeq`, `LAFmax`; without them `Leq`. */
export type Quantity = 'lp' | 'leq' | 'lmax' | 'lmin' | 'lpeak' | 'le' | `l${number}`;

export interface Weightings {
  readonly frequency: string | null;
  readonly time: string | null;
}

export function nameOf(quantity: string, { frequency, time }: Weightings): string {
  const f = frequency ?? '';
  const t = frequency ? (time ?? '') : '';
  if (quantity === 'lp') return frequency ? `L${f}${t}` : 'Lp';
  if (quantity === 'leq') return `L${f}eq`;
  if (quantity === 'le') return `L${f}E`;
  if (quantity === 'lmax' || quantity === 'lmin') return `L${f}${t}${quantity.slice(1)}`;
  // The meter may use another weighting for its peak than for the main channel, and its values do not show it.
  if (quantity === 'lpeak') return 'Lpeak';
  // Which percentages the five LN of the display are is a setting of the meter.
  if (/^ln\d$/.test(quantity)) return quantity.toUpperCase();
  return `L${f}${t}${quantity.slice(1)}`;
}
