/** How much of a span was measured, as its rows say, and the quality of levels in words. Pure. */
import type { History } from '../../client/index.ts';
import { say } from '../words/say.ts';

interface Stretch {
  /** As the rows have it; `none` for what is missing. */
  readonly quality: string;
  readonly seconds: number;
}

/** In order; a row that was measured in part is as long as its data, and the rest of it is missing. */
export function stretchesOf({ columns, rows, to }: Pick<History, 'columns' | 'rows' | 'to'>): readonly Stretch[] {
  const [quality, coverage] = [columns.indexOf('quality'), columns.indexOf('coverage')];
  const stretches: Stretch[] = [];
  const add = (word: string, seconds: number) => {
    if (seconds <= 0) return;
    const last = stretches.at(-1);
    if (last?.quality === word) stretches[stretches.length - 1] = { quality: word, seconds: last.seconds + seconds };
    else stretches.push({ quality: word, seconds });
  };
  for (const [index, row] of rows.entries()) {
    const end = Date.parse(String(rows[index + 1]?.[0] ?? to));
    const seconds = (end - Date.parse(String(row[0]))) / 1_000;
    const word = String(row[quality]);
    // Single readings have no duration: their coverage is 0, but they must be visible.
    const share = word === 'sampled' || word === 'mixed' ? 1 : Number(row[coverage] ?? 0);
    const parts = [[word, share] as const, ['none', 1 - share] as const];
    // Behind a gap what is missing comes first: most often it is the end of that gap.
    for (const [each, part] of stretches.at(-1)?.quality === 'none' ? parts.toReversed() : parts)
      add(each, seconds * part);
  }
  return stretches;
}

/** 0 to 1, of the time from the first row to the end of the last. */
export function coveredOf({ columns, rows, to }: Pick<History, 'columns' | 'rows' | 'to'>): number {
  const coverage = columns.indexOf('coverage');
  const starts = [...rows.map(([start]) => Date.parse(String(start))), Date.parse(to)];
  const [first = 0, last = 0] = [starts[0], starts.at(-1)];
  const measured = rows.reduce(
    (sum, row, index) => sum + Number(row[coverage] ?? 0) * ((starts[index + 1] ?? 0) - (starts[index] ?? 0)),
    0,
  );
  return last > first ? measured / (last - first) : 0;
}

const WORDS: Readonly<Record<string, () => string>> = {
  measured: () => say('measured'),
  partial: () => say('partial ## quality of levels'),
  sampled: () => say('sampled ## quality of levels'),
  mixed: () => say('mixed ## quality of levels'),
  flagged: () => say('flagged ## quality of levels'),
  none: () => say('none ## quality of levels'),
};

export const qualityWord = (quality: string): string => WORDS[quality]?.() ?? quality;
