/** Which channels of a meter are recorded beside the main one. */
import { client } from '../state/access.ts';
import { MAIN } from '../state/address.ts';
import { changes } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { Checks } from '../ui/field.tsx';
import { say } from '../words/say.ts';

interface Props {
  readonly unitId: string;
  /** As the config has them: the main one is always among them. */
  readonly value: readonly string[];
  change(value: readonly string[]): void;
}

/** Nothing where the meter has a single channel and no other is kept. */
export function ChannelsField({ unitId, value, change }: Props) {
  const { found } = useFound(() => client.value.capabilities(unitId), [unitId, changes.value.config]);
  // A channel of another family must be visible: with it the gateway refuses the config.
  const all = [...new Set([...(found?.history_channels ?? []), ...value])];
  const others = all.filter((name) => name !== MAIN);
  if (others.length === 0) return null;
  return (
    <Checks
      label={say(
        'Recorded beside the main channel (each has to be switched on: at the meter, through the API or by a profile)',
      )}
      chosen={value}
      choices={others.map((name) => [name, name] as const)}
      change={(chosen) => change([MAIN, ...chosen])}
    />
  );
}
