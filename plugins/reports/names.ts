/** The symbols of levels (ISO 1996-1), and the names of what presets compare. */
import { texts } from '../../lib/index.ts';
import type { AssessmentAnswer } from './answers.ts';
import type { Gathered } from './gather.ts';
import type { ReportSpeech } from './speech.ts';

type Figure = AssessmentAnswer['total']['figures'][number];

/** `LAeq`, `LAFmax`, `LAF90`: a level of a report says how it is weighted. */
export function namesOf({ indices: { weighting } }: Gathered) {
  const [f, t] = weighting ? [weighting.frequency, weighting.time] : ['', ''];
  return { leq: `L${f}eq`, lmax: `L${f}${t}max`, ln: (n: number) => `L${f}${t}${n}` };
}

const LEVELS = texts({ rating: 'Lr', emergence: 'Emergence', difference: 'Lr over background' });
const INDICES: Readonly<Record<string, string>> = { lden: 'Lden', ldn: 'Ldn', cnel: 'CNEL' };
const OF_AN_INDEX: Readonly<Record<string, string>> = { day: 'Lday', evening: 'Levening', night: 'Lnight' };

/** Each figure of an assessment by words: `Lden`, `LAeq, night, loudest 1 h`. Two that read alike have their own name behind. */
export function figureNames(gathered: Gathered, speech: ReportSpeech): ReadonlyMap<string, string> {
  const figures = gathered.assessment?.total.figures ?? [];
  const hasIndex = figures.some(({ compared }) => compared === 'index');
  const words = new Map(
    figures.map((one) => [
      one.figure,
      (hasIndex && one.compared === 'leq' && one.window_s === null && OF_AN_INDEX[one.period ?? '']) ||
        wordsOf(gathered, speech, one),
    ]),
  );
  const count = (name: string) => [...words.values()].filter((other) => other === name).length;
  return new Map([...words].map(([figure, name]) => [figure, count(name) > 1 ? `${name} (${figure})` : name]));
}

function wordsOf(gathered: Gathered, speech: ReportSpeech, { figure, compared, period, percent, window_s }: Figure) {
  if (compared === 'index' || period === null) return INDICES[figure] ?? figure.replaceAll('_', ' ');
  const { leq, ln } = namesOf(gathered);
  const level = compared === 'leq' ? leq : compared === 'percentile' ? ln(percent ?? 0) : speech.say(LEVELS[compared]);
  const said = { level, period: speech.known('period', period) };
  return window_s === null
    ? speech.say('{level}, {period}', said)
    : speech.say('{level}, {period}, loudest {window}', { ...said, window: speech.duration(window_s) });
}
