/** Decides which rules a caller sees and may write. A key that is limited to some units sees and writes only rules about these. */
import {
  type DeviceConfig,
  formProblems,
  GATEWAY_ID,
  GatewayError,
  type Host,
  type Identity,
  type InputError,
  invalid,
  type Request,
  reaches,
  withDefaults,
} from '../../../lib/index.ts';
import { shownRule } from '../shown.ts';
import type { RuleKind, UnitKnown } from './kind.ts';
import { recordFor, warningsOf } from './recording.ts';
import { concerns, isOfGateway, type Rule, type RuleBody } from './rule.ts';
import type { RuleState } from './rule-schemas.ts';
import type { RuleStore } from './rule-store.ts';

/** The body of a request after its schema: each field is of its type, and the common ones have their defaults. */
export interface RuleInput extends RuleBody {
  readonly [name: string]: unknown;
}

interface Known {
  unit(id: string): boolean;
  target(id: string): boolean;
}

/**
 * Checks that a schema cannot make: which fields of a rule belong together. Every message says what to change. Pure.
 * Empty: no problems. Paths as in a JSON Pointer.
 */
function ruleProblems(given: RuleInput, kinds: readonly RuleKind[], knows: Known): InputError[] {
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
function ruleOf(given: RuleInput, kinds: readonly RuleKind[]): RuleBody {
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

/** Where units and rules are looked up. */
interface RuleAccessParts {
  readonly host: Pick<Host, 'configs' | 'families' | 'instances' | 'ask' | 'log'>;
  readonly kinds: readonly RuleKind[];
  readonly rules: RuleStore;
  readonly knowsTarget: (id: string) => boolean;
  readonly known: (unitId: string) => UnitKnown;
}

/** Errors: FORBIDDEN, ALERT_NOT_FOUND. */
export class RuleAccess {
  readonly #parts: RuleAccessParts;

  constructor(parts: RuleAccessParts) {
    this.#parts = parts;
  }

  /** A unit that the caller may not see counts as unknown. */
  problemsOf(given: RuleInput, identity: Identity): InputError[] {
    const { host, kinds, knowsTarget } = this.#parts;
    const unit = (id: string) => reaches(identity, id) && host.configs.get(id) !== undefined;
    return ruleProblems(given, kinds, { unit, target: knowsTarget });
  }

  ruleOf(given: RuleInput): RuleBody {
    return ruleOf(given, this.#parts.kinds);
  }

  /** A rule that this caller may write. Errors: INVALID, FORBIDDEN. */
  checked(given: RuleInput, identity: Identity): RuleBody {
    const errors = this.problemsOf(given, identity);
    if (errors.length > 0) throw invalid(errors);
    const rule = this.ruleOf(given);
    if (!owns(rule, identity))
      throw new GatewayError(
        'FORBIDDEN',
        'This API key is limited to some units: name the units of the rule instead of a tag.',
      );
    return rule;
  }

  visible(identity: Identity): readonly Rule[] {
    return this.#parts.rules.list().filter((rule) => this.#isVisible(rule, identity));
  }

  /** Errors: ALERT_NOT_FOUND, also for a rule that the caller may not see. */
  found(id: string | undefined, identity: Identity): Rule {
    const rule = this.#parts.rules.get(id ?? '');
    if (!this.#isVisible(rule, identity)) throw new GatewayError('ALERT_NOT_FOUND', `There is no rule ${id}.`);
    return rule;
  }

  /** A rule that the caller may change. Errors: as `found`; FORBIDDEN. */
  own(id: string | undefined, identity: Identity): Rule {
    const rule = this.found(id, identity);
    if (!owns(rule, identity)) throw new GatewayError('FORBIDDEN', 'The rule is about other units, too.');
    return rule;
  }

  shown(rule: Rule, identity: Identity) {
    const warnings = this.warnings(rule, identity);
    return { ...shownRule(rule, this.#parts.kinds, identity), state: this.#state(rule, warnings, identity), warnings };
  }

  /** Units of the rule that record too little for it, as far as the caller may see them. */
  warnings(rule: RuleBody, identity: Identity) {
    const { configs } = this.#parts.host;
    const alone = this.#gatewayLack(rule);
    const gone = rule.enabled ? (rule.units ?? []).filter((id) => reaches(identity, id) && !configs.get(id)) : [];
    return [
      ...(alone === undefined ? [] : [{ unit_id: GATEWAY_ID, recordable: false, message: alone }]),
      ...gone.map((unit_id) => ({
        unit_id,
        recordable: false,
        message: `The meter ${unit_id} was removed: nothing is watched there.`,
      })),
      ...warningsOf(this.#parts, rule, this.#unitsOf(rule, identity)),
    ];
  }

  /** The units of an enabled rule record what it needs from now on, unless the rule refuses. Answers with the changed units. */
  async record(rule: Rule, request: Request) {
    return rule.record === false ? [] : recordFor(this.#parts, request, rule, this.#unitsOf(rule, request.identity));
  }

  #state(rule: RuleBody, warnings: readonly unknown[], identity: Identity): RuleState {
    if (!rule.enabled) return 'off';
    if (warnings.length > 0) return 'no_data';
    if (isOfGateway(rule, this.#parts.kinds)) return 'watched';
    return this.#unitsOf(rule, identity).some((unit) => concerns(rule, unit)) ? 'watched' : 'no_units';
  }

  #gatewayLack({ kind, enabled }: RuleBody): string | undefined {
    const { kinds, host } = this.#parts;
    return enabled ? kinds.find(({ name }) => name === kind)?.ofGateway?.lack(host.instances()) : undefined;
  }

  #unitsOf(rule: RuleBody, identity: Identity): readonly DeviceConfig[] {
    const { configs } = this.#parts.host;
    const units = rule.units?.flatMap((unitId) => configs.get(unitId) ?? []) ?? configs.list();
    return units.filter(({ unitId }) => reaches(identity, unitId));
  }

  #isVisible(rule: RuleBody, { units }: Identity): boolean {
    return (
      units?.some((unitId) => {
        const unit = this.#parts.host.configs.get(unitId);
        return unit !== undefined && concerns(rule, unit);
      }) ?? true
    );
  }
}

/** A rule by tag applies to later units, too: only callers who may see all units may write it. */
const owns = ({ units }: Pick<RuleBody, 'units'>, identity: Identity): boolean =>
  identity.units === null || (units?.every((unitId) => reaches(identity, unitId)) ?? false);
