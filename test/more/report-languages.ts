/** Reports in each language: numbers and dates by its habits are those of the API, every character is printed, and poppler warns of nothing. */
import t from 'tap';
import { address, hasNumbers, importHours, noPoppler, pdfOf, poppler, SPANS, shown, ZONE } from '../support/reports.ts';
import { type Json, openWorld } from '../support/world.ts';

const MONTHS = {
  en: ['Oct', 'Nov', 'Dec'],
  de: ['Okt.', 'Nov.', 'Dez.'],
  fr: ['oct.', 'nov.', 'déc.'],
  es: ['oct', 'nov', 'dic'],
} as const;
type Words = readonly [weekdays: string, months: readonly string[], form: string];
/** Sunday first; months from October on. */
const DAYS: Readonly<Record<'en' | 'de' | 'fr' | 'es', Words>> = {
  en: ['Sun Mon Tue Wed Thu Fri Sat', MONTHS.en, 'w d m y'],
  de: ['So. Mo. Di. Mi. Do. Fr. Sa.', MONTHS.de, 'w, d. m y'],
  fr: ['dim. lun. mar. mer. jeu. ven. sam.', MONTHS.fr, 'w d m y'],
  es: ['dom lun mar mié jue vie sáb', MONTHS.es, 'w, d m y'],
};
const dated =
  (lang: keyof typeof DAYS) =>
  (date: Date): string => {
    const [weekdays, months, form] = DAYS[lang];
    const parts: Readonly<Record<string, string | number | undefined>> = {
      w: weekdays.split(' ')[date.getUTCDay()],
      d: date.getUTCDate(),
      m: months[date.getUTCMonth() - 9],
      y: date.getUTCFullYear(),
    };
    return form.replaceAll(/[wdmy]/g, (name) => String(parts[name]));
  };
const inJapanese = (date: Date): string =>
  `${date.getUTCFullYear()}年${date.getUTCMonth() + 1}月${date.getUTCDate()}日(${'日月火水木金土'[date.getUTCDay()]})`;

/** A day and words of a report, written by hand. */
const LANGUAGES = {
  en: { date: dated('en'), comma: '.', words: ['Limits', 'Valid days'] },
  de: { date: dated('de'), comma: ',', words: ['Richtwerte', 'überschritten'] },
  fr: { date: dated('fr'), comma: ',', words: ['Limites', 'dépassée'] },
  es: { date: dated('es'), comma: ',', words: ['Límites', 'superado'] },
  ja: { date: inJapanese, comma: '.', words: ['基準値', '等価騒音レベル'] },
} as const;

t.test('reports in each language', noPoppler, async (t) => {
  const world = await openWorld(t);
  await importHours(world, SPANS['the week in which the clocks go back'][0], SPANS['a month'][1]);
  await world.post('/sim-1/notes', {
    from: '2025-11-04T08:00:00Z',
    to: '2025-11-05T10:00:00Z',
    kind: 'exclusion',
    reason: 'rain',
    text: '雨 Regen',
  });
  const spans: { name: string; span: readonly [string, string]; indices: Json; assessment: Json }[] = [];
  for (const [name, span] of Object.entries(SPANS)) {
    const query = `from=${span[0]}&to=${span[1]}&zone=${ZONE}`;
    const indices: Json = (await world.get(`/sim-1/indices?${query}&exclusions=apply`)).body.data;
    const assessment: Json = (await world.get(`/sim-1/assessment?${query}&limits=lden:58`)).body.data;
    spans.push({ name, span, indices, assessment });
  }
  for (const [lang, { date, comma, words }] of Object.entries(LANGUAGES))
    await t.test(`a report in ${lang}`, async (t) => {
      const levelOf = (level: number | null) => shown(level).replace('.', comma);
      const figureOf = (name: string) => (name === 'lden' ? 'Lden' : undefined);
      const dateOf = (day: string) => date(new Date(day));
      for (const { name, span, ...asked } of spans) {
        const bytes = await pdfOf(t, world, address(span, `&limits=lden:58&format=pdf&lang=${lang}`));
        const text = poppler(t, 'pdftotext', bytes, '-');
        poppler(t, 'pdfinfo', bytes);
        if (name === 'a month')
          t.match(
            poppler(t, 'pdffonts', bytes),
            /BIZUDPGothic-Regular +CID TrueType .* yes yes yes /,
            'a note in Japanese',
          );
        hasNumbers(t, text, asked, { dateOf, levelOf, figureOf });
        for (const word of words) t.match(text, word, `${name}: ${word}`);
        t.notMatch(text, /\{\w+\}|undefined|\?\?/, 'no gap and no character is left out');
        if (lang !== 'en')
          t.notMatch(
            text,
            /\b(of its time|Valid|not assessable|No calendar|There is no data)\b/,
            'and nothing stays English',
          );
      }
    });
});
