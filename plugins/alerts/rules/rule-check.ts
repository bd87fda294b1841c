/** Checks that a schema cannot make: which fields of a rule belong together. Every message says what to change. Pure. */
import { formProblems, type InputError, withDefaults } from '../../../lib/index.ts';
import type { RuleKind } from './kind.ts';
import type { RuleBody } from './rule.ts';

/** The body of a request after its schema: each field is of its type, and the common ones have their defaults. */
export interface RuleInput extends RuleBody {
  readonly [name: string]: unknown;
}

interface Known {
  unit(id: string): boolean;
  target(id: string): boolean;
}

/** Empty: no problems. Paths as in a JSON Pointer. */
export function ruleProblems(given: RuleInput, kinds: readonly RuleKind[], knows: Known): InputError[] {
  const kind = kinds.find(({ name }) => name === given.kind);
  return [
    ...(kind?.ofGateway ? ofNobody(given, kind.name) : ofWhom(given, knows)),
    ...(kind ? formProblems('rules', kind, kinds, given) : []),
    ...(kind?.problems?.(given) ?? []),
    ...ofSchedule(given),
    ...ofTargets(given, knows),
  ];
}

/** A body that passed all checks, with the defaults of its kind. */
export function ruleOf(given: RuleInput, kinds: readonly RuleKind[]): RuleBody {
  const kind = kinds.find(({ name }) => name === given.kind);
  return withDefaults(kind?.fields ?? [], { ...kind?.derived?.(given), ...given });
}

const at = (path: string, message: string): InputError[] => [{ path, message }];

const ofNobody = (given: RuleInput, kind: string): InputError[] =>
  (['units', 'tag'] as const).flatMap((name) =>
    given[name] === undefined
      ? []
      : at(`/${name}`, `is not for rules of the kind ${kind}, which are about the gateway as a whole: leave it out`),
  );

function ofWhom({ units, tag }: RuleInput, knows: Known): InputError[] {
  if (units === undefined && tag === undefined) return at('/units', 'is needed, or a tag that the units have');
  if (units !== undefined && tag !== undefined)
    return at('/tag', 'cannot be used together with units: leave one of the two out');
  return (units ?? []).flatMap((id, index) =>
    knows.unit(id) ? [] : at(`/units/${index}`, 'has no device config: create it first, or correct the name'),
  );
}

const ofSchedule = ({ schedule = [] }: RuleInput): InputError[] =>
  schedule.flatMap(({ from, to }, index) =>
    from === to ? at(`/schedule/${index}/to`, 'must differ from `from`; a whole day is 00:00 to 24:00') : [],
  );

function ofTargets(given: RuleInput, knows: Known): InputError[] {
  const unknown = (['targets', 'escalate_to'] as const).flatMap((name) =>
    (given[name] ?? []).flatMap((id, index) =>
      knows.target(id)
        ? []
        : at(`/${name}/${index}`, `is ${id}, and there is no target ${id}: create it first at /_alerts/targets`),
    ),
  );
  const isHalf = (given.ack_within === undefined) !== (given.escalate_to === undefined);
  const missing = given.ack_within === undefined ? '/ack_within' : '/escalate_to';
  return isHalf ? [...unknown, ...at(missing, 'is needed, too: ack_within and escalate_to belong together')] : unknown;
}
