/** Templates of reports: which sections, in which order. Data only. */
import { SECTION_NAMES, type SectionName } from './document.ts';

/** A template. */
export interface ReportTemplate {
  readonly name: string;
  readonly title: string;
  readonly sections: readonly SectionName[];
}

/** The first one is the default. */
export const REPORT_TEMPLATES: readonly ReportTemplate[] = Object.freeze([
  { name: 'full', title: 'Everything', sections: SECTION_NAMES },
  { name: 'short', title: 'Two sentences, limits and charts', sections: ['summary', 'limits', 'charts'] },
  { name: 'levels', title: 'Levels without limits', sections: ['summary', 'days', 'charts', 'exclusions', 'method'] },
]);
