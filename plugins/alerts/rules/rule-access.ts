/** Decides which rules a caller sees and may write. A key that is limited to some units sees and writes only rules about these. */
import { formProblems, GATEWAY_ID, type InputError, invalid, withDefaults } from '../../../lib/built-in.ts';
import {
  type DeviceConfig,
  GatewayError,
  type Host,
  type Identity,
  type Request,
  reaches,
} from '../../../lib/index.ts';
import { shownRule } from '../shown.ts';
import type { RuleStore, TargetStore } from '../stores.ts';
import { isOfGateway, RULE_KINDS, ruleKindOf } from './kinds.ts';
import { recordFor, warningsOf } from './recording.ts';
import { concerns, type Rule, type RuleBody } from './rule.ts';
import type { RuleState } from './rule-schemas.ts';
import type { Watches } from './watches.ts';

/** The body of a request after its schema: each field is of its type, and the common ones have their defaults. */
export interface RuleInput extends RuleBody {
  readonly [name: string]: unknown;
}

const at = (path: string, message: string): InputError[] => [{ path, message }];

const ofNobody = (given: RuleInput, kind: string): InputError[] =>
  (['units', 'tag'] as const).flatMap((name) =>
    given[name] === undefined
      ? []
      : at(`/${name}`, `is not for rules of the kind ${kind}, which are about the gateway as a whole: leave it out`),
  );

function ofWhom({ units, tag }: RuleInput, isKnown: (unitId: string) => boolean): InputError[] {
  if (units === undefined && tag === undefined) return at('/units', 'is needed, or a tag that the units have');
  if (units !== undefined && tag !== undefined)
    return at('/tag', 'cannot be used together with units: leave one of the two out');
  return (units ?? []).flatMap((id, index) =>
    isKnown(id) ? [] : at(`/units/${index}`, 'has no device config: create it first, or correct the name'),
  );
}

const ofSchedule = ({ schedule = [] }: RuleInput): InputError[] =>
  schedule.flatMap(({ from, to }, index) =>
    from === to ? at(`/schedule/${index}/to`, 'must differ from `from`; a whole day is 00:00 to 24:00') : [],
  );

function ofTargets(given: RuleInput, targets: Pick<TargetStore, 'find'>): InputError[] {
  const unknown = (['targets', 'escalate_to'] as const).flatMap((name) =>
    (given[name] ?? []).flatMap((id, index) =>
      targets.find(id)
        ? []
        : at(`/${name}/${index}`, `is ${id}, and there is no target ${id}: create it first at /_alerts/targets`),
    ),
  );
  const isHalf = (given.ack_within === undefined) !== (given.escalate_to === undefined);
  const missing = given.ack_within === undefined ? '/ack_within' : '/escalate_to';
  return isHalf ? [...unknown, ...at(missing, 'is needed, too: ack_within and escalate_to belong together')] : unknown;
}

interface RuleAccessParts {
  readonly host: Pick<Host, 'configs' | 'families' | 'instances' | 'ask' | 'log'>;
  readonly rules: Pick<RuleStore, 'list' | 'get'>;
  readonly targets: Pick<TargetStore, 'find'>;
  readonly watches: Pick<Watches, 'known'>;
}

export class RuleAccess {
  readonly #parts: RuleAccessParts;

  constructor(parts: RuleAccessParts) {
    this.#parts = parts;
  }

  /** Checks that a schema cannot make: which fields belong together. A unit that the caller may not see counts as unknown. */
  problemsOf(given: RuleInput, identity: Identity): InputError[] {
    const { host, targets } = this.#parts;
    const kind = ruleKindOf(given.kind);
    const isKnown = (id: string) => reaches(identity, id) && host.configs.get(id) !== undefined;
    return [
      ...(kind?.ofGateway ? ofNobody(given, kind.name) : ofWhom(given, isKnown)),
      ...(kind ? formProblems('rules', kind, RULE_KINDS, given) : []),
      ...(kind?.problems?.(given) ?? []),
      ...ofSchedule(given),
      ...ofTargets(given, targets),
    ];
  }

  /** A body that passed all checks, with the defaults of its kind. */
  ruleOf(given: RuleInput): RuleBody {
    const kind = ruleKindOf(given.kind);
    return withDefaults(kind?.fields ?? [], { ...kind?.derived?.(given), ...given });
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
    return { ...shownRule(rule, identity), state: this.#state(rule, warnings, identity), warnings };
  }

  /** Units of the rule that record too little for it, as far as the caller may see them. */
  warnings(rule: RuleBody, identity: Identity) {
    const { host, watches } = this.#parts;
    const { configs } = host;
    const alone = rule.enabled ? ruleKindOf(rule.kind)?.ofGateway?.lack(host.instances()) : undefined;
    const gone = rule.enabled ? (rule.units ?? []).filter((id) => reaches(identity, id) && !configs.get(id)) : [];
    const knownOf = (unitId: string) => watches.known(unitId);
    return [
      ...(alone === undefined ? [] : [{ unit_id: GATEWAY_ID, recordable: false, message: alone }]),
      ...gone.map((unit_id) => ({
        unit_id,
        recordable: false,
        message: `The meter ${unit_id} was removed: nothing is watched there.`,
      })),
      ...warningsOf(host, knownOf, rule, this.#unitsOf(rule, identity)),
    ];
  }

  /** The units of an enabled rule record what it needs from now on, unless the rule refuses. Answers with the changed units. */
  async record(rule: Rule, request: Request) {
    return rule.record === false
      ? []
      : recordFor(this.#parts.host, request, rule, this.#unitsOf(rule, request.identity));
  }

  #state(rule: RuleBody, warnings: readonly unknown[], identity: Identity): RuleState {
    if (!rule.enabled) return 'off';
    if (warnings.length > 0) return 'no_data';
    if (isOfGateway(rule)) return 'watched';
    return this.#unitsOf(rule, identity).some((unit) => concerns(rule, unit)) ? 'watched' : 'no_units';
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
