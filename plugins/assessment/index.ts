/** Figures of standards for each day: rating levels, limits, single events, the loudest hour, the spread of levels. */
import { tables } from '../../lib/built-in.ts';
import { type DeviceConfig, daysIn, type Plugin } from '../../lib/index.ts';
import calibration from '../calibration/index.ts';
import notes from '../notes/index.ts';
import { assess, costOf, isOfSeconds, type JudgedDay, judgeDays } from './assess.ts';
import { assessedFile } from './assessed-table.ts';
import { KeptDays } from './kept-days.ts';
import { addNoiseEvents } from './noise-events.ts';
import { addCalendars, addPresets } from './preset-routes.ts';
import { type AmberOf, addPresetRules, type PresetRules, type RulesQuery, rulesOf } from './preset-rules.ts';
import type { KeptPreset } from './preset-schemas.ts';
import { areaOf, readSaid } from './said.ts';
import { ASSESSMENT, ASSESSMENT_FORMAT, ASSESSMENT_QUERY, type AssessmentQuery } from './schemas.ts';
import { addSpread } from './spread.ts';
import { assessmentStore, CALENDARS, MIGRATIONS, OWN_PRESETS } from './store.ts';

export type { JudgedDay } from './assess.ts';
export * as assessment from './model/index.ts';
export { REMARKS, RULE_FIELDS, RULE_WINDOWS } from './preset-rules.ts';
export { type KeptPreset, LOCAL_HOURS, PLAIN } from './preset-schemas.ts';

/** Presets and calendars for other plugins, and the judgement of days by any preset. */
export interface Assessments {
  preset(name: string): KeptPreset | undefined;
  hasCalendar(name: string): boolean;
  /** Errors: INVALID for an area or a value of a person that the preset does not have. */
  check(preset: KeptPreset, query: AssessmentQuery): void;
  /** The limits as bodies of rules. Errors: INVALID. */
  rules(preset: KeptPreset, query: RulesQuery, amberOf: AmberOf): PresetRules;
  /** Every local day that overlaps the span of the query. Errors: INVALID, ASSESSMENT_NOT_FOUND, and those of the history. */
  judge(
    config: DeviceConfig,
    preset: KeptPreset,
    query: AssessmentQuery,
    signal: AbortSignal,
  ): Promise<readonly JudgedDay[]>;
}

const plugin: Plugin<unknown, Assessments> = {
  name: 'assessment',
  about: 'Rating levels and limits by the presets of standards, noise events, the loudest hour',
  uses: ['calibration', 'notes'],
  async register(given) {
    const host = { ...given, notes: given.use(notes), calibrations: given.use(calibration) };
    const store = assessmentStore(await host.tables([OWN_PRESETS, CALENDARS], MIGRATIONS), host.clock);
    await store.load();
    const kept = new KeptDays<JudgedDay>(host);
    host.onStop(() => store.close());
    addPresets(host, store);
    addPresetRules(host, store);
    addCalendars(host, store);
    addNoiseEvents(host);
    addSpread(host);
    host.route<unknown, AssessmentQuery & { readonly format: 'json' | tables.CsvFormat | 'xlsx' }>({
      method: 'GET',
      path: '/{unit_id}/assessment',
      access: 'viewer',
      operation: 'showAssessment',
      summary: 'Judge each local day by a preset: met, exceeded, or not assessable',
      description:
        'Every local day that overlaps the span, as a whole. A part with too little data makes a figure not assessable; it never makes a level lower. At most 370 days, 62 where single seconds are read.',
      query: { ...ASSESSMENT_QUERY, format: ASSESSMENT_FORMAT },
      answer: { data: ASSESSMENT },
      etag: true,
      contentTypes: ['text/csv', tables.XLSX_TYPE],
      errors: ['UNIT_NOT_FOUND', 'ASSESSMENT_NOT_FOUND'],
      cost: ({ query }) => costOf(daysIn(query), isOfSeconds(store, query)),
      async handle({ unitId, query: { format, ...query }, caller }) {
        const data = await assess(host, store, host.configs.of(unitId), query, caller.signal);
        return format === 'json' ? { data } : assessedFile(data, format);
      },
    });
    return {
      preset: (name) => store.presets.find(name),
      hasCalendar: (name) => store.calendars.find(name) !== undefined,
      check(preset, query) {
        readSaid(preset, query, areaOf(preset, query.area));
      },
      rules: rulesOf,
      judge: (config, preset, query, signal) => judgeDays(host, { store, kept }, config, preset, query, signal),
    };
  },
};
export default plugin;
