/**
 * Fills the tables of the documentation from the code that they are about: `npm run docs` writes them, a test says when
 * one is out of date. A table is between `<!-- table:NAME -->` and `<!-- /table -->`.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { openApiDocument } from '../build/client-types.ts';
import { shownWord } from '../cli/command-line.ts';
import { COMMANDS as SLM } from '../cli/commands/index.ts';
import { EXIT, MEANINGS } from '../cli/exit-codes.ts';
import type { FormField } from '../lib/domain/fields/form.ts';
import { COMMANDS, type CommandFact, type CommandValues, type Evidence } from '../lib/drivers/nl43/spec/commands.ts';
import { ERRORS } from '../lib/errors.ts';
import { valuesOf as allowedIn } from '../lib/settings/property.ts';
import { environmentName, isLive, PROPERTIES, propertyOf, SETTING_NAMES } from '../lib/settings/schema.ts';
import { TARGET_KINDS } from '../plugins/alerts/delivery/target-kinds.ts';
import { RULE_KINDS } from '../plugins/alerts/rules/kinds.ts';
import { readShipped } from '../plugins/assessment/store.ts';
import { BEHAVIOUR, type BehaviourSwitch } from '../simulator/behaviour.ts';
import { CATALOGUE } from '../simulator/faults/catalogue.ts';
import { DEFAULT_PROFILE, loadProfile, type Profile, profileNames } from '../simulator/profile.ts';
import { WORKED_CHECKS } from '../test/assessment/worked-checks.ts';
import { MOST } from './most.ts';

type Row = readonly (string | number)[];

const cell = (text: string | number) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
const line = (row: Row) => `| ${row.map(cell).join(' | ')} |`;
const table = (head: Row, rows: readonly Row[]) =>
  [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

const errors = () =>
  table(
    ['status', 'code', 'meaning'],
    Object.entries(ERRORS).map(([name, { status, means }]) => [status, code(name), means]),
  );

const settings = () =>
  table(
    ['setting', 'environment', 'default', 'values', 'a change needs', 'what it is'],
    SETTING_NAMES.map((name) => {
      const { title, description = '', default: usual } = propertyOf(name);
      const unit = PROPERTIES[name] && 'x-unit' in PROPERTIES[name] ? ` (${PROPERTIES[name]['x-unit']})` : '';
      return [
        code(name),
        code(environmentName(name)),
        usual === '' ? '' : code(usual),
        allowedIn(propertyOf(name)),
        isLive(name) ? 'reload' : 'restart',
        `${title}${unit}. ${description}`,
      ];
    }),
  );

function valuesOf({ values }: { readonly values: CommandValues }): string {
  if (values.kind === 'word') return values.words.map((word) => `\`${word}\``).join(' ');
  if (values.kind === 'integer')
    return `${values.min} to ${values.max}${values.digits ? `, ${values.digits} digits` : ''}`;
  const forms = {
    clock: 'date and time',
    timer: 'date and time, seconds 0',
    address: 'dotted quad',
    text: 'text',
    data: 'a data line',
  };
  return forms[values.kind];
}

const usable = ({ set, request }: CommandFact) => [set && 'set', request && 'request'].filter(Boolean).join(', ');

const commands = () =>
  table(
    ['command', 'use', 'values', 'grade', 'source'],
    COMMANDS.map((fact) => [code(fact.name), usable(fact), valuesOf(fact), fact.evidence.grade, fact.evidence.source]),
  );

/** `lenient: queued`, for every profile with another value than the default. */
function elsewhere(name: keyof Profile): string {
  const others = profileNames().flatMap((profile) => {
    const value = loadProfile(profile)[name];
    return JSON.stringify(value) === JSON.stringify(DEFAULT_PROFILE[name]) ? [] : [`${profile}: ${code(value)}`];
  });
  return others.join(', ');
}

/** The evidence for the default, then that for other choices which have their own. */
function evidenceOf(entry: BehaviourSwitch): readonly [string, string] {
  const others = entry.kind === 'choice' ? Object.entries(entry.others) : [];
  const joined = (pick: (one: Evidence) => string) =>
    [pick(entry.evidence), ...others.map(([choice, one]) => `${code(choice)}: ${pick(one)}`)].join('; ');
  return [joined(({ grade }) => grade), joined(({ source }) => source)];
}

const switches = () =>
  table(
    ['switch', 'values, the default first', 'profiles with another', 'grade', 'source'],
    Object.entries(BEHAVIOUR).map(([name, entry]) => {
      const others =
        entry.kind === 'choice' ? entry.choices.filter((one) => one !== entry.default) : [`0 to ${entry.max}`];
      const values = [entry.default, ...others].map(code).join(' ');
      return [code(name), values, elsewhere(name as keyof Profile), ...evidenceOf(entry)];
    }),
  );

const faults = () =>
  table(
    ['fault', 'what a client meets', 'settings and defaults', 'grade', 'source'],
    Object.values(CATALOGUE).map(({ name, summary, settings: own, evidence }) => {
      const defaults = Object.entries(own).map(([key, { default: usual }]) => `\`${key}\` ${JSON.stringify(usual)}`);
      return [code(name), summary, defaults.join(', '), evidence.grade, evidence.source];
    }),
  );

interface Operation {
  readonly summary: string;
  readonly 'x-access': string;
  readonly 'x-websocket'?: { readonly summary: string };
}

