/** Which channel of the meter a page shows: a choice where more than the main one is recorded. The address keeps it. */
import { client } from '../app/access.ts';
import { go, type MeterPage, meterPath, search } from '../app/address.ts';
import { isOfMain, MAIN, shownChannel } from '../app/channel.ts';
import { changes } from '../app/fleet.ts';
import { useFound } from '../app/found.ts';
import { say } from '../words/say.ts';
import { Choice } from './field.tsx';

/** What a person reads for the name of a channel. */
export const channelWord = (name: string): string => (name === MAIN ? say('Main channel') : name);

/** Nothing where there is nothing to choose. `part`: the page that it stands on. */
export function ChannelChoice({ unitId, part }: { readonly unitId: string; readonly part: MeterPage }) {
  const { found } = useFound(() => client.value.config(unitId), [unitId, changes.value.config]);
  const recorded = found?.history_channels ?? [MAIN];
  // One that is not recorded any more may be in the address.
  if (recorded.length < 2 && isOfMain()) return null;
  const show = (channel: string) => {
    const query = new URLSearchParams(search.value);
    query.delete('channel');
    if (channel !== MAIN) query.set('channel', channel);
    go(`${meterPath(unitId, part)}?${query}`, { replace: true });
  };
  return (
    <div class="stack">
      <div class="fields">
        <Choice
          label={say('Channel of the meter')}
          value={shownChannel()}
          choices={recorded.map((name) => [name, channelWord(name)] as const)}
          change={show}
        />
      </div>
      {!isOfMain() && (
        <p class="soft small">{say('Rules of alerts, reports and comparisons are about the main channel.')}</p>
      )}
    </div>
  );
}
