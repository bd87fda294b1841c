/** The section about limits: what a preset says of the whole span and of each day. */
import { assessment as presets } from '../../lib/index.ts';
import type { AssessmentAnswer } from './answers.ts';
import { cellText } from './cell-text.ts';
import type { ReportBlock } from './document.ts';
import type { Gathered } from './gather.ts';
import { figureNames } from './names.ts';
import type { ReportSpeech } from './speech.ts';

/** Its blocks. */
export function* limits(gathered: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
  const { assessment } = gathered;
  if (!assessment || assessment.days.length === 0) {
    yield speech.text(speech.say('noFigures'));
    return;
  }
  const { title, area_title: area, source, total, days, notes } = assessment;
  const names = figureNames(gathered, speech);
  const nameOf = (figure: string) => names.get(figure) ?? figure;
  const said = { title: speech.preset(title), area: speech.preset(area ?? ''), source: speech.preset(source) };
  yield speech.text(speech.say(area === null ? 'presetSource' : 'presetArea', said));
  const chosen = saidText(assessment.said, speech);
  if (chosen !== '') yield speech.text(speech.say('saidBy', { said: chosen }));
  const columns = [
    speech.titled('figure'),
    speech.titled('mean', 'level'),
    speech.titled('error', 'level'),
    speech.titled('highest', 'level'),
  ];
  yield speech.table(
    'limitsTable',
    [
      ...columns,
      speech.titled('highestOn', 'date'),
      speech.titled('limit', 'level'),
      speech.titled('countedDays', 'number'),
    ],
    total.figures.map((one) => [
      ...[nameOf(one.figure), one.mean, one.standard_error, one.highest, one.highest_on, one.limit, one.days],
    ]),
  );
  const figures = days.flatMap(({ date, figures }) => figures.map((figure) => ({ date, ...figure })));
  yield speech.table(
    'limitsDays',
    [
      ...[
        speech.titled('day', 'date'),
        speech.titled('figure'),
        speech.titled('value', 'level'),
        speech.titled('limit', 'level'),
      ],
      ...[speech.titled('margin', 'level'), speech.titled('coverage', 'share'), speech.titled('verdict')],
    ],
    figures.map((one) => [
      one.date,
      nameOf(one.figure),
      one.value,
      one.limit,
      one.margin,
      one.coverage,
      speech.say(one.verdict),
    ]),
  );
  yield* remarks(figures, nameOf, speech);
  if (notes.length > 0) yield speech.text(speech.say('remarkNotes', { notes: speech.told(notes.join(' ')) }));
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
  for (const [word, some] of [
    ['reasons', without],
    ['marked', others],
  ] as const) {
    if (some.length === 0) continue;
    const lines = some.map(({ date, figure, reasons }) =>
      speech.say('dayReason', {
        day: `${speech.date(date)}, ${nameOf(figure)}`,
        reason: speech.told(reasons.join(' ')),
      }),
    );
    yield speech.text([speech.say(word), ...lines].join('\n'));
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
      speech.say('saidValue', {
        what: speech.say(`said_${name}`),
        values: values.join(', '),
        unit: name === 'duration_s' ? 's' : 'dB',
      }),
    ];
  }).join('; ');
