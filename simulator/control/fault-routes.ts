/** Routes for the faults: the catalogue, and the faults that are on at one meter. */
import type { When } from '../faults/fault-board.ts';
import { CATALOGUE, range } from '../faults/index.ts';
import { asInput, fieldsOf, isObject, textField, WrongInput } from './input.ts';
import type { MeterControl } from './meter-control.ts';
import { NotHere, type Route } from './route.ts';

/** Below `/faults` and `/meters/{unit}/faults`. */
export const faultRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/faults',
    about: 'the catalogue: every kind of fault with its settings',
    handle: () => catalogue(),
  },
  { method: 'GET', path: '/meters/{unit}/faults', about: 'faults that are on', handle: ({ meter }) => active(meter()) },
  {
    method: 'POST',
    path: '/meters/{unit}/faults',
    about:
      '{"kind": name, "settings": {...}, "when": {commands, matching, from_ms, until_ms, probability, times}}: switches on',
    handle: ({ body, meter }) => switchOn(meter(), body),
  },
  {
    method: 'DELETE',
    path: '/meters/{unit}/faults',
    about: 'switches all faults off',
    handle({ meter }) {
      meter().meter.faults.clear();
      return active(meter());
    },
  },
  {
    method: 'DELETE',
    path: '/meters/{unit}/faults/{id}',
    about: 'switches one fault off',
    handle({ meter, params: { id = '' } }) {
      if (!meter().meter.faults.off(id)) throw new NotHere(`no fault ${JSON.stringify(id)} is on`);
      return active(meter());
    },
  },
];

const WHEN = {
  commands: 'commands',
  matching: 'matching',
  from_ms: 'fromMs',
  until_ms: 'untilMs',
  probability: 'probability',
  times: 'times',
} as const;

function switchOn(control: MeterControl, body: unknown) {
  const fields = fieldsOf(body, ['kind', 'settings', 'when']);
  const kind = textField(fields, 'kind');
  if (kind === undefined) throw new WrongInput('kind is missing; GET /faults lists them');
  const { settings = {}, when = {} } = fields;
  if (!isObject(settings)) throw new WrongInput('settings is a JSON object');
  const said = Object.entries(fieldsOf(when, Object.keys(WHEN), 'when'));
  const schedule = Object.fromEntries(said.map(([name, value]) => [WHEN[name as keyof typeof WHEN], value]));
  return { id: asInput(() => control.fault(kind, settings, schedule as When)) };
}

const active = ({ meter }: MeterControl) =>
  meter.faults.active.map(({ when, ...one }) => ({
    ...one,
    when: Object.fromEntries(
      Object.entries(WHEN).flatMap(([name, own]) => (when[own] === undefined ? [] : [[name, when[own]]])),
    ),
  }));

const catalogue = () =>
  Object.values(CATALOGUE).map(({ name, summary, works, evidence, settings }) => ({
    name,
    summary,
    works,
    settings: Object.fromEntries(
      Object.entries(settings).map(([key, one]) => [
        key,
        { default: one.default, takes: range(one), about: one.about },
      ]),
    ),
    evidence,
  }));
