/** Start, stop and the other controls, each with what it will do. The outcome is what the meter answered. */
import type { Control, Unit } from '../../client/index.ts';
import { can } from '../state/abilities.ts';
import { client, mayOperate } from '../state/access.ts';
import { clockTime } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { say } from '../words/say.ts';

/** After these the display shows another measurement, or its end. */
const READ_AFTER: readonly Control[] = ['start', 'stop', 'reset'];

const controlsOf = (): readonly (readonly [control: Control, word: string, does: string])[] => [
  ['start', say('Start'), say('Clears the values on the display and begins a measurement.')],
  ['stop', say('Stop'), say('Ends the measurement. The values stay on the display.')],
  ['pause', say('Pause'), say('Leaves out the sound until you resume.')],
  ['resume', say('Resume'), say('Goes on after a pause.')],
  ['reset', say('Reset'), say('Clears the values of the measurement.')],
  ['store', say('Store'), say('Writes the values on the display to the card.')],
];

/** The buttons that the meter's family and the caller's role allow. */
export function MeasurementControl({ unit }: { readonly unit: Unit }) {
  const { outcome, run, waits } = useAction();
  const controls = controlsOf().filter(([control]) => can(unit.unit_id, control));
  if (!mayOperate.value || controls.length === 0) return null;
  const isMeasuring = unit.measurement_state === 'Measure';
  const send = (control: Control) =>
    run(async () => {
      const { message, warning } = await client.value.control(unit.unit_id, control);
      // Its values come as a reading, as those of others do.
      if (READ_AFTER.includes(control)) void client.value.live(unit.unit_id).catch(() => {});
      return [
        message,
        warning,
        say('The meter confirmed it at {time}.', { time: clockTime(Date.now(), unit.timezone) }),
      ]
        .filter(Boolean)
        .join(' ');
    });
  return (
    <section class="card" aria-labelledby="control">
      <h2 id="control">{say('Measurement')}</h2>
      <ul class="controls">
        {controls.map(([control, word, does]) => (
          <li key={control}>
            <button
              type="button"
              class={control === (isMeasuring ? 'stop' : 'start') ? 'main' : ''}
              disabled={waits}
              aria-describedby={`does-${control}`}
              onClick={() => void send(control)}
            >
              {word}
            </button>
            <span id={`does-${control}`} class="soft small">
              {does}
            </span>
          </li>
        ))}
      </ul>
      <Said outcome={outcome} />
    </section>
  );
}
