/** The section about limits: what a preset says of the whole span and of each day. */

import type { Assessment } from '../../client/schemas.ts';
import { texts } from '../../lib/index.ts';
import { assessment as presets } from '../assessment/index.ts';
import { headings, paragraph, type ReportBlock, tableOf } from './document.ts';
import type { Gathered } from './gathered.ts';
import { figureNames, type ReportWords } from './words.ts';

const VERDICTS = texts({
  met: 'met',
  exceeded: 'exceeded',
  not_assessable: 'not assessable',
  no_limit: 'no limit ## of a standard',
});
const SAID_WORDS = texts({
  tonal: 'tones, by ear',
  impulse: 'impulses, by ear',
  low_frequency: 'low frequencies, by ear',
  other: 'other additions',
  residual: 'level without the source',
  background: 'representative LA90',
  duration_s: 'how long the noise lasts in a period',
});

export function* limits(gathered: Gathered, words: ReportWords): Iterable<ReportBlock> {
  const { assessment } = gathered;
  const { say } = words;
  if (!assessment || assessment.days.length === 0) {
    yield paragraph(say('There is no day in this period.'));
    return;
  }
  const { title, area_title: area, source, total, days, notes } = assessment;
  const names = figureNames(gathered, words);
  const nameOf = (figure: string) => names.get(figure) ?? figure;
  const said = { title: say(title), area: say(area ?? ''), source: say(source) };
  yield paragraph(say(area === null ? '{title}. {source}' : '{title}, {area}. {source}', said));
  const chosen = saidText(assessment.said, words);
  if (chosen !== '') yield paragraph(say('Said by a person: {said}.', { said: chosen }));
  yield tableOf(
    say('Figures of the whole period'),
    [
      ...headings('text', say('Figure')),
      ...headings('level', say('Mean, dB'), say('Standard error, dB'), say('Highest, dB')),
      ...headings('date', say('On')),
      ...headings('level', say('Limit, dB')),
      ...headings('number', say('Days ## their number')),
    ],
    total.figures.map((one) => [
      ...[nameOf(one.figure), one.mean, one.standard_error, one.highest, one.highest_on, one.limit, one.days],
    ]),
  );
  const figures = days.flatMap(({ date, figures }) => figures.map((figure) => ({ date, ...figure })));
  yield tableOf(
    say('Figures of each day'),
    [
      ...headings('date', say('Day')),
      ...headings('text', say('Figure')),
      ...headings('level', say('Value, dB'), say('Limit, dB'), say('Margin, dB')),
      ...headings('share', say('Coverage')),
      ...headings('text', say('Verdict')),
    ],
    figures.map((one) => [
      ...[one.date, nameOf(one.figure), one.value, one.limit, one.margin, one.coverage, say(VERDICTS[one.verdict])],
    ]),
  );
  yield* remarks(figures, nameOf, words);
  if (notes.length > 0)
    yield paragraph(say('Notes on the numbers: {notes}', { notes: words.translated(notes.join(' ')) }));
}

type JudgedFigure = Assessment['days'][number]['figures'][number] & { readonly date: string };

/** Why figures are not assessable, and what to know of those that are. */
function* remarks(
  figures: readonly JudgedFigure[],
  nameOf: (figure: string) => string,
  words: ReportWords,
): Iterable<ReportBlock> {
  const explained = figures.filter(({ reasons }) => reasons.length > 0);
  const without = explained.filter(({ verdict }) => verdict === 'not_assessable');
  const others = explained.filter(({ verdict }) => verdict !== 'not_assessable');
  for (const [title, some] of [
    [words.say('Why not assessable'), without],
    [words.say('What to know of values'), others],
  ] as const) {
    if (some.length === 0) continue;
    const lines = some.map(({ date, figure, reasons }) =>
      words.say('{day}: {reason}', {
        day: `${words.date(date)}, ${nameOf(figure)}`,
        reason: words.translated(reasons.join(' ')),
      }),
    );
    yield paragraph([title, ...lines].join('\n'));
  }
}

/** `tones: day 3, night 0 dB; level without the source: 50 dB`; empty where nobody said anything. */
const saidText = (said: Assessment['said'], words: ReportWords): string =>
  presets.SAID.flatMap((name) => {
    const given = said[name];
    if (given === undefined) return [];
    const values = given.split(',').map((each) => {
      const [period, number = period] = each.split(':');
      const value = words.plain(Number(number));
      return period === number ? value : `${words.known('period', period ?? '')} ${value}`;
    });
    return [
      words.say('{what}: {values} {unit}', {
        what: words.say(SAID_WORDS[name]),
        values: values.join(', '),
        unit: name === 'duration_s' ? 's' : 'dB',
      }),
    ];
  }).join('; ');
