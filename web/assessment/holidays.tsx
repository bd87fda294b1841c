/** Calendars of holidays: one is chosen for the days that are shown; an admin writes them, a line for each day. */
import type { schemas } from '../../client/index.ts';
import { client, mayAdminister } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import { Choice } from '../ui/field.tsx';
import { namePart } from '../ui/form-parts.ts';
import { SchemaForm, useValues } from '../ui/schema-form.tsx';
import { say } from '../words/say.ts';

interface Props {
  /** The chosen one; empty: none. */
  readonly value: string;
  change(name: string): void;
}

export function Holidays({ value, change }: Props) {
  const { found: calendars, again } = useFound(() => client.value.calendars(), []);
  if (!calendars) return null;
  const kept = (name: string) => {
    again();
    change(name);
  };
  const chosen = calendars.find(({ name }) => name === value);
  return (
    <>
      <div class="fields">
        <Choice
          label={say('Holidays')}
          value={value}
          choices={[['', say('none ## of calendars')], ...calendars.map(({ name }) => [name, name] as const)]}
          change={change}
        />
      </div>
      {mayAdminister.value && <CalendarForm key={chosen?.name} present={chosen} kept={kept} />}
    </>
  );
}

interface FormProps {
  readonly present: schemas.HolidayCalendar | undefined;
  kept(name: string): void;
}

function CalendarForm({ present, kept }: FormProps) {
  const [values, set] = useValues({ name: present?.name ?? '', days: present?.days ?? [] });
  const nameFirst = namePart(say('Name of the calendar'), say('bavaria ## example of a name'));
  const daysPart = {
    name: 'days',
    type: 'lines',
    label: say('Holidays, one in each line'),
    hint: `2026-12-25 ${say('Christmas')}`,
    written: { print: textOfDays, parse: daysOf },
  } as const;
  return (
    <SchemaForm
      title={present ? say('Change the holidays {name}', { name: present.name }) : say('A new calendar of holidays')}
      button={say('Save these holidays')}
      use={{ saved: () => kept(values.name) }}
      parts={[!present && nameFirst, daysPart]}
      values={values}
      set={set}
      save={() => client.value.saveCalendar(values.name, values.days)}
    />
  );
}

const textOfDays = (days: schemas.HolidayCalendar['days']): string =>
  days.map(({ date, name }) => `${date} ${name}`).join('\n');

/** The first word of a line is the date. */
const daysOf = (text: string): schemas.HolidayCalendar['days'] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [date = '', ...words] = line.split(/\s+/);
      return { date, name: words.join(' ') };
    });
