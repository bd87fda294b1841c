/** The entries of the dialog *Find*: pages, actions, meters, and days as people of the page's language write them. */
import { firstMomentOf, type Role, suffices } from '../../client/index.ts';
import { METER_PAGES, PAGES } from '../pages.ts';
import { settingsOffered } from '../settings/settings-page.tsx';
import { about } from '../state/access.ts';
import { meterPath, page } from '../state/address.ts';
import { meters, titleOf } from '../state/fleet.ts';
import { localInput } from '../state/numbers.ts';
import { LOCALES } from '../words/language.ts';
import { say } from '../words/say.ts';

interface Entry {
  readonly name: string;
  /** The kind of the entry, or a second name. */
  readonly more: string;
  /** Relative to the root of the dashboard. */
  readonly to: string;
}

/** More are not shown: another word is faster than reading them. */
const MOST = 20;
const DAY_MS = 86_400_000;
/** Earlier days are found by their whole date, `2025-02-03`. */
const DAYS_BACK = 400;

const ACTIONS: readonly (readonly [role: Role, to: string, name: () => string])[] = [
  ['admin', 'settings#add', () => say('Add a meter')],
  ['admin', 'settings/people#invite', () => say('Invite somebody')],
  ['admin', 'settings/sites#permits', () => say('A new permit')],
  ['admin', 'settings/people#keys', () => say('New key')],
  ['admin', 'settings/people#shares', () => say('New share')],
  ['admin', 'alerts#rules', () => say('A new rule')],
  ['admin', 'settings/targets#targets', () => say('A new target')],
  ['admin', 'settings/data#backup', () => say('Save a backup')],
  ['admin', 'reports#kept-reports', () => say('Kept reports')],
  ['viewer', 'settings/targets#phones', () => say('Alerts on telephones')],
];

export function entriesFor(query: string): readonly Entry[] {
  const text = plain(query);
  const found = dayIn(text);
  const entries = found ? meterEntries(found.day) : [...fixedEntries(), ...(text === '' ? [] : meterEntries())];
  const words = (found ? found.rest : text).split(' ').filter((word) => word !== '');
  const ranked = entries.flatMap((entry) => {
    const [name, all] = [plain(entry.name), plain(`${entry.name} ${entry.more}`)];
    if (!words.every((word) => all.includes(word))) return [];
    const isBegun = words.every((word) => ` ${all}`.includes(` ${word}`));
    return [{ entry, rank: name.startsWith(words.join(' ')) ? 0 : isBegun ? 1 : 2 }];
  });
  return ranked
    .sort((one, other) => one.rank - other.rank)
    .slice(0, MOST)
    .map(({ entry }) => entry);
}

function fixedEntries(): readonly Entry[] {
  const role = about.value?.caller.role ?? 'viewer';
  const settings = settingsOffered();
  const pages = PAGES.filter((own) => own.view !== 'SettingsPage' || settings.includes(own));
  return [
    ...pages.map(({ title, address }) => ({ name: title(say), more: say('Page'), to: address })),
    ...ACTIONS.flatMap(([needed, to, name]) =>
      suffices(role, needed) ? { name: name(), more: say('Action'), to } : [],
    ),
  ];
}

/** Each meter, its own page first, then its other pages; with a day only the history of that day. The shown meter is the first. */
function meterEntries(day?: string): readonly Entry[] {
  const shown = page.value.name === 'meter' ? page.value.unitId : '';
  const units = [...(meters.value?.values() ?? [])]
    .map(({ unit }) => unit.value)
    .sort((one, other) => Number(other.unit_id === shown) - Number(one.unit_id === shown));
  const of = units.map((unit) => ({
    unit,
    name: titleOf(unit.unit_id),
    more: [unit.unit_id, unit.place, ...(unit.tags ?? [])].join(' '),
  }));
  if (day !== undefined)
    return of.map(({ unit, name, more }) => {
      const next = new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
      const [from, to] = [day, next].map((local) => new Date(firstMomentOf(local, unit.timezone)).toISOString());
      const address = `${meterPath(unit.unit_id, 'history')}?from=${from}&to=${to}`;
      return { name: `${name}, ${longDay(day)}`, more, to: address };
    });
  const [, ...others] = METER_PAGES;
  return [
    ...of.map(({ unit, name, more }) => ({ name, more, to: meterPath(unit.unit_id) })),
    ...of.flatMap(({ unit, name, more }) =>
      others.map((part) => ({ name: `${name}, ${part.title(say)}`, more, to: meterPath(unit.unit_id, part.name) })),
    ),
  ];
}

/** Small letters without accents and punctuation: what people type in a hurry. */
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[.,\s]+/g, ' ')
    .trim();

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(LOCALES, { ...options, timeZone: 'UTC' });
const longDay = (day: string): string =>
  format({ weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' }).format(Date.parse(day));

/** The day that a text names, and the rest of the text. */
function dayIn(text: string): { readonly day: string; readonly rest: string } | undefined {
  const [iso] = /\b\d{4}-\d\d-\d\d\b/.exec(text) ?? [];
  if (iso !== undefined && !Number.isNaN(firstMomentOf(iso, 'UTC'))) return { day: iso, rest: text.replace(iso, '') };
  let best: { readonly day: string; readonly form: string } | undefined;
  for (const { day, form, isWord } of writtenDays()) {
    const isNamed = ` ${text} `.includes(` ${form} `) || (isWord && text.length > 2 && form.startsWith(text));
    if (isNamed && form.length > (best?.form.length ?? 0)) best = { day, form };
  }
  return best && { day: best.day, rest: best.form.startsWith(text) ? '' : text.replace(best.form, '') };
}

interface WrittenDay {
  readonly day: string;
  readonly form: string;
  /** `yesterday`, `Monday`: its beginning is enough. */
  readonly isWord: boolean;
}
let written: { readonly today: string; readonly days: readonly WrittenDay[] } | undefined;

function writtenDays(): readonly WrittenDay[] {
  const today = localInput(Date.now()).slice(0, 10);
  if (written?.today === today) return written.days;
  const ago = new Intl.RelativeTimeFormat(LOCALES, { numeric: 'auto' });
  const weekday = format({ weekday: 'long' });
  const [day, month, year] = [{ day: 'numeric' }, { month: 'long' }, { year: 'numeric' }] as const;
  const dates = [
    format({ ...day, ...month }),
    format({ ...day, ...month, ...year }),
    format({ ...day, month: 'short' }),
    format({ ...day, month: 'short', ...year }),
    format({ ...day, month: 'numeric' }),
    format({ ...day, month: 'numeric', ...year }),
    format({ day: '2-digit', month: '2-digit', ...year }),
  ];
  const days = Array.from({ length: DAYS_BACK }, (_, back): readonly WrittenDay[] => {
    const at = Date.parse(today) - back * DAY_MS;
    const words = [...(back < 3 ? [ago.format(-back, 'day')] : []), ...(back < 7 ? [weekday.format(at)] : [])];
    const forms = dates.map((date) => plain(date.format(at)));
    // "24 Nov" and "Nov 24" are both written.
    const turned = forms.map((form) => form.split(' ').reverse().join(' '));
    const name = new Date(at).toISOString().slice(0, 10);
    return [
      ...words.map((word) => ({ day: name, form: plain(word), isWord: true })),
      ...[...forms, ...turned].map((form) => ({ day: name, form, isWord: false })),
    ];
  }).flat();
  written = { today, days };
  return days;
}
