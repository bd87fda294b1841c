/** The schedule of a meter: its entries and their form, the next runs, and the results of the last runs. */
import { useState } from 'preact/hooks';
import type { PastRun, Profile, ScheduleAction, ScheduleEntry, Unit } from '../../client/index.ts';
import { DAYS, dayWord } from '../alerts/rule-words.ts';
import { canStore } from '../state/abilities.ts';
import { client, mayOperate } from '../state/access.ts';
import { changes } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime } from '../state/numbers.ts';
import { Entry, EntryForm, type FormUse } from '../ui/entry.tsx';
import { Checks, Choice, Field } from '../ui/field.tsx';
import { say } from '../words/say.ts';
import { ACTIONS, actionWord, cronOf, timeOfCron, wordsOfCron } from './cron-words.ts';
import { useProfiles } from './profiles.tsx';

const OUTCOMES: Readonly<Record<PastRun['outcome'], () => string>> = {
  started: () => say('started ## a run of a schedule'),
  made_up: () => say('started late, because the gateway did not run then'),
  missed: () => say('missed ## a run of a schedule'),
  not_started: () => say('not started ## a run of a schedule'),
};
const SHOWN = 5;

/** The schedule of a meter with its forms. */
export function SchedulePanel({ unit: { unit_id, timezone } }: { readonly unit: Unit }) {
  const { found: schedule, put } = useFound(() => client.value.schedule(unit_id), [unit_id, changes.value.job]);
  if (!schedule) return null;
  const { entries, zone, next, recent } = schedule;
  const save = async (changed: readonly ScheduleEntry[]) => {
    const own = zone === timezone ? null : zone;
    const { message, data } = await client.value.setSchedule(unit_id, { zone: own, entries: changed });
    put(data);
    return message;
  };
  return (
    <section class="card" aria-labelledby="schedule">
      <h2 id="schedule">{say('Schedule')}</h2>
      {entries.length === 0 && <p class="soft">{say('Nothing is done by itself.')}</p>}
      <ul class="configs">
        {entries.map((entry, index) => (
          <li key={index}>
            <Entry
              name={wordsOfCron(entry.cron)}
              mayChange={mayOperate.value}
              form={(use) => (
                <ScheduleEntryForm
                  unitId={unit_id}
                  present={entry}
                  use={use}
                  save={(changed) => save(entries.with(index, changed))}
                />
              )}
              remove={() => save(entries.toSpliced(index, 1))}
            >
              <strong>{wordsOfCron(entry.cron)}</strong> {wordsOf(entry)}
            </Entry>
          </li>
        ))}
      </ul>
      {zone !== timezone && <p class="soft small">{say('By the clock of {zone}.', { zone })}</p>}
      {next.length > 0 && (
        <dl class="facts">
          <dt>{say('Next ## runs of a schedule')}</dt>
          <dd>
            {next.slice(0, SHOWN).map((each) => (
              <div key={`${each.at} ${each.action}`}>
                {dayAndTime(each.at, zone)}: {wordsOf(each)}
              </div>
            ))}
          </dd>
        </dl>
      )}
      {recent.length > 0 && (
        <dl class="facts">
          <dt>{say('Before ## runs of a schedule')}</dt>
          <dd>
            {recent.slice(0, SHOWN).map((each) => (
              <div key={`${each.due} ${each.action}`} class={each.outcome === 'started' ? '' : 'said bad'}>
                {dayAndTime(each.due, zone)}: {wordsOf(each)}, {OUTCOMES[each.outcome]()}. {each.detail}
              </div>
            ))}
          </dd>
        </dl>
      )}
      {mayOperate.value && (
        <ScheduleEntryForm
          unitId={unit_id}
          use={{ saved: () => {}, isOpen: entries.length === 0 }}
          save={(entry) => save([...entries, entry])}
        />
      )}
    </section>
  );
}

const STORED = { auto: () => say('levels on the card'), nothing: () => say('nothing on the card') } as const;

const wordsOf = (said: Pick<ScheduleEntry, 'action' | 'profile'> & Partial<ScheduleEntry>): string =>
  `${actionWord(said.action)}${said.profile ? ` (${said.profile})` : ''}${said.store ? `, ${STORED[said.store]()}` : ''}`;

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
function ScheduleEntryForm({ unitId, present, use, save }: Props) {
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
      button={say('Save this entry')}
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
