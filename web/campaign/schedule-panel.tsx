/** The schedule of a meter: its entries and their form, the next runs, and the results of the last runs. */
import type { PastRun, Profile, ScheduleEntry, Unit } from '../../client/index.ts';
import { DAYS, dayWord } from '../alerts/rule-words.ts';
import { canStore } from '../state/abilities.ts';
import { client, mayOperate } from '../state/access.ts';
import { changes } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime } from '../state/numbers.ts';
import { Card } from '../ui/card.tsx';
import { Entry } from '../ui/entry.tsx';
import type { PartsOf } from '../ui/form-parts.ts';
import { type FormUse, SchemaForm, useValues } from '../ui/schema-form.tsx';
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
    <Card id="schedule" title={say('Schedule')}>
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
    </Card>
  );
}

const STORED = { auto: () => say('levels on the card'), nothing: () => say('nothing on the card') } as const;

const wordsOf = (said: Pick<ScheduleEntry, 'action' | 'profile'> & Partial<ScheduleEntry>): string =>
  `${actionWord(said.action)}${said.profile ? ` (${said.profile})` : ''}${said.store ? `, ${STORED[said.store]()}` : ''}`;

/** Kinds of storing on the card; `none`: the text without a choice. */
export const storeChoices = (none: string) =>
  [
    ['', none],
    ['auto', say('levels, by itself (store mode Auto)')],
    ['nothing', say('nothing')],
  ] as const;

interface Props {
  readonly unitId: string;
  readonly present?: ScheduleEntry;
  readonly use: FormUse;
  save(entry: ScheduleEntry): Promise<string>;
}

const NEW: ScheduleEntry = { cron: cronOf('06:00', DAYS), action: 'start_cycle', profile: null, store: null };

function ScheduleEntryForm({ unitId, present, use, save }: Props) {
  const { profiles = [] } = useProfiles();
  const first = present ?? NEW;
  // An entry of more than a time on some days stays five parts.
  const simple = timeOfCron(first.cron);
  const [values, set] = useValues({ ...first, time: simple?.time ?? '', days: simple?.days ?? [] });
  const { time, days, cron, action, profile, store } = values;
  const asksStore = action === 'start_cycle' && canStore(unitId);
  const takesProfile = action === 'start_cycle' || action === 'apply_profile';
  const entry: ScheduleEntry = {
    cron: simple ? cronOf(time, days) : cron,
    action,
    profile: takesProfile ? profile : null,
    store: asksStore ? store : null,
  };
  const actionPart = {
    name: 'action',
    label: say('Do this'),
    choices: ACTIONS.map((each) => [each, actionWord(each)] as const),
  } as const;
  const doneParts: PartsOf<ScheduleEntry> = [
    actionPart,
    takesProfile &&
      profiles.length > 0 && {
        name: 'profile',
        label: say('With the profile'),
        choices: [['', say('none ## no profile')], ...profiles.map(({ name }) => [name, name] as const)],
        empty: null,
      },
    asksStore && {
      name: 'store',
      label: say('Keep on the card'),
      choices: storeChoices(say('as it is set then')),
      empty: null,
    },
  ];
  const parts: PartsOf<typeof values> = simple
    ? [
        { name: 'time', type: 'time', label: say('At ## a time of the day'), required: true },
        ...doneParts,
        {
          name: 'days',
          type: 'checks',
          isWide: false,
          label: say('On ## days of the week'),
          choices: DAYS.map((day) => [day, dayWord(day)] as const),
        },
      ]
    : [{ name: 'cron', label: say('Minute, hour, day, month, weekday'), required: true }, ...doneParts];
  return (
    <SchemaForm
      title={present ? say('Change {name}', { name: wordsOfCron(present.cron) }) : say('A new entry')}
      button={say('Save this entry')}
      use={use}
      parts={parts}
      values={values}
      set={set}
      save={() => save(entry)}
    >
      {asksStore && <Stored store={store} by={profiles.find(({ name }) => name === profile)} />}
    </SchemaForm>
  );
}

/** Whether a measurement that starts by itself leaves files: nobody is there to see that it does not. */
function Stored({ store, by }: Pick<ScheduleEntry, 'store'> & { readonly by: Profile | undefined }) {
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
