/** The kinds of rules and targets with their fields, for forms and for the docs. */
import { FORM_FIELD, type FormField, shownField } from '../../lib/built-in.ts';
import { type Host, named } from '../../lib/index.ts';
import { TARGET_KINDS } from './delivery/target-kinds.ts';
import type { RuleKind } from './rules/kind.ts';
import { RULE_KINDS } from './rules/kinds.ts';

const KIND = {
  kind: { type: 'string' },
  title: { type: 'string', description: 'For people: what a rule watches, or how a target sends.' },
  fields: { type: 'array', items: FORM_FIELD, description: 'Fields beside those of every rule or target.' },
} as const;
const RULE_KIND = named('AlertRuleKind', {
  ...KIND,
  preview: { type: 'boolean', description: 'Whether POST /_alerts/rules/preview can try it.' },
  of_gateway: {
    type: 'boolean',
    description:
      'About the gateway as a whole: such a rule takes neither units nor a tag, and its events have the unit_id _gateway.',
  },
});
const TARGET_KIND = named('AlertTargetKind', KIND);

export function addKindsRoute(host: Host): void {
  host.route({
    method: 'GET',
    path: '/_alerts/kinds',
    access: 'viewer',
    filtersUnits: true,
    summary: 'Describe the kinds of rules and of targets, with their fields',
    description: 'For programs that show forms. A plugin may bring further kinds.',
    answer: {
      data: named('AlertKinds', {
        rules: { type: 'array', items: RULE_KIND },
        targets: { type: 'array', items: TARGET_KIND },
      }),
    },
    etag: true,
    errors: [],
    handle: () => ({
      data: { rules: RULE_KINDS.map(shownRuleKind), targets: TARGET_KINDS.map(shownKind) },
    }),
  });
}

const shownRuleKind = (kind: RuleKind) => ({
  ...shownKind(kind),
  preview: kind.replay !== undefined,
  of_gateway: kind.ofGateway !== undefined,
});

const shownKind = ({ name, title, fields }: { name: string; title: string; fields: readonly FormField[] }) => ({
  kind: name,
  title,
  fields: fields.map(shownField),
});
