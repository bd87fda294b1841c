/** Templates of reports: sections, their order and their titles. Some come with the gateway, people write others. */
import type { ChangeReportTemplateBody, ReportTemplate } from '../../client/schemas.ts';
import { invalid } from '../../lib/built-in.ts';
import { addNamedRoutes, GatewayError, type Host, named, type Schema, UNIT_ID } from '../../lib/index.ts';
import { SECTION_NAMES, type SectionName } from './document.ts';
import { MOST_NAMED, type NamedStore } from './named-store.ts';
import { LINE, NAME_WORDS } from './schemas.ts';

export type TemplateBody = Pick<ReportTemplate, 'title' | 'sections' | 'titles'>;

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

type Store = NamedStore<TemplateBody>;

const shown = (name: string, body: TemplateBody): ReportTemplate => ({ name, ...body, built_in: false });

export function templateOf(store: Store, name: string): ReportTemplate | undefined {
  const own = store.find(name);
  return REPORT_TEMPLATES.find((one) => one.name === name) ?? (own && shown(name, own));
}

export function addTemplates(host: Host, store: Store): void {
  addNamedRoutes<ChangeReportTemplateBody>(host, {
    path: '/_reports/templates',
    param: NAME,
    noun: 'template',
    notFound: 'REPORT_NOT_FOUND',
    schema: TEMPLATE,
    body: { body: TEMPLATE_REQUEST },
    fixed: ['name', 'built_in'],
    reading: { filtersUnits: true, etag: true },
    words: {
      list: { operation: 'listReportTemplates', summary: 'List the templates of reports' },
      show: { operation: 'showReportTemplate', summary: 'Show a template of reports' },
      put: {
        operation: 'changeReportTemplate',
        summary: 'Write a template of reports, or replace one',
        description: `At most ${MOST_NAMED}. Those that come with the gateway stay as they are.`,
      },
      remove: {
        operation: 'removeReportTemplate',
        summary: 'Remove a template that somebody wrote',
        description: 'A kept report that names it cannot be made any more, and says so.',
      },
    },
    list: () => [...REPORT_TEMPLATES, ...store.list().map(([name, body]) => shown(name, body))],
    async put(name, { title, sections, titles = {} }) {
      refuseBuiltIn(store, name);
      const unused = Object.keys(titles).find((section) => !sections.includes(section as SectionName));
      if (unused) throw invalid([{ path: `/titles/${unused}`, message: 'is the title of no section of the template' }]);
      await store.put(name, { title, sections, titles });
      return shown(name, { title, sections, titles });
    },
    async remove(name) {
      refuseBuiltIn(store, name);
      await store.remove(name);
    },
  });
}

const TEMPLATE_REQUEST: Schema = {
  type: 'object',
  properties: { name: NAME.name, title: TITLE, sections: SECTIONS, titles: TITLES, built_in: { type: 'boolean' } },
  required: ['title', 'sections'],
  additionalProperties: false,
  example: { title: 'For the permit', sections: ['limits', 'charts'], titles: { limits: 'Permit 12/345' } },
};

function refuseBuiltIn(store: Store, name: string): void {
  if (templateOf(store, name)?.built_in)
    throw new GatewayError('INVALID', `The template ${name} comes with the gateway and stays as it is.`);
}
