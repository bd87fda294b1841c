/** Routes of presets and of calendars of holidays. */
import { type Host, invalid, json, settable } from '../../lib/index.ts';
import {
  CALENDAR,
  CALENDAR_BODY,
  CALENDAR_FIXED,
  type CalendarInput,
  checkedBody,
  NAME_PARAM,
  PRESET,
  PRESET_BODY,
  PRESET_FIXED,
  type PresetInput,
  shownPreset,
} from './preset-schemas.ts';
import type { AssessmentStore } from './store.ts';

/** `_assessments` and `_assessments/{name}`. */
export function addPresets(host: Host, store: AssessmentStore): void {
  host.route({
    method: 'GET',
    path: '/_assessments',
    access: 'viewer',
    operation: 'listAssessmentPresets',
    summary: 'List the presets of assessments',
    description:
      'How standards judge noise, as data. A preset without confirmed_by was not compared with the text of its standard.',
    answer: { data: { type: 'array', items: PRESET } },
    etag: true,
    errors: [],
    handle: () => ({ data: store.presets().map(shownPreset) }),
  });
  host.route({
    method: 'GET',
    path: '/_assessments/{name}',
    params: NAME_PARAM,
    access: 'viewer',
    operation: 'showAssessmentPreset',
    summary: 'Show a preset',
    answer: { data: PRESET },
    etag: true,
    errors: ['ASSESSMENT_NOT_FOUND'],
    handle: ({ params: { name = '' } }) => ({ data: shownPreset(store.preset(name)) }),
  });
  addPresetChanges(host, store);
}

function addPresetChanges(host: Host, store: AssessmentStore): void {
  host.route<PresetInput, unknown>({
    method: 'PUT',
    path: '/_assessments/{name}',
    params: NAME_PARAM,
    access: 'admin',
    operation: 'changeAssessmentPreset',
    summary: 'Create or change a preset',
    description:
      'An absent field does not change. A new preset needs title, periods and figures. `confirmed_by` alone confirms a built-in preset; a change without `confirmed_by` makes it unchecked again. The data of a GET may be sent back.',
    body: PRESET_BODY,
    bodyBytes: 200_000,
    answer: { message: { type: 'string' }, data: PRESET },
    statuses: [200, 201],
    errors: ['STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ params: { name = '' }, body, before }) {
      const present = store.find(name);
      before(present ? shownPreset(present) : null);
      const preset = await store.put(name, checkedBody(present, settable(body, PRESET_FIXED, name)));
      const message = `The preset ${name} is ${present ? 'changed' : 'created'}.`;
      const data = shownPreset(preset);
      return json({ message, data }, present ? {} : { status: 201, location: `/_assessments/${name}` });
    },
  });
  host.route({
    method: 'DELETE',
    path: '/_assessments/{name}',
    params: NAME_PARAM,
    access: 'admin',
    operation: 'removeAssessmentPreset',
    summary: 'Remove a preset that somebody wrote',
    description: 'A built-in preset of the same name counts again.',
    answer: { message: { type: 'string' } },
    errors: ['ASSESSMENT_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ params: { name = '' }, before }) {
      before(shownPreset(store.preset(name)));
      await store.remove(name);
      return { message: `The preset ${name} is removed.` };
    },
  });
}

/** `_calendars` and `_calendars/{name}`. */
export function addCalendars(host: Host, store: AssessmentStore): void {
  host.route({
    method: 'GET',
    path: '/_calendars',
    access: 'viewer',
    operation: 'listCalendars',
    summary: 'List the calendars of holidays',
    description: 'Built-in calendars, each with the law of its days, and calendars of people.',
    answer: { data: { type: 'array', items: CALENDAR } },
    etag: true,
    errors: [],
    handle: () => ({ data: store.calendars() }),
  });
  host.route<CalendarInput, unknown>({
    method: 'PUT',
    path: '/_calendars/{name}',
    params: NAME_PARAM,
    access: 'admin',
    operation: 'replaceCalendar',
    summary: 'Create or replace a calendar of holidays',
    description:
      'Dates of the local calendar. An assessment that names it takes these days for holidays. A calendar with the name of a built-in calendar replaces it. The data of a GET may be sent back.',
    body: CALENDAR_BODY,
    // A calendar that is far too long gets an error with its path.
    bodyBytes: 1_000_000,
    answer: { message: { type: 'string' }, data: CALENDAR },
    statuses: [200, 201],
    errors: ['STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ params: { name = '' }, body, before }) {
      const { days } = settable(body, CALENDAR_FIXED, name);
      const dates = days.map(({ date }) => date);
      const twice = dates.findIndex((date, at) => dates.indexOf(date) !== at);
      if (twice >= 0) throw invalid([{ path: `/days/${twice}/date`, message: `is there twice: ${dates[twice]}` }]);
      before(store.findCalendar(name)?.days ?? null);
      const isNew = store.findCalendar(name) === undefined;
      const data = await store.putCalendar(name, days);
      const message = `The calendar ${name} is ${isNew ? 'created' : 'changed'}.`;
      return json({ message, data }, isNew ? { status: 201, location: `/_calendars/${name}` } : {});
    },
  });
  host.route({
    method: 'DELETE',
    path: '/_calendars/{name}',
    params: NAME_PARAM,
    access: 'admin',
    operation: 'removeCalendar',
    summary: 'Remove a calendar of holidays that somebody wrote',
    description: 'A built-in calendar of the same name counts again.',
    answer: { message: { type: 'string' } },
    errors: ['ASSESSMENT_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ params: { name = '' }, before }) {
      before(store.calendar(name).days);
      await store.removeCalendar(name);
      return { message: `The calendar ${name} is removed.` };
    },
  });
}
