/** Which channel of the meter a page shows, or a form is about: a choice where more than the main one is recorded. The address of a page keeps it. */
import { client } from '../state/access.ts';
import { go, isOfMain, MAIN, type MeterPart, meterPath, search, shownChannel } from '../state/address.ts';
import { changes } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { say } from '../words/say.ts';
import { Choice } from './field.tsx';

/** The name of a channel for people. */
export const channelWord = (name: string): string => (name === MAIN ? say('Main channel') : name);

/** Empty without a choice. `part`: the page with this element. */
export function ChannelChoice({ unitId, part }: { readonly unitId: string; readonly part: MeterPart['name'] }) {
  const { found } = useFound(() => client.value.config(unitId), [unitId, changes.value.config]);
  const recorded = found?.history_channels ?? [MAIN];
  // The address may name a channel that is no longer recorded.
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
        <p class="soft small">
          {say('Comparisons are about the main channel, and so are rules and kept reports that name no other channel.')}
        </p>
      )}
    </div>
  );
}

interface FieldProps {
  /** The meters that the form is about. */
  readonly units: readonly string[];
  readonly value: string;
  change(channel: string): void;
}

/** For a form about several meters: the channels that any of them records. Nothing where that is only the main one. */
export function ChannelField({ units, value, change }: FieldProps) {
  // A meter that is gone, or may not be seen, records nothing.
  const ask = () => Promise.all(units.map((unitId) => client.value.config(unitId).catch(() => undefined)));
  const { found = [] } = useFound(ask, [units.join(' '), changes.value.config]);
  const recorded = [...new Set([MAIN, ...found.flatMap((config) => config?.history_channels ?? [])])];
  if (recorded.length < 2 && value === MAIN) return null;
  const choices = recorded.map((name) => [name, channelWord(name)] as const);
  return <Choice label={say('Channel of the meter')} value={value} choices={choices} change={change} />;
}
