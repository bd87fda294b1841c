/** The clock of a meter: how wrong it is, and setting it. */
import type { Unit } from '../../client/index.ts';
import { can } from '../state/abilities.ts';
import { client, mayOperate } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import { decibels, span } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { say } from '../words/say.ts';

export function ClockPanel({ unit }: { readonly unit: Unit }) {
  const { unit_id } = unit;
  const { outcome, run, waits } = useAction();
  const ask = () =>
    client.value.session(unit_id).then(
      ({ clock }) => clock?.offset_s ?? null,
      () => null,
    );
  const { found: offset, put } = useFound(ask, [unit_id]);
  const read = () =>
    run(async () => {
      const { clock } = await client.value.setting(unit_id, 'clock');
      put(await ask());
      return say('The meter shows {time}.', { time: clock?.replace(',', ' ') ?? '' });
    });
  const set = () =>
    run(async () => {
      const { message, data } = await client.value.syncClock(unit_id);
      put(data.offset_after_s);
      return `${message} ${offsetText(data.offset_after_s)}`;
    });
  if (!can(unit_id, 'clock')) return null;
  return (
    <section class="card" aria-labelledby="clock">
      <h2 id="clock">{say('Clock of the meter')}</h2>
      <p>{offsetText(offset)}</p>
      <div class="row">
        <button type="button" disabled={waits} onClick={() => void read()}>
          {say('Read ## the clock')}
        </button>
        {mayOperate.value && can(unit_id, 'set_clock') && (
          <button type="button" disabled={waits} onClick={() => void set()}>
            {say('Set it to the time of its place')}
          </button>
        )}
      </div>
      <Said outcome={outcome} />
    </section>
  );
}

function offsetText(offset: number | null | undefined): string {
  if (offset === undefined) return '';
  if (offset === null) return say('Not measured yet.');
  if (Math.abs(offset) < 2) return say('Right to within 2 s.');
  const off = Math.abs(offset);
  const time = off < 120 ? `${decibels(off)} s` : span(off);
  return offset > 0 ? say('{time} ahead of the gateway.', { time }) : say('{time} behind the gateway.', { time });
}
