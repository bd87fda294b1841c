/** What a schema cannot check in a rule: which of its fields belong together. Every message says what to change. */
import type { InputError } from '../../../lib/index.ts';
import { CONDITIONS, PERIODS, type ScheduleEntry } from './rule.ts';

/** The body of a request: each word has passed its own check, with defaults filled in. */
export type Asked = Readonly<Record<string, unknown>>;

const LEVEL_WORDS = ['quantity', 'window', 'align', 'limit_db', 'clear_db', 'min_coverage'];
const DEVICE_WORDS = ['condition', 'threshold', 'weighting', 'for'];
const NEEDED = { level: ['quantity', 'window', 'limit_db'], device: ['condition'] } as const;
/** The unit of the threshold of each condition that needs one. */
const THRESHOLDS: Readonly<Record<string, string>> = {
  battery_below: 'per cent of the battery',
  card_below: 'per cent of the card that is free',
  clock_off: 'seconds',
};

export function problemsOf(
  asked: Asked,
  knows: { unit(id: string): boolean; target(id: string): boolean },
): InputError[] {
  return [...ofWhom(asked, knows), ...ofKind(asked), ...ofSchedule(asked), ...ofTargets(asked, knows)];
}

const at = (path: string, message: string): InputError[] => [{ path, message }];

function ofWhom({ units, tag }: Asked, knows: { unit(id: string): boolean }): InputError[] {
  if (units === undefined && tag === undefined) return at('/units', 'is needed, or a tag that the units have');
  if (units !== undefined && tag !== undefined)
    return at('/tag', 'cannot be used together with units: leave one of the two out');
  const list = (units as readonly string[] | undefined) ?? [];
  return list.flatMap((id, index) =>
    knows.unit(id) ? [] : at(`/units/${index}`, 'has no device config: create it first, or correct the name'),
  );
}

function ofKind(asked: Asked): InputError[] {
  const kind = asked.kind as keyof typeof NEEDED;
  const foreign = (kind === 'level' ? DEVICE_WORDS : LEVEL_WORDS).filter((name) => asked[name] !== undefined);
  const missing = NEEDED[kind].filter((name) => asked[name] === undefined);
  return [
    ...foreign.flatMap((name) => at(`/${name}`, `is not for rules of the kind ${kind}: leave it out`)),
    ...missing.flatMap((name) => at(`/${name}`, `is needed for rules of the kind ${kind}`)),
    ...(kind === 'level' ? ofLevel(asked) : ofDevice(asked)),
  ];
}

function ofLevel({ window, align, limit_db: limit, clear_db: clear }: Asked): InputError[] {
  const isPeriod = PERIODS.some((name) => name === window);
  return [
    ...(isPeriod && align === 'sliding'
      ? at('/align', 'must be clock for a period of the day; use 8h or 12h for a sliding window')
      : []),
    ...(typeof clear === 'number' && typeof limit === 'number' && clear > limit
      ? at('/clear_db', 'must not be above limit_db: an event would end while the limit is broken')
      : []),
  ];
}

function ofDevice({ condition, threshold, weighting }: Asked): InputError[] {
  if (!CONDITIONS.some((name) => name === condition)) return [];
  const name = String(condition);
  const unit = THRESHOLDS[name];
  if (unit && threshold === undefined) return at('/threshold', `is needed for ${name}, in ${unit}`);
  if (unit?.startsWith('per cent') && Number(threshold) > 100) return at('/threshold', `is in ${unit}: at most 100`);
  if (!unit && name !== 'stale' && threshold !== undefined) return at('/threshold', `is not for ${name}: leave it out`);
  if (name === 'weighting_changed' && weighting === undefined)
    return at('/weighting', 'is needed for weighting_changed: what the meter should have, such as AF');
  if (name !== 'weighting_changed' && weighting !== undefined)
    return at('/weighting', `is not for ${name}: leave it out`);
  return [];
}

const ofSchedule = ({ schedule }: Asked): InputError[] =>
  ((schedule as readonly ScheduleEntry[] | undefined) ?? []).flatMap(({ from, to }, index) =>
    from === to ? at(`/schedule/${index}/to`, 'must differ from `from`; a whole day is 00:00 to 24:00') : [],
  );

function ofTargets(asked: Asked, knows: { target(id: string): boolean }): InputError[] {
  const unknown = ['targets', 'escalate_to'].flatMap((name) =>
    ((asked[name] as readonly string[] | undefined) ?? []).flatMap((id, index) =>
      knows.target(id)
        ? []
        : at(`/${name}/${index}`, `is ${id}, and there is no target ${id}: create it first at /_alerts/targets`),
    ),
  );
  const isHalf = (asked.ack_within === undefined) !== (asked.escalate_to === undefined);
  const missing = asked.ack_within === undefined ? '/ack_within' : '/escalate_to';
  return isHalf ? [...unknown, ...at(missing, 'is needed, too: ack_within and escalate_to belong together')] : unknown;
}
