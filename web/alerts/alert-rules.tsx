/** The rules of alerts: listed, made, changed and removed. */
import type { AlertTarget, schemas } from '../../client/index.ts';
import { client, mayAdminister } from '../state/access.ts';
import { changes, meters, titleOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { Entry } from '../ui/entry.tsx';
import { Paged } from '../ui/paged.tsx';
import { say } from '../words/say.ts';
import { RuleForm } from './rule-form.tsx';
import { RuleSilence } from './rule-warnings.tsx';
import { wordsFor } from './rule-words.ts';

interface Props {
  /** Undefined until they are known: then a form can be drawn. */
  readonly kinds: readonly schemas.AlertRuleKind[] | undefined;
  readonly targets: readonly AlertTarget[];
}

/** The list of rules; for admins with its forms. */
export function AlertRules({ kinds, targets }: Props) {
  const { found: rules, again } = useFound(
    () => client.value.alertRules(),
    [changes.value.alert, changes.value.config],
  );
  if (!rules) return null;
  return (
    <section class="card" aria-labelledby="rules">
      <h2 id="rules">{say('Rules')}</h2>
      {rules.length === 0 && <p class="soft">{say('There are no rules yet.')}</p>}
      <Paged items={rules} label={say('rules ## what is searched')} wordsOf={({ name }) => name}>
        {(some) => (
          <ul class="configs">
            {some.map((rule) => (
              <li key={rule.id}>
                <Entry
                  name={rule.name}
                  mayChange={mayAdminister.value && kinds !== undefined}
                  form={(use) => <RuleForm kinds={kinds ?? []} targets={targets} present={rule} use={use} />}
                  remove={async () => (await client.value.removeAlertRule(rule.id)).message}
                  onChange={again}
                >
                  <bdi>{rule.name}</bdi>
                  <div class="soft small">{wordsFor(rule, targets, titleOf)}</div>
                  <RuleSilence rule={rule} />
                </Entry>
              </li>
            ))}
          </ul>
        )}
      </Paged>
      {mayAdminister.value && kinds && (meters.value?.size ?? 0) > 0 && (
        <RuleForm kinds={kinds} targets={targets} use={{ saved: again, isOpen: rules.length === 0 }} />
      )}
    </section>
  );
}