async function routes(): Promise<string> {
  const { paths } = (await openApiDocument()) as { readonly paths: Record<string, Record<string, Operation>> };
  const rows = Object.entries(paths).flatMap(([path, operations]) => rowsOf(path, operations));
  return table(['', 'path', 'who', 'what it does'], rows);
}

function rowsOf(path: string, operations: Record<string, Operation>): Row[] {
  return ['get', 'put', 'post', 'delete'].flatMap((method) => {
    const operation = operations[method];
    if (!operation) return [];
    const row = (verb: string, summary: string): Row => [verb, code(path), operation['x-access'], summary];
    const socket = operation['x-websocket'];
    const isSocketOnly = socket && operation.summary === socket.summary;
    return [
      ...(isSocketOnly ? [] : [row(method.toUpperCase(), operation.summary)]),
      ...(socket ? [row('WS', socket.summary)] : []),
    ];
  });
}

const slm = () =>
  table(
    ['command', 'what it does'],
    SLM.map(({ name, words = [], summary }) => [code([name, ...words.map(shownWord)].join(' ')), summary]),
  );

/** Levels as people read them in a proof: two decimals. */
const checks = () =>
  table(
    ['preset', 'worked check', 'on paper, dB', 'the gateway, dB'],
    WORKED_CHECKS.map(({ preset, check, worked, got }) => [
      preset === '' ? 'any' : code(preset),
      check,
      worked.toFixed(2),
      got?.toFixed(2) ?? '-',
    ]),
  );

const calendars = () =>
  table(
    ['calendar', 'from', 'to', 'days', 'source'],
    [...readShipped().calendars].map(([name, { source, days }]) => [
      code(name),
      days[0]?.date ?? '',
      days.at(-1)?.date ?? '',
      days.length,
      source,
    ]),
  );

const exits = () =>
  table(
    ['code', 'meaning'],
    Object.entries(EXIT).map(([name, exit]) => [exit, MEANINGS[name as keyof typeof EXIT]]),
  );

interface Kind {
  readonly name: string;
  readonly title: string;
  readonly fields: readonly FormField[];
}

/** The fields of each kind, with those that belong to one choice of another field. */
function kindTable(kinds: readonly Kind[]): string {
  const rows = kinds.flatMap(({ name, title, fields }) =>
    fields.flatMap((field) => [
      fieldRow(name, title, field, ''),
      ...partsOf(field).map(([part, values]) => fieldRow(name, title, part, values)),
    ]),
  );
  return table(['kind', 'about', 'field', 'what it is', 'values'], rows);
}

/** Each field of the choices of this one, once, with the choices that have it. */
function partsOf({ choices = [] }: FormField): [FormField, string][] {
  const parts = new Map<string, [FormField, string]>();
  for (const { value, fields = [] } of choices)
    for (const part of fields) {
      const key = JSON.stringify(part);
      const known = parts.get(key);
      parts.set(key, [part, known ? `${known[1]}, ${value}` : value]);
    }
  return [...parts.values()];
}

function fieldRow(kind: string, title: string, field: FormField, only: string): Row {
  const { name, label, unit, needed, most, choices, schema } = field;
  const usual = field.default === undefined ? [] : [`default ${code(field.default)}`];
  const words = [
    label,
    ...(needed ? ['needed'] : []),
    ...(unit ? [unit] : []),
    ...usual,
    ...(only ? [`for ${only}`] : []),
  ];
  const values = choices?.map(({ value }) => code(value)).join(' ') ?? '';
  const limits = most ?? schema.maximum;
  const numbers = typeof limits === 'number' ? `${schema.minimum ?? ''} to ${limits}` : '';
  return [
    code(kind),
    title,
    code(name),
    words.join(', '),
    [values || numbers, schema.description ?? ''].filter(Boolean).join('; '),
  ];
}

export const alertKindTables = ({ rules, targets }: Readonly<Record<'rules' | 'targets', readonly Kind[]>>) => ({
  rules: kindTable(rules),
  targets: kindTable(targets),
});
const shippedKinds = () => alertKindTables({ rules: RULE_KINDS, targets: TARGET_KINDS });

const most = () => table(['what', 'at most', 'the next one'], MOST);

const TABLES: Readonly<Record<string, () => string | Promise<string>>> = {
  errors,
  settings,
  commands,
  switches,
  faults,
  calendars,
  checks,
  routes,
  slm,
  exits,
  most,
  rules: () => shippedKinds().rules,
  targets: () => shippedKinds().targets,
};

const MARKED = /<!-- table:(\w+) -->\n[\s\S]*?<!-- \/table -->/g;

/** The text with its tables as they should be. Throws on a table that is not known. */
export async function filled(text: string, made = new Map<string, string>()): Promise<string> {
  for (const [, name = ''] of text.matchAll(MARKED)) {
    const make = TABLES[name];
    if (!make) throw new Error(`there is no table ${name}`);
    if (!made.has(name)) made.set(name, await make());
  }
  return text.replaceAll(MARKED, (_, name) => `<!-- table:${name} -->\n${made.get(name)}\n<!-- /table -->`);
}

const FOLDER = new URL('./', import.meta.url);
export const pages = async (): Promise<URL[]> =>
  (await readdir(FOLDER)).filter((name) => name.endsWith('.md')).map((name) => new URL(name, FOLDER));

if (import.meta.main) {
  const made = new Map<string, string>();
  for (const page of await pages()) {
    const text = await readFile(page, 'utf8');
    const next = await filled(text, made);
    if (next !== text) await writeFile(page, next);
  }
}
