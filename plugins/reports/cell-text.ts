/** Cells as people read them, by the habits of a language. */
import { type Language, tables } from '../../lib/index.ts';
import type { ReportCell, ReportColumn } from './document.ts';

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const MOMENT = /^(.{10})T(\d\d:\d\d)(?::00(?:\.000)?)?([:.\d]*)(.*)$/;
const ONE_DECIMAL = new Map<string, Intl.NumberFormat>();
const PLAIN = new Map<string, Intl.NumberFormat>();
/** Year, month and day in the order of each language. */
const DAY_FORMS: Readonly<Record<Language, { readonly whole: string; readonly short: string }>> = {
  en: { whole: '$1-$2-$3', short: '$2-$3' },
  de: { whole: '$3.$2.$1', short: '$3.$2.' },
  fr: { whole: '$3/$2/$1', short: '$3/$2' },
  es: { whole: '$3/$2/$1', short: '$3/$2' },
  ja: { whole: '$1/$2/$3', short: '$2/$3' },
};

/** Levels with one decimal, shares in percent and rounded down, days and times with their offset as {@link dateText} has them. */
export function cellText(cell: ReportCell, { kind }: Pick<ReportColumn, 'kind'>, lang: Language): string {
  if (cell === null) return '-';
  if (typeof cell === 'string')
    return kind === 'time' ? offsetTimeText(cell, lang) : kind === 'date' ? dateText(cell, lang) : cell;
  if (kind === 'level') return writtenLevel(cell, lang);
  if (kind === 'share') return `${decimal(Math.floor(cell * 1_000) / 10, lang)} %`;
  return cached(
    PLAIN,
    lang,
    () => new Intl.NumberFormat(lang, { useGrouping: false, maximumFractionDigits: 2 }),
  ).format(cell);
}

/** As all printers have it, in the form of the language. */
export const writtenLevel = (level: number, lang: Language): string => decimal(tables.shownTenths(level), lang);

/** `2026-10-25` in English, `25.10.2026` in German; what is no such day stays as it is. */
export const dateText = (day: string, lang: Language): string => day.replace(DAY, DAY_FORMS[lang].whole);

/** `10-25`, `25.10.`: a day without its year, for the axis of a chart. */
export const shortDateText = (day: string, lang: Language): string => day.replace(DAY, DAY_FORMS[lang].short);

/** Of ISO 8601 with an offset: `2026-10-25 02:00 +01:00`; what is no such time stays as it is. */
export const offsetTimeText = (iso: string, lang: Language): string =>
  iso.replace(MOMENT, (_, day: string, minute: string, rest: string, offset: string) =>
    [dateText(day, lang), `${minute}${rest}`, offset].join(' '),
  );

/** Whether a column is set to the right. */
export const isNumeric = ({ kind }: Pick<ReportColumn, 'kind'>): boolean =>
  kind === 'level' || kind === 'share' || kind === 'number';

const decimal = (value: number, lang: Language): string =>
  cached(ONE_DECIMAL, lang, () => new Intl.NumberFormat(lang, { useGrouping: false, ...ONE })).format(value);

const ONE = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;

function cached<Format>(formats: Map<string, Format>, key: string, make: () => Format): Format {
  const made = formats.get(key) ?? make();
  formats.set(key, made);
  return made;
}
