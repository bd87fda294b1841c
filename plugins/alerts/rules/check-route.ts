/** Checks a rule before it is created: its problems, its words, and units that record too little. A form asks while a person writes. */
import { invalid, named, type Schema } from '../../../lib/index.ts';
import { belowRule, type PreviewParts } from './preview-route.ts';
import { WARNING } from './recording.ts';
import type { RuleInput } from './rule-check.ts';

const CHECKED: Schema = named('AlertRuleCheck', {
  words: { type: 'string', description: 'The watched condition in words: a name for the rule.' },
  warnings: {
    type: 'array',
    items: WARNING,
    description:
      'Units that record too little for it now. They record more once it is made, unless its `record` is false.',
  },
});

/** Adds POST /_alerts/rules/check. Errors: INVALID, with the paths of the wrong fields. */
export function addRuleCheck({ host, kinds, access, schemas }: PreviewParts): void {
  host.route<{ readonly rule: RuleInput }, unknown>({
    method: 'POST',
    path: '/_alerts/rules/check',
    access: 'viewer',
    filtersUnits: true,
    summary: 'Check a rule before it is made, and say what it needs',
    description: 'For forms: nothing is kept. The name may be left out.',
    body: {
      type: 'object',
      properties: { rule: { ...schemas.change, title: 'AlertRuleDraft', required: ['kind'] } },
      required: ['rule'],
    },
    answer: { data: CHECKED },
    errors: [],
    handle({ body, identity }) {
      const errors = access.problemsOf(body.rule, identity).map(belowRule);
      if (errors.length > 0) throw invalid(errors);
      const rule = access.ruleOf(body.rule);
      const words = kinds.find(({ name }) => name === rule.kind)?.words(rule) ?? '';
      return { data: { words, warnings: access.warnings(rule, identity) } };
    },
  });
}
