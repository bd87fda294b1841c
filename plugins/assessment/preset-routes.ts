/** Routes of presets and of calendars of holidays. */
import { invalid } from '../../lib/built-in.ts';
import { addNamedRoutes, type Host } from '../../lib/index.ts';
import {
  CALENDAR,
  CALENDAR_FIXED,
  CALENDAR_REQUEST,
  type CalendarBody,
  checkedBody,
  NAME_PARAM,
  PRESET,
  PRESET_BODY,
  PRESET_FIXED,
  type PresetInput,
  shownPreset,
} from './preset-schemas.ts';
import type { AssessmentStore } from './store.ts';

export function addPresets(host: Host, { presets }: AssessmentStore): void {
  addNamedRoutes<PresetInput>(host, {
    path: '/_assessments',
    param: NAME_PARAM,
    noun: 'preset',
    notFound: 'ASSESSMENT_NOT_FOUND',
    schema: PRESET,
    body: { body: PRESET_BODY, bodyBytes: 200_000 },
    fixed: PRESET_FIXED,
    reading: { etag: true },
    words: {
      list: {
        operation: 'listAssessmentPresets',
        summary: 'List the presets of assessments',
        description:
          'How standards judge noise, as data. A preset without confirmed_by was not compared with the text of its standard.',
      },
      show: { operation: 'showAssessmentPreset', summary: 'Show a preset' },
      put: {
        operation: 'changeAssessmentPreset',
        summary: 'Create or change a preset',
        description:
          'An absent field does not change. A new preset needs title, periods and figures. `confirmed_by` alone confirms a built-in preset; a change without `confirmed_by` makes it unchecked again. The data of a GET may be sent back.',
      },
      remove: {
        operation: 'removeAssessmentPreset',
        summary: 'Remove a preset that somebody wrote',
        description: 'A built-in preset of the same name counts again.',
      },
    },
    list: () => presets.list().map(shownPreset),
    put: async (name, given) => shownPreset(await presets.put({ name, body: checkedBody(presets.find(name), given) })),
    remove: (name) => presets.remove(name),
  });
}

export function addCalendars(host: Host, { calendars }: AssessmentStore): void {
  addNamedRoutes<CalendarBody>(host, {
    path: '/_calendars',
    param: NAME_PARAM,
    noun: 'calendar',
    notFound: 'ASSESSMENT_NOT_FOUND',
    schema: CALENDAR,
    // A calendar that is far too long gets an error with its path.
    body: { body: CALENDAR_REQUEST, bodyBytes: 1_000_000 },
    fixed: CALENDAR_FIXED,
    reading: { etag: true },
    words: {
      list: {
        operation: 'listCalendars',
        summary: 'List the calendars of holidays',
        description: 'Built-in calendars, each with the law of its days, and calendars of people.',
      },
      put: {
        operation: 'replaceCalendar',
        summary: 'Create or replace a calendar of holidays',
        description:
          'Dates of the local calendar. An assessment that names it takes these days for holidays. A calendar with the name of a built-in calendar replaces it. The data of a GET may be sent back.',
      },
      remove: {
        operation: 'removeCalendar',
        summary: 'Remove a calendar of holidays that somebody wrote',
        description: 'A built-in calendar of the same name counts again.',
      },
    },
    list: () => calendars.list(),
    async put(name, { days }) {
      const dates = days.map(({ date }) => date);
      const twice = dates.findIndex((date, at) => dates.indexOf(date) !== at);
      if (twice >= 0) throw invalid([{ path: `/days/${twice}/date`, message: `is there twice: ${dates[twice]}` }]);
      return calendars.put({ name, days });
    },
    remove: (name) => calendars.remove(name),
  });
}
