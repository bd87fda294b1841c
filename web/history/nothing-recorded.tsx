/** Why a span has no levels, where the gateway knows it. */
import { client } from '../state/access.ts';
import { isOfMain, shownChannel } from '../state/address.ts';
import { useFound } from '../state/found.ts';
import { say } from '../words/say.ts';

interface Props {
  readonly unitId: string;
  /** The end of the span: it moves with the time, and the reason with it. */
  readonly to: string;
}

/** A channel beside the main one may be switched off at the meter. */
export function NothingRecorded({ unitId, to }: Props) {
  const { found } = useFound(
    async () => (isOfMain() ? undefined : (await client.value.extent(unitId, shownChannel())).recording),
    [unitId, to],
  );
  const why = found?.channels.find(({ channel }) => channel === shownChannel())?.reason;
  return (
    <p>
      {say('Nothing was recorded in this time.')} {why}
    </p>
  );
}
