/** Start, stop and the other controls, each with what it will do. The outcome is what the meter answered. */
import type { Control, Unit } from '../../client/index.ts';
import { can } from '../app/abilities.ts';
import { client, mayOperate } from '../app/access.ts';
import { clockTime } from '../app/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';

const CONTROLS: readonly (readonly [control: Control, word: string, does: string])[] = [
  ['start', 'Start', 'Clears the values on the display and begins a measurement.'],
  ['stop', 'Stop', 'Ends the measurement. The values stay on the display.'],
  ['pause', 'Pause', 'Leaves out the sound until you resume.'],
  ['resume', 'Resume', 'Goes on after a pause.'],
  ['reset', 'Reset', 'Clears the values of the measurement.'],
  ['store', 'Store', 'Writes the values on the display to the card.'],
];

/** The buttons that the meter's family and the caller's role allow. */
export function MeasurementControl({ unit }: { readonly unit: Unit }) {
  const { outcome, run, waits } = useAction();
  const controls = CONTROLS.filter(([control]) => can(unit.unit_id, control));
  if (!mayOperate.value || controls.length === 0) return null;
  const isMeasuring = unit.measurement_state === 'Measure';
  const send = (control: Control) =>
    run(async () => {
      const { message, warning } = await client.value.control(unit.unit_id, control);
      return [message, warning, `The meter confirmed it at ${clockTime(Date.now(), unit.timezone)}.`]
        .filter(Boolean)
        .join(' ');
    });
  return (
    <section class="card" aria-labelledby="control">
      <h2 id="control">Measurement</h2>
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
