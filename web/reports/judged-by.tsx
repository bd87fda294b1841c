/** By what a report judges: preset, area, limits of its own, holidays, and what a person says for the preset. */
import type { schemas } from '../../client/index.ts';
import { inputsOf, PRESET_INPUTS } from '../assessment/preset-inputs.ts';
import { client } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import type { PartsOf } from '../ui/form-parts.ts';
import { say, sayOfApi } from '../words/say.ts';

/** Of a kept report, as the API names them. */
export const JUDGED = ['area', 'limits', 'calendar', ...PRESET_INPUTS] as const;
type Judged = Pick<schemas.KeptReport, 'preset' | (typeof JUDGED)[number]>;

/** At first, and with another preset: it has other areas and asks for other things. */
export const NOT_JUDGED = {
  preset: 'eu-lden',
  ...Object.fromEntries(JUDGED.map((name) => [name, null])),
} as Judged;

export function useJudgedParts(judged: Judged, set: (more: Judged) => void): PartsOf<Judged> {
  const { found: presets = [] } = useFound(() => client.value.assessmentPresets(), []);
  const { found: calendars = [] } = useFound(() => client.value.calendars(), []);
  const { limits, calendar } = judged;
  const preset = presets.find(({ name }) => name === judged.preset);
  const areas = preset?.areas.map(({ name, title }) => [name, `${name}: ${sayOfApi(title)}`] as const) ?? [];
  return [
    {
      name: 'preset',
      label: say('Judged by'),
      choices: presets.map((each) => [each.name, sayOfApi(each.title)] as const),
      put: (name) => set({ ...NOT_JUDGED, limits, calendar, preset: String(name) }),
    },
    areas.length > 1 && {
      name: 'area',
      label: say('Area'),
      choices: [['', say('none chosen')], ...areas],
      empty: null,
    },
    { name: 'limits', label: say('Your own limits, dB'), hint: 'lden:55,night:45', empty: null },
    {
      name: 'calendar',
      label: say('Holidays'),
      choices: [['', say('none ## of calendars')], ...calendars.map(({ name }) => [name, name] as const)],
      empty: null,
    },
    ...(preset ? inputsOf(preset).map(([name, label, hint]) => ({ name, label, hint, empty: null })) : []),
  ];
}
