/** By what a report judges: preset, area, limits of its own, holidays, and what a person says for the preset. */
import type { schemas } from '../../client/index.ts';
import { inputsOf, PRESET_INPUTS } from '../assessment/preset-inputs.ts';
import { client } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import { Choice, Field } from '../ui/field.tsx';
import { say, sayOfApi } from '../words/say.ts';

/** Of a kept report, as the API names them. */
export const JUDGED = ['area', 'limits', 'calendar', ...PRESET_INPUTS] as const;
/** Texts of the fields; empty: nothing is said. */
type Judged = Readonly<Record<'preset' | (typeof JUDGED)[number], string>>;

/** First values of the fields. */
export const judgedOf = (present: schemas.KeptReport | undefined): Judged => ({
  preset: present?.preset ?? 'eu-lden',
  ...valuesOf((name) => present?.[name] ?? ''),
});

/** The part of the body for the API. */
export const judgedBody = ({ preset, ...given }: Judged) => ({
  preset,
  ...valuesOf((name) => given[name].trim() || null),
});

const valuesOf = <Value,>(of: (name: (typeof JUDGED)[number]) => Value) =>
  Object.fromEntries(JUDGED.map((name) => [name, of(name)])) as Record<(typeof JUDGED)[number], Value>;

/** Fields of a form. Another preset has other areas and asks for other things. */
export function JudgedBy({ judged, change }: { readonly judged: Judged; change(next: Judged): void }) {
  const { found: presets = [] } = useFound(() => client.value.assessmentPresets(), []);
  const { found: calendars = [] } = useFound(() => client.value.calendars(), []);
  // Also one that was removed: as long as it is chosen, it is shown.
  const holidays = new Set([...calendars.map(({ name }) => name), ...(judged.calendar ? [judged.calendar] : [])]);
  const { limits, calendar } = judged;
  const preset = presets.find(({ name }) => name === judged.preset);
  const choices = presets.map((each) => [each.name, sayOfApi(each.title)] as const);
  const areas = preset?.areas.map(({ name, title }) => [name, `${name}: ${sayOfApi(title)}`] as const) ?? [];
  return (
    <>
      <Choice
        label={say('Judged by')}
        value={judged.preset}
        choices={choices}
        change={(name) => change({ ...judgedOf(undefined), limits, calendar, preset: name })}
      />
      {areas.length > 1 && (
        <Choice
          label={say('Area')}
          value={judged.area}
          choices={[['', say('none chosen')], ...areas]}
          change={(area) => change({ ...judged, area })}
        />
      )}
      <Field
        label={say('Your own limits, dB')}
        value={limits}
        change={(text) => change({ ...judged, limits: text })}
        hint="lden:55,night:45"
      />
      <Choice
        label={say('Holidays')}
        value={calendar}
        choices={[['', say('none ## of calendars')], ...[...holidays].map((name) => [name, name] as const)]}
        change={(name) => change({ ...judged, calendar: name })}
      />
      {preset &&
        inputsOf(preset).map(([name, label, hint]) => (
          <Field
            key={name}
            label={label}
            value={judged[name]}
            change={(text) => change({ ...judged, [name]: text })}
            hint={hint}
          />
        ))}
    </>
  );
}
