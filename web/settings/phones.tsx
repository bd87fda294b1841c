/** Alerts as notifications. A browser has a subscription at its push service, and an entry in the gateway. */
import type { schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import { hasWorker, register } from '../state/kept.ts';
import { dayAndTime } from '../state/numbers.ts';
import { ActionButton } from '../ui/action.tsx';
import { Card, Name } from '../ui/card.tsx';
import { SchemaForm, useValues } from '../ui/schema-form.tsx';
import { language } from '../words/language.ts';
import { say } from '../words/say.ts';

/** One's own phones; for admins of all meters those of everybody. */
export function Phones() {
  const { found: phones = [], again } = useFound(() => client.value.phones(), []);
  const isOn = phones.some(({ id, own }) => own && id === thisPhone());
  return (
    <Card
      id="phones"
      title={say('Alerts on telephones')}
      about={say(
        'Alerts arrive as notifications, also while this page is closed, where an administrator has made a target for telephones.',
      )}
    >
      {!isOn && <TurnOn again={again} />}
      <ul>
        {phones.map((phone) => (
          <PhoneLine key={phone.id} phone={phone} again={again} />
        ))}
      </ul>
    </Card>
  );
}

function TurnOn({ again }: { again(): void }) {
  const [values, set] = useValues({ name: '' });
  const why = whyNot();
  if (why !== undefined) return <p class="trouble wait">{why}</p>;
  return (
    <SchemaForm
      title={say('Get alerts in this browser')}
      button={say('Get alerts in this browser')}
      waiting={say('The browser and its push service are being asked ...')}
      use={{ saved: again, isPlain: true }}
      parts={[{ name: 'name', label: say('Name of this telephone'), hint: say('Duty phone') }]}
      values={values}
      set={set}
      save={() => turnOn(values.name)}
    />
  );
}

function PhoneLine({ phone, again }: { readonly phone: schemas.Phone; again(): void }) {
  const { id, name, person, own, reached, created_at, taken_at, quiet } = phone;
  const called = name || say('telephone {id}', { id });
  return (
    <li class="row end">
      <span class="entry">
        <Name>{called}</Name>
        {own ? id === thisPhone() && `, ${say('this browser')}` : ` ${say('of {person}', { person })}`}{' '}
        <span class="soft small">
          {[
            say('since {time}', { time: dayAndTime(created_at) }),
            taken_at ? say('last message {time}', { time: dayAndTime(taken_at) }) : say('no message yet'),
            ...(reached ? [] : [say('gets nothing: its owner has lost all rights')]),
            ...quiet.map(({ rule, unit_id, until }) =>
              say('quiet about rule {rule} at {meter} until {time}', {
                rule,
                meter: unit_id ?? '',
                time: dayAndTime(until),
              }),
            ),
          ].join(', ')}
        </span>
      </span>
      <div class="row">
        <ActionButton work={() => turnOff(id)} done={again} hidden={say('alerts on {phone}', { phone: called })}>
          {say('Turn off')}
        </ActionButton>
      </div>
    </li>
  );
}

const NAME = 'phone';
/** Browsers may wait for their push service without an end. ms */
const SERVICE_MS = 20_000;
const noService = (): string =>
  say(
    'The push service of this browser does not answer. It needs a way to the internet; some networks and browsers block it.',
  );

/** The id under which the gateway knows this browser; null: it gets no alerts. */
const thisPhone = (): string | null => localStorage.getItem(NAME);

/** Why this browser cannot get alerts, in a sentence; undefined: it can. */
function whyNot(): string | undefined {
  if (!isSecureContext) return say('Browsers allow notifications only for pages that come by https.');
  if (hasWorker() && 'PushManager' in window && 'Notification' in window) return undefined;
  return say(
    'This browser takes no notifications here. On an iPhone, add the dashboard to the home screen first, and open it from there.',
  );
}

/** Answer of the gateway. Rejects with the reason of the browser, the push service or the gateway. */
async function turnOn(name: string): Promise<string> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error(say('Notifications are not allowed for this page. The settings of the browser can allow them.'));
  const { public_key } = await client.value.pushKey();
  const { endpoint = '', keys = {} } = (await subscribed(public_key)).toJSON();
  const { p256dh = '', auth = '' } = keys;
  const { message, data } = await client.value.addPhone({ endpoint, keys: { p256dh, auth }, name, language });
  localStorage.setItem(NAME, data.id);
  return message;
}

/** For another phone, only the entry in the gateway is removed. */
async function turnOff(id: string): Promise<string> {
  const { message } = await client.value.removePhone(id);
  if (id !== thisPhone()) return message;
  localStorage.removeItem(NAME);
  const registration = await register();
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  return message;
}

/** A subscription with the key of another gateway is of no use to this one. */
async function subscribed(key: string): Promise<PushSubscription> {
  await register();
  const { pushManager } = await navigator.serviceWorker.ready;
  await (await pushManager.getSubscription())?.unsubscribe();
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error(noService())), SERVICE_MS);
  });
  return Promise.race([pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }), late]);
}
