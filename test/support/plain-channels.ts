/** Which series of a history in memory answer a question: those of one channel. */
import { MAIN_CHANNEL } from '../../lib/domain/ids.ts';
import type { Query, SeriesKey, Weighting } from '../../lib/history/contract.ts';
import { type Series, sum } from './plain-candidates.ts';

export const nameOf = ({ frequency, time }: Weighting) => `${frequency}${time}`;

const nameOfKind = ({ channel = MAIN_CHANNEL, weighting }: Pick<SeriesKey, 'channel' | 'weighting'>) =>
  `${channel} ${nameOf(weighting)}`;

export const nameOfSeries = (key: Omit<SeriesKey, 'unitId'>) => `${key.source} ${nameOfKind(key)}`;

/** For any channel: the channel with the most hours of the requested weighting. */
export function ofChannel(
  all: readonly Series[],
  { channel = MAIN_CHANNEL, frequency, weighting }: Query,
  hours: (series: Series) => number,
): Series[] {
  if (channel !== null) return all.filter((series) => series.channel === channel);
  const fits = (one: Weighting) =>
    (frequency === undefined || one.frequency === frequency) &&
    (weighting === undefined || nameOf(one) === nameOf(weighting));
  const hoursOfKind = (kind: Series) => sum(all.filter((one) => nameOfKind(one) === nameOfKind(kind)).map(hours));
  const own = (name: string) => all.filter((one) => one.channel === name && fits(one.weighting));
  const most = (name: string) => Math.max(0, ...own(name).map(hoursOfKind));
  const [best] = [...new Set(all.map((one) => one.channel))].sort((a, b) => most(b) - most(a) || (a < b ? -1 : 1));
  return best !== undefined && most(best) > 0 ? all.filter((series) => series.channel === best) : [];
}
