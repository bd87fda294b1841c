/** The section about limits: what a preset says of the whole span and of each day. */
import { assessment as presets, texts } from '../../lib/index.ts';
import type { AssessmentAnswer } from './answers.ts';
import { cellText } from './cell-text.ts';
import { column, paragraph, type ReportBlock, tableOf } from './document.ts';
import type { Gathered } from './gather.ts';
import { figureNames } from './names.ts';
import type { ReportSpeech } from './speech.ts';

const VERDICTS = texts({
  met: 'met',
  exceeded: 'exceeded',
  not_assessable: 'not assessable',
  no_limit: 'no limit ## of a standard',
});
/** What a person said of the noise, by its parameter. */
const SAID_WORDS = texts({
  tonal: 'tones, by ear',
  impulse: 'impulses, by ear',
  low_frequency: 'low frequencies, by ear',
  other: 'other additions',
  residual: 'level without the source',
  background: 'representative LA90',
  duration_s: 'how long the noise lasts in a period',
});

/** Its blocks. */
export function* limits(gathered: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
  const { assessment } = gathered;
  if (!assessment || assessment.days.length === 0) {
    yield paragraph(speech.say('There is no day in this period.'));
    return;
  }
  const { title, area_title: area, source, total, days, notes } = assessment;
  const names = figureNames(gathered, speech);
  const nameOf = (figure: string) => names.get(figure) ?? figure;
  const said = { title: speech.say(title), area: speech.say(area ?? ''), source: speech.say(source) };
  yield paragraph(speech.say(area === null ? '{title}. {source}' : '{title}, {area}. {source}', said));
  const chosen = saidText(assessment.said, speech);
  if (chosen !== '') yield paragraph(speech.say('Said by a person: {said}.', { said: chosen }));
  const columns = [
    column(speech.say('Figure')),
    column(speech.say('Mean, dB'), 'level'),
    column(speech.say('Standard error, dB'), 'level'),
    column(speech.say('Highest, dB'), 'level'),
  ];
  yield tableOf(
    speech.say('Figures of the whole period'),
    [
      ...columns,
      column(speech.say('On'), 'date'),
      column(speech.say('Limit, dB'), 'level'),
      column(speech.say('Days ## their number'), 'number'),
    ],
    total.figures.map((one) => [
      ...[nameOf(one.figure), one.mean, one.standard_error, one.highest, one.highest_on, one.limit, one.days],
    ]),
  );
  const figures = days.flatMap(({ date, figures }) => figures.map((figure) => ({ date, ...figure })));
  yield tableOf(
    speech.say('Figures of each day'),
    [
      ...[
        column(speech.say('Day'), 'date'),
        column(speech.say('Figure')),
        column(speech.say('Value, dB'), 'level'),
        column(speech.say('Limit, dB'), 'level'),
      ],
      ...[
        column(speech.say('Margin, dB'), 'level'),
        column(speech.say('Coverage'), 'share'),
        column(speech.say('Verdict')),
      ],
    ],
    figures.map((one) => [
      one.date,
      nameOf(one.figure),
      one.value,
      one.limit,
      one.margin,
      one.coverage,
      speech.say(VERDICTS[one.verdict]),
    ]),
  );
  yield* remarks(figures, nameOf, speech);
  if (notes.length > 0)
    yield paragraph(speech.say('Notes on the numbers: {notes}', { notes: speech.told(notes.join(' ')) }));
}

type JudgedFigure = AssessmentAnswer['days'][number]['figures'][number] & { readonly date: string };

/** Why figures are not assessable, and what to know of those that are. */
function* remarks(
  figures: readonly JudgedFigure[],
  nameOf: (figure: string) => string,
  speech: ReportSpeech,
): Iterable<ReportBlock> {
  const told = figures.filter(({ reasons }) => reasons.length > 0);
  const without = told.filter(({ verdict }) => verdict === 'not_assessable');
  const others = told.filter(({ verdict }) => verdict !== 'not_assessable');
  for (const [title, some] of [
    [speech.say('Why not assessable'), without],
    [speech.say('What to know of values'), others],
  ] as const) {
    if (some.length === 0) continue;
    const lines = some.map(({ date, figure, reasons }) =>
      speech.say('{day}: {reason}', {
        day: `${speech.date(date)}, ${nameOf(figure)}`,
        reason: speech.told(reasons.join(' ')),
      }),
    );
    yield paragraph([title, ...lines].join('\n'));
  }
}

/** `tones: day 3, night 0 dB; level without the source: 50 dB`; empty where nobody said anything. */
const saidText = (said: AssessmentAnswer['said'], speech: ReportSpeech): string =>
  presets.SAID.flatMap((name) => {
    const given = said[name];
    if (given === undefined) return [];
    const values = given.split(',').map((each) => {
      const [period, number = period] = each.split(':');
      const value = cellText(Number(number), { kind: 'number' }, speech.lang);
      return period === number ? value : `${speech.known('period', period ?? '')} ${value}`;
    });
    return [
      speech.say('{what}: {values} {unit}', {
        what: speech.say(SAID_WORDS[name]),
        values: values.join(', '),
        unit: name === 'duration_s' ? 's' : 'dB',
      }),
    ];
  }).join('; ');
