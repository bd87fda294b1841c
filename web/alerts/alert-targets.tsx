/** Recipients: mail addresses, webhooks and topics of a broker, each with a test. */
import type { AlertTarget, schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Entry } from '../ui/entry.tsx';
import { listOf, say } from '../words/say.ts';
import { TargetForm } from './target-form.tsx';

interface Props {
  readonly kinds: readonly schemas.AlertTargetKind[];
  readonly targets: readonly AlertTarget[];
  onChange(): void;
}

/** The list of targets, each with a test, and the form for a new one. */
export function AlertTargets({ kinds, targets, onChange }: Props) {
  return (
    <section class="card" aria-labelledby="targets">
      <h2 id="targets">{say('Recipients')}</h2>
      {targets.length === 0 && <p class="soft">{say('Nobody yet: alerts are shown only here.')}</p>}
      <ul class="configs">
        {targets.map((target) => (
          <li key={target.id}>
            <Target kinds={kinds} target={target} onChange={onChange} />
          </li>
        ))}
      </ul>
      <TargetForm kinds={kinds} use={{ saved: onChange, isOpen: targets.length === 0 }} />
    </section>
  );
}

interface TargetProps extends Omit<Props, 'targets'> {
  readonly target: AlertTarget;
}

function Target({ kinds, target, onChange }: TargetProps) {
  const { id, name, kind } = target;
  const { outcome, run, waits } = useAction();
  const test = () =>
    run(async () => {
      const { delivered, message } = await client.value.testAlertTarget(id);
      if (!delivered) throw new Error(message);
      return message;
    });
  return (
    <>
      <Entry
        name={name}
        mayChange
        form={(use) => <TargetForm kinds={kinds} present={target} use={use} />}
        remove={async () => (await client.value.removeAlertTarget(id)).message}
        onChange={onChange}
        more={
          <button type="button" disabled={waits} onClick={() => void test()}>
            {say('Send a test')} <span class="hidden-label">{say('to {name} ## send a test', { name })}</span>
          </button>
        }
      >
        <bdi>{name}</bdi>
        <div class="soft small">{say('{kind}: {address}', { kind, address: listOf(addressesOf(target)) })}</div>
      </Entry>
      <Said outcome={outcome} waiting={say('A test is being sent ...')} />
    </>
  );
}

/** Where a target is, and whether it is switched off. */
function addressesOf({ to, url, topic, enabled }: AlertTarget): readonly string[] {
  const about = topic && url ? say('topic {name}', { name: topic }) : topic;
  return [...(to ?? [url, about]), enabled ? undefined : say('switched off')].flatMap((part) => part || []);
}
