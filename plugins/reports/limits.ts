/** The section about limits: what a preset says of the whole span and of each day. */
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
  const reasons = figures.flatMap(({ date, figure, verdict, reasons }) =>
    verdict === 'not_assessable'
      ? [
          speech.say('dayReason', {
            day: `${speech.date(date)}, ${nameOf(figure)}`,
            reason: speech.told(reasons.join(' ')),
          }),
        ]
      : [],
  );
  if (reasons.length > 0) yield speech.text([speech.say('reasons'), ...reasons].join('\n'));
  if (notes.length > 0) yield speech.text(speech.say('remarkNotes', { notes: speech.told(notes.join(' ')) }));
}
