/** Control of a measurement, the state of a meter, and what is wrong with it. */
import { type Control, type Examination, quantities, type Unit } from '../../client/index.ts';
import { UNIT, unitPath } from '../command-line.ts';
import type { Command, CommandCall } from '../contract.ts';
import { EXIT } from '../exit-codes.ts';
import { columns, duration, harmless, level, measuring, moment, NONE, printed, text } from '../output.ts';

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
  examples: [`slm ${name} roof`],
  async run(call) {
    const answer = await call.client().control(call.words.UNIT ?? '', name);
    return printed(call, answer, () =>
      [answer.message, ...(answer.warning ? [`Warning: ${answer.warning}`] : [])].join('\n'),
    );
  },
});

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
  {
    name: 'doctor',
    summary: 'Check what is wrong with a meter, and say what to do',
    words: [UNIT],
    examples: ['slm doctor roof', 'slm doctor roof --json'],
    notes: [
      'It asks the meter about ten questions, which takes about ten seconds, and changes nothing. Exit code 8: something is wrong.',
    ],
    run: doctor,
  },
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

type Finding = Examination['checks'][number];

const WORDS: Readonly<Record<Finding['outcome'], string>> = {
  ok: '  ok  ',
  warning: ' look ',
  failed: 'WRONG ',
  skipped: '  -   ',
};

async function doctor(call: CommandCall): Promise<number> {
  const path = `${unitPath(call)}/doctor`;
  const { data } = await call.client().call<{ data: Examination }>(path, { signal: call.signal });
  printed(call, data, () => [...data.checks.map(lines), '', verdict(data.checks)].join('\n'));
  return data.healthy ? EXIT.done : EXIT.problemFound;
}

function lines({ check, outcome, detail, advice, command }: Finding): string {
  const more = (label: string, text: string | null) =>
    text === null ? [] : [`${' '.repeat(9)}${label}: ${harmless(text)}`];
  return [
    `[${WORDS[outcome]}] ${check.padEnd(15)} ${harmless(detail)}`,
    ...more('What to do', advice),
    ...more('Command', command),
  ].join('\n');
}

function verdict(checks: readonly Finding[]): string {
  const wrong = checks.filter(({ outcome }) => outcome === 'failed').length;
  const odd = checks.filter(({ outcome }) => outcome === 'warning').length;
  if (wrong > 0) return `${wrong === 1 ? 'One thing is' : `${wrong} things are`} wrong.`;
  return odd > 0 ? `It works; ${odd === 1 ? 'one thing' : `${odd} things`} to check.` : 'All is well.';
}
