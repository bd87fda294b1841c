/** Control of a measurement, and the state of a meter. */
import { type Control, quantities, type Unit } from '../../client/index.ts';
import type { Command, CommandCall } from '../contract.ts';
import { columns, duration, level, measuring, moment, NONE, printed, text } from '../output.ts';

const UNIT = { name: 'UNIT', completion: 'unit' } as const;

const CONTROLS: Readonly<Record<Control, string>> = {
  start: 'Start a measurement',
  stop: 'Stop the measurement',
  pause: 'Pause the measurement',
  resume: 'Resume a paused measurement',
  reset: 'Clear the data of the measurement',
  store: 'Store the measured data on the card',
};

const control = (name: Control): Command => ({
  name,
  summary: CONTROLS[name],
  words: [UNIT],
  options: [],
  examples: [`slm ${name} roof`],
  async run(call) {
    const answer = await call.client().control(call.words.UNIT ?? '', name);
    return printed(call, answer, () =>
      [answer.message, ...(answer.warning ? [`Warning: ${answer.warning}`] : [])].join('\n'),
    );
  },
});

/** `status`, and a command for each control of a measurement. */
export const MEASURING: readonly Command[] = [
  {
    name: 'status',
    summary: 'Show the last values of a meter, or of all of them, without asking it',
    words: [{ ...UNIT, optional: true }],
    options: [{ name: 'now', help: 'ask the meter now; takes a second or two' }],
    examples: ['slm status roof', 'slm status roof --now', 'slm status --json'],
    run: status,
  },
  ...(Object.keys(CONTROLS) as Control[]).map(control),
];

async function status(call: CommandCall): Promise<undefined> {
  const { UNIT: unit } = call.words;
  if (unit !== undefined && call.options.now === true) await call.client().live(unit);
  const units = await call.client().units(unit === undefined ? {} : { units: unit });
  if (unit !== undefined && units.length === 0) await call.client().config(unit);
  return printed(call, unit === undefined ? units : units[0], () => units.map(unitText).join('\n\n'));
}

function unitText(unit: Unit): string {
  const levels = quantities.quantitiesIn('cli').map((name) => `${name} ${level(unit[name])}`);
  const weighting = [unit.frequency_weighting, unit.time_weighting].filter((word) => word !== null).join(', ');
  return columns([
    ['unit', unit.unit_id],
    ['name', text(unit.name)],
    ['place', text(unit.place)],
    ['state', `${unit.state}: ${text(unit.reason)}`],
    [
      'measurement',
      unit.measurement_state === 'Measure'
        ? `measuring since ${moment(unit.measurement_start_time)} UTC`
        : measuring(unit.measurement_state),
    ],
    ['levels', `${levels.join('  ')} dB${weighting ? ` (${weighting})` : ''}`],
    ['percentiles', percentilesText(unit)],
    ['read', readText(unit)],
    [
      'battery',
      unit.battery_level === null ? text(unit.battery_state) : `${unit.battery_level} %, ${text(unit.power_source)}`,
    ],
    ['card', unit.sd_remaining_mb === null ? '-' : `${unit.sd_remaining_mb} MB free`],
    ['last error', unit.last_error && !unit.last_error.resolved_at ? text(unit.last_error.detail) : '-'],
    ['seen', unit.age_s === null ? 'never' : `${duration(unit.age_s)} ago`],
  ]);
}

/** By the percentage of each, once it is known: `L5 52.1  L10 50.9`; before, by its place on the display. */
function percentilesText(unit: Unit): string {
  const known = Object.entries(unit.ln ?? {});
  const byPlace = quantities.SLOTS.map((name) => [name, unit[name]] as const);
  const named = known.length > 0 ? known.map(([percent, value]) => [`L${percent}`, value] as const) : byPlace;
  return named.some(([, value]) => value !== null)
    ? `${named.map(([name, value]) => `${name} ${level(value)}`).join('  ')} dB`
    : NONE;
}

/** The stream keeps Lp fresh, and the display is read rarely meanwhile. */
function readText({ measured_at, lp_at, stale, frozen }: Unit): string {
  const newer = lp_at !== null && (measured_at === null || lp_at > measured_at) ? [`lp ${moment(lp_at)} UTC`] : [];
  const read = measured_at === null ? 'never' : `${moment(measured_at)} UTC`;
  return [read, ...newer, ...(stale ? ['old'] : []), ...(frozen ? ['frozen'] : [])].join(', ');
}
