/** Calendars of holidays: one is chosen for the days that are shown; an admin writes them, a line for each day. */
import { useState } from 'preact/hooks';
import { GatewayProblem, type schemas } from '../../client/index.ts';
import { client, mayAdminister } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import { type Problems, Wrong } from '../ui/action.tsx';
import { EntryForm } from '../ui/entry.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { say } from '../words/say.ts';

interface Props {
  /** The chosen one; empty: none. */
  readonly value: string;
  change(name: string): void;
}

/** The choice, and for admins the form of the chosen or of a new one. */
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
      {mayAdminister.value && <CalendarForm key={value} present={chosen} kept={kept} />}
    </>
  );
}

interface FormProps {
  readonly present: schemas.HolidayCalendar | undefined;
  kept(name: string): void;
}

function CalendarForm({ present, kept }: FormProps) {
  const [name, setName] = useState(present?.name ?? '');
  const [text, setText] = useState(present?.days.map((day) => `${day.date} ${day.name}`).join('\n') ?? '');
  const [problems, setProblems] = useState<Problems>([]);
  const save = async () => {
    setProblems([]);
    try {
      return (await client.value.saveCalendar(name.trim(), daysOf(text))).message;
    } catch (error) {
      if (error instanceof GatewayProblem) setProblems(error.errors);
      throw error;
    }
  };
  return (
    <EntryForm
      title={present ? say('Change the holidays {name}', { name: present.name }) : say('A new calendar of holidays')}
      button={say('Save these holidays')}
      use={{ saved: () => kept(name.trim()) }}
      save={save}
    >
      {!present && (
        <Field
          label={say('Name of the calendar')}
          required
          hint={say('bavaria ## example of a name')}
          pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}"
          value={name}
          change={setName}
        />
      )}
      <label class="field">
        {say('Holidays, one in each line')}
        <textarea
          rows={6}
          placeholder={`2026-12-25 ${say('Christmas')}`}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <Wrong problems={problems} at="/days" />
    </EntryForm>
  );
}

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
