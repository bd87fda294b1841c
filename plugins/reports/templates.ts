/** Templates of reports: which sections, in which order, under which titles. Data only. */
import { SECTION_NAMES, type SectionName } from './document.ts';

/** What a person writes. */
export interface TemplateBody {
  readonly title: string;
  readonly sections: readonly SectionName[];
  /** In the place of those of the language. */
  readonly titles: Readonly<Partial<Record<SectionName, string>>>;
}

/** A template. */
export interface ReportTemplate extends TemplateBody {
  readonly name: string;
  /** It comes with the gateway. */
  readonly built_in: boolean;
}

const builtIn = (name: string, title: string, sections: readonly SectionName[]): ReportTemplate => ({
  ...{ name, title, sections, titles: {}, built_in: true },
});

/** The first one is the default. */
export const REPORT_TEMPLATES: readonly ReportTemplate[] = Object.freeze([
  builtIn('full', 'Everything', SECTION_NAMES),
  builtIn('short', 'Two sentences, limits and charts', ['summary', 'limits', 'charts']),
  builtIn('levels', 'Levels without limits', ['summary', 'days', 'charts', 'exclusions', 'method']),
]);
