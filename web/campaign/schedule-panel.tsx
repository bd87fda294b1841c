/** The schedule of a meter: its entries, the next runs, and the results of the last ones. */
import type { PastRun, ScheduleEntry, Unit } from '../../client/index.ts';
import { client, mayOperate } from '../state/access.ts';
import { changes } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime } from '../state/numbers.ts';
import { Entry } from '../ui/entry.tsx';
import { say } from '../words/say.ts';
import { actionWord, wordsOfCron } from './cron-words.ts';
import { ScheduleEntryForm } from './schedule-entry-form.tsx';

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
