/** Templates of reports: sections, their order and their titles. Some come with the gateway, people write others. */

import { GatewayError, type Host, invalid, json, named, type Schema, settable, UNIT_ID } from '../../lib/index.ts';
import { SECTION_NAMES, type SectionName } from './document.ts';
import { MOST_NAMED, type NamedStore } from './named-store.ts';
import { LINE, NAME_WORDS } from './schemas.ts';

/** A template as a person writes it. */
export interface TemplateBody {
  readonly title: string;
  readonly sections: readonly SectionName[];
  /** In the place of those of the language. */
  readonly titles: Readonly<Partial<Record<SectionName, string>>>;
}

export interface ReportTemplate extends TemplateBody {
  readonly name: string;
  /** It comes with the gateway. */
  readonly built_in: boolean;
}

const builtIn = (name: string, title: string, sections: readonly SectionName[]): ReportTemplate => ({
  name,
  title,
  sections,
  titles: {},
  built_in: true,
});

const FULL: readonly SectionName[] = [
  ...(['overview', 'summary', 'limits', 'days', 'charts', 'events', 'exclusions', 'calibration', 'weather'] as const),
  'method',
];
/** What GET report of one unit says. */
export const UNIT_SECTIONS: readonly SectionName[] = [
  ...(['meter', 'levels', 'exclusions', 'charts', 'days', 'exceedances', 'calibration', 'left_out', 'method'] as const),
];

/** The first one is the default. */
export const REPORT_TEMPLATES: readonly ReportTemplate[] = Object.freeze([
  builtIn('full', 'Everything', FULL),
  builtIn('short', 'Two sentences, limits and charts', ['summary', 'limits', 'charts']),
  builtIn('levels', 'Levels without limits', ['summary', 'days', 'charts', 'exclusions', 'method']),
  builtIn('unit', 'One meter, as GET report of a unit', UNIT_SECTIONS),
]);

const NAME = {
  name: { type: 'string', pattern: UNIT_ID, description: `the name of a template: ${NAME_WORDS}`, example: 'short' },
};
const TITLE: Schema = { type: 'string', minLength: 1, maxLength: 100, pattern: LINE };
const SECTIONS: Schema = {
  type: 'array',
  items: { type: 'string', enum: [...SECTION_NAMES] },
  minItems: 1,
  uniqueItems: true,
  description: 'In their order.',
};
const TITLES: Schema = {
  type: 'object',
  properties: Object.fromEntries(SECTION_NAMES.map((section) => [section, TITLE])),
  additionalProperties: false,
  description: 'Titles of sections in the place of those of the language.',
};
const TEMPLATE: Schema = named('ReportTemplate', {
  name: { type: 'string' },
  title: { type: 'string' },
  sections: SECTIONS,
  titles: TITLES,
  built_in: { type: 'boolean', description: 'It comes with the gateway.' },
});

type Given = Partial<TemplateBody> & Pick<TemplateBody, 'title' | 'sections'>;
type Store = NamedStore<TemplateBody>;

const shown = (name: string, body: TemplateBody): ReportTemplate => ({ name, ...body, built_in: false });

/** Undefined: no template has this name. */
export function templateOf(store: Store, name: string): ReportTemplate | undefined {
  const own = store.find(name);
  return REPORT_TEMPLATES.find((one) => one.name === name) ?? (own && shown(name, own));
}

/** `/_reports/templates` and what is below it. */
export function addTemplates(host: Host, store: Store): void {
  host.route({
    method: 'GET',
    path: '/_reports/templates',
    access: 'viewer',
    filtersUnits: true,
    operation: 'listReportTemplates',
    summary: 'List the templates of reports',
    answer: { data: { type: 'array', items: TEMPLATE } },
    etag: true,
    errors: [],
    handle: () => ({ data: [...REPORT_TEMPLATES, ...store.list().map(([name, body]) => shown(name, body))] }),
  });
  host.route({
    method: 'GET',
    path: '/_reports/templates/{name}',
    params: NAME,
    access: 'viewer',
    filtersUnits: true,
    operation: 'showReportTemplate',
    summary: 'Show a template of reports',
    answer: { data: TEMPLATE },
    etag: true,
    errors: ['REPORT_NOT_FOUND'],
    handle: ({ params: { name = '' } }) => ({ data: neededTemplate(store, name) }),
  });
  addChanges(host, store);
}

function addChanges(host: Host, store: Store): void {
  host.route<Given, unknown>({
    method: 'PUT',
    path: '/_reports/templates/{name}',
    params: NAME,
    access: 'admin',
    operation: 'changeReportTemplate',
    summary: 'Write a template of reports, or replace one',
    description: `At most ${MOST_NAMED}. Those that come with the gateway stay as they are.`,
    body: {
      type: 'object',
      properties: { name: NAME.name, title: TITLE, sections: SECTIONS, titles: TITLES, built_in: { type: 'boolean' } },
      required: ['title', 'sections'],
      additionalProperties: false,
      example: { title: 'For the permit', sections: ['limits', 'charts'], titles: { limits: 'Permit 12/345' } },
    },
    answer: { message: { type: 'string' }, data: TEMPLATE },
    statuses: [200, 201],
    errors: ['STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ params: { name = '' }, body, before }) {
      const present = templateOf(store, name);
      before(present ?? null);
      if (present?.built_in) throw builtInOne(name);
      const { title, sections, titles = {} } = settable(body, ['name', 'built_in'], name);
      const unused = Object.keys(titles).find((section) => !sections.includes(section as SectionName));
      if (unused) throw invalid([{ path: `/titles/${unused}`, message: 'is the title of no section of the template' }]);
      await store.put(name, { title, sections, titles });
      const data = shown(name, { title, sections, titles });
      const message = `The template ${name} is ${present ? 'changed' : 'created'}.`;
      return json({ message, data }, present ? {} : { status: 201, location: `/_reports/templates/${name}` });
    },
  });
  host.route({
    method: 'DELETE',
    path: '/_reports/templates/{name}',
    params: NAME,
    access: 'admin',
    operation: 'removeReportTemplate',
    summary: 'Remove a template that somebody wrote',
    description: 'A kept report that names it cannot be made any more, and says so.',
    answer: { message: { type: 'string' } },
    errors: ['REPORT_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ params: { name = '' }, before }) {
      const present = neededTemplate(store, name);
      before(present);
      if (present.built_in) throw builtInOne(name);
      await store.remove(name);
      return { message: `The template ${name} is removed.` };
    },
  });
}

/** Errors: REPORT_NOT_FOUND. */
function neededTemplate(store: Store, name: string): ReportTemplate {
  const found = templateOf(store, name);
  if (!found) throw new GatewayError('REPORT_NOT_FOUND', `There is no template ${name}.`);
  return found;
}

const builtInOne = (name: string): GatewayError =>
  new GatewayError('INVALID', `The template ${name} comes with the gateway and stays as it is.`);
