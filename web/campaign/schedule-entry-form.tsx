/** An entry of a schedule, new or to be changed: a time of the day, on some days, and what is done then. */
import { useState } from 'preact/hooks';
import type { Profile, ScheduleAction, ScheduleEntry } from '../../client/index.ts';
import { DAYS, dayWord } from '../alerts/rule-words.ts';
import { canStore } from '../state/abilities.ts';
import { EntryForm, type FormUse } from '../ui/entry.tsx';
import { Checks, Choice, Field } from '../ui/field.tsx';
import { say } from '../words/say.ts';
import { ACTIONS, actionWord, cronOf, timeOfCron, wordsOfCron } from './cron-words.ts';
import { useProfiles } from './profiles.ts';

type Day = (typeof DAYS)[number];
const NONE = '';
const stores = () =>
  [
    [NONE, say('as it is set then')],
    ['auto', say('levels, by itself (store mode Auto)')],
    ['nothing', say('nothing')],
  ] as const;
type Store = ReturnType<typeof stores>[number][0];

interface Props {
  readonly unitId: string;
  readonly present?: ScheduleEntry;
  readonly use: FormUse;
  save(entry: ScheduleEntry): Promise<string>;
}

/** `present`: the entry that is changed; undefined: a new entry. */
export function ScheduleEntryForm({ unitId, present, use, save }: Props) {
  const { profiles = [] } = useProfiles();
  const simple = present ? timeOfCron(present.cron) : { time: '06:00', days: DAYS };
  const [time, setTime] = useState(simple?.time ?? '');
  const [days, setDays] = useState<readonly Day[]>(simple?.days ?? []);
  const [parts, setParts] = useState(present?.cron ?? '');
  const [action, setAction] = useState<ScheduleAction>(present?.action ?? 'start_cycle');
  const [profile, setProfile] = useState(present?.profile ?? NONE);
  const [store, setStore] = useState<Store>(present?.store ?? NONE);
  const asksStore = action === 'start_cycle' && canStore(unitId);
  const takesProfile = action === 'start_cycle' || action === 'apply_profile';
  const entry: ScheduleEntry = {
    cron: simple ? cronOf(time, days) : parts.trim(),
    action,
    profile: takesProfile && profile !== NONE ? profile : null,
    store: asksStore && store !== NONE ? store : null,
  };
  return (
    <EntryForm
      title={present ? say('Change {name}', { name: wordsOfCron(present.cron) }) : say('A new entry')}
      button={present ? say('Save this entry') : say('Add this entry')}
      use={use}
      save={() => save(entry)}
    >
      <div class="fields">
        {simple ? (
          <Field label={say('At ## a time of the day')} type="time" required value={time} change={setTime} />
        ) : (
          <Field label={say('Minute, hour, day, month, weekday')} required value={parts} change={setParts} />
        )}
        <Choice
          label={say('Do this')}
          value={action}
          choices={ACTIONS.map((each) => [each, actionWord(each)] as const)}
          change={(next) => setAction(next)}
        />
        {takesProfile && profiles.length > 0 && (
          <Choice
            label={say('With the profile')}
            value={profile}
            choices={[[NONE, say('none ## no profile')] as const, ...profiles.map(({ name }) => [name, name] as const)]}
            change={setProfile}
          />
        )}
        {asksStore && (
          <Choice label={say('Keep on the card')} value={store} choices={stores()} change={(next) => setStore(next)} />
        )}
        {simple && (
          <Checks
            label={say('On ## days of the week')}
            chosen={days}
            choices={DAYS.map((day) => [day, dayWord(day)] as const)}
            change={setDays}
          />
        )}
      </div>
      {asksStore && <Stored store={store} by={profiles.find(({ name }) => name === profile)} />}
    </EntryForm>
  );
}

/** Whether a measurement that starts by itself leaves files: nobody is there to see that it does not. */
function Stored({ store, by }: { readonly store: Store; readonly by: Profile | undefined }) {
  const mode = by?.settings.store_mode;
  if (store === 'auto') return <p class="soft small">{say('The meter stores on its card.')}</p>;
  if (store === 'nothing') return <NoFiles because={say('The card keeps nothing: the measurement leaves no files.')} />;
  if (mode === 'Auto')
    return (
      <p class="soft small">
        {say('The meter stores on its card, as the profile {name} says.', { name: by?.name ?? '' })}
      </p>
    );
  if (mode !== undefined)
    return (
      <NoFiles
        because={say('The profile {name} sets the store mode {mode}: the measurement leaves no files.', {
          name: by?.name ?? '',
          mode,
        })}
      />
    );
  return (
    <p class="said">
      {say(
        'The store mode that the meter has then decides what is stored on the card: with Manual the measurement leaves no files. Choose "Levels, by itself" to be sure.',
      )}
    </p>
  );
}

/** Says so, and wants to know that it is meant. */
const NoFiles = ({ because }: { readonly because: string }) => (
  <>
    <p class="said">{because}</p>
    <label class="row">
      <input type="checkbox" required />
      {say('It is to measure without files')}
    </label>
  </>
);
