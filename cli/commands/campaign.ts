/** Measuring campaigns: cycles of start and stop, and profiles of settings for many meters. */
import { readFileSync } from 'node:fs';
import type { Drift, schemas } from '../../client/index.ts';
import { UNIT, unitPath } from '../command-line.ts';
import { type Command, type CommandCall, type Option, WrongWords } from '../contract.ts';
import { EXIT } from '../exit-codes.ts';
import { harmless, moment, printed, printedMessage, printedRows, table, text } from '../output.ts';
import { follow } from './jobs.ts';

const NAME = { name: 'NAME' } as const;
const NO_WAIT: Option = { name: 'no-wait', help: 'do not wait for the end; slm jobs shows the progress' };

interface Started {
  readonly message?: string;
  readonly job: string;
}

const cycle = (
  name: 'start' | 'stop',
  summary: string,
  options: readonly Option[],
  examples: readonly string[],
): Command => ({
  name: `cycle ${name}`,
  summary,
  words: [UNIT],
  options: [...options, NO_WAIT],
  examples,
  async run(call) {
    const { profile } = call.options;
    const started = await call.client().call<Started>(`${unitPath(call)}/cycle/${name}`, {
      method: 'POST',
      ...(typeof profile === 'string' && { body: { profile } }),
    });
    return wait(call, started);
  },
});

export const CAMPAIGN: readonly Command[] = [
  cycle(
    'start',
    'Begin a measuring cycle: clock, profile, next free store name, start',
    [{ name: 'profile', value: 'NAME', help: 'profile of settings to apply first' }],
    ['slm cycle start roof', 'slm cycle start roof --profile night --no-wait'],
  ),
  cycle('stop', 'End a measuring cycle: stop, and copy the new folder', [], ['slm cycle stop roof']),
  {
    name: 'profile list',
    summary: 'List the profiles of settings',
    examples: ['slm profile list'],
    run(call) {
      const head = ['name', 'units', 'settings', 'description'];
      return printedRows(call, call.client().profiles(), head, profileRow, 'No profiles.');
    },
  },
  {
    name: 'profile show',
    summary: 'Show a profile as JSON, as profile put takes it',
    words: [NAME],
    examples: ['slm profile show night > night.json'],
    async run(call) {
      const { data } = await call.client().call<{ data: schemas.Profile }>(pathOf(call));
      const { description, settings } = data;
      return printed({ ...call, json: true }, call.json ? data : { description, settings }, () => '');
    },
  },
  {
    name: 'profile put',
    summary: 'Create or replace a profile from a JSON file',
    words: [NAME, { name: 'FILE', completion: 'file' }],
    examples: ['slm profile put night night.json'],
    run: async (call) =>
      printedMessage(call, call.client().call(pathOf(call), { method: 'PUT', body: jsonIn(call.words.FILE ?? '') })),
  },
  {
    name: 'profile remove',
    summary: 'Remove a profile',
    words: [NAME],
    examples: ['slm profile remove night'],
    run: (call) => printedMessage(call, call.client().removeProfile(call.words.NAME ?? '')),
  },
  {
    name: 'profile apply',
    summary: 'Apply a profile to some meters',
    words: [NAME, { ...UNIT, many: true }],
    options: [NO_WAIT],
    examples: ['slm profile apply night roof yard'],
    run: apply,
  },
  {
    name: 'profile drift',
    summary: 'Show which meters differ from a profile, and in which settings',
    words: [NAME],
    examples: ['slm profile drift night'],
    async run(call) {
      const data = await call.client().drift(call.words.NAME ?? '');
      const head = ['unit', 'state', 'setting', 'wanted', 'found', 'read'];
      return printed(call, data, () => table(head, data.flatMap(driftRows), 'No meter was given this profile.'));
    },
  },
];

const pathOf = ({ words }: CommandCall): string => `/_profiles/${encodeURIComponent(words.NAME ?? '')}`;

async function apply(call: CommandCall): Promise<number> {
  const answer = await call
    .client()
    .call<schemas.ApplyProfileAnswer>(`${pathOf(call)}/apply`, { method: 'POST', body: { units: call.rest } });
  call.terminal.note(answer.message);
  for (const { unit_id, detail } of answer.not_started) call.terminal.note(`${unit_id}: ${harmless(detail)}`);
  let code: number = answer.not_started.length === 0 ? EXIT.done : EXIT.failed;
  for (const { job } of answer.jobs) if ((await wait(call, { job })) !== EXIT.done) code = EXIT.failed;
  return code;
}

async function wait(call: CommandCall, started: Started): Promise<number> {
  if (call.options['no-wait'] !== true) return follow(call, started.job);
  printed(call, started, () => started.message ?? `It is job ${started.job}.`);
  return EXIT.done;
}

function jsonIn(file: string): object {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as object;
  } catch (error) {
    throw new WrongWords(`${file} cannot be read as JSON: ${error instanceof Error ? error.message : error}`);
  }
}

const profileRow = ({ name, units, settings, description }: schemas.Profile): string[] => [
  name,
  String(units.length),
  Object.entries(settings)
    .map(([setting, value]) => `${setting}=${value}`)
    .join(' '),
  text(description),
];

/** A row for each difference; one for a meter without any. */
function driftRows({ unit_id, state, differences }: Drift): string[][] {
  if (differences.length === 0) return [[unit_id, state]];
  return differences.map(({ setting, wanted, found, read_at }) => [
    unit_id,
    state,
    setting,
    wanted,
    text(found),
    moment(read_at),
  ]);
}
