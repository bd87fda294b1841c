/** The parts of publishing that need no broker: queue, pace, topics, settings. */
import t from 'tap';
import { settingsOf } from '../../lib/plugin/settings.ts';
import { OutgoingQueue } from '../../plugins/mqtt/outgoing-queue.ts';
import { checkSettings, clientAddress, MQTT_SETTINGS, type MqttSettings } from '../../plugins/mqtt/settings.ts';
import { topicsBelow } from '../../plugins/mqtt/topics.ts';
import { Throttle } from '../../plugins/mqtt/units.ts';
import { VirtualClock } from '../../simulator/clock.ts';

const message = (text: string) => ({ topic: 'slm/roof/levels', payload: text, retain: true });
const taken = (queue: OutgoingQueue): string[] => {
  const texts: string[] = [];
  for (let next = queue.take(); next; next = queue.take()) texts.push(next.message.payload);
  return texts;
};

t.test('beyond its bound the oldest are lost and counted', async (t) => {
  const queue = new OutgoingQueue(3);
  for (let number = 1; number <= 10; number++) queue.add(message(String(number)));
  t.equal(queue.size, 3);
  t.equal(queue.lost, 7);
  t.strictSame(taken(queue), ['8', '9', '10']);
  queue.add(message('x'.repeat(100_000)));
  t.equal(queue.lost, 8, 'a message that is much too large is given up');
  t.equal(queue.size, 3);
});

t.test('levels come at most once in a span: the first at once, then the newest', async (t) => {
  const clock = new VirtualClock();
  const told: unknown[] = [];
  const pace = new Throttle<number>(clock, 1_000, (unitId, value) => told.push([unitId, value]));
  for (let tenth = 0; tenth < 30; tenth++) {
    pace.offer('roof', tenth);
    await clock.advance(100);
  }
  t.strictSame(told, [
    ['roof', 0],
    ['roof', 9],
    ['roof', 19],
    ['roof', 29],
  ]);
  pace.offer('roof', 30);
  pace.forget('roof');
  await clock.advance(5_000);
  t.equal(told.length, 4, 'nothing comes of a unit that is gone');
  t.equal(clock.pending, 0);
});

t.test('only the command topic of a well-formed unit is one', async (t) => {
  const topics = topicsBelow('site/slm');
  t.equal(topics.unitOf('site/slm/roof/command', 'command'), 'roof');
  t.equal(topics.unitOf('site/slm/roof/note', 'note'), 'roof');
  t.equal(topics.unitOf('site/slm/roof/note', 'command'), undefined);
  for (const topic of [
    'site/slm/command',
    'site/slm//command',
    'site/slm/_gateway/command',
    'site/slm/roof/x/command',
    'site/slm/../command',
    'site/slm/+/command',
    'site/slm/roof/commands',
    'other/roof/command',
    `site/slm/${'a'.repeat(65)}/command`,
    `site/slm/${'a/'.repeat(100_000)}/command`,
    'site/slm/roof\u0000/command',
    '',
  ]) {
    t.equal(topics.unitOf(topic, 'command'), undefined, topic.slice(0, 40));
  }
});

t.test('settings that cannot work say what to change', async (t) => {
  const usual = settingsOf({ name: 'mqtt', settings: MQTT_SETTINGS, register() {} }, undefined) as MqttSettings;
  t.equal(usual.url, '', 'nothing is published unless an address is set');
  t.equal(usual.commands, false);
  const check = (given: Partial<MqttSettings>) => () => {
    const settings = settingsOf({ name: 'mqtt', settings: MQTT_SETTINGS, register() {} }, given);
    checkSettings(settings as MqttSettings);
  };
  t.doesNotThrow(check({ url: 'mqtt://192.0.2.7:1883' }));
  t.doesNotThrow(
    check({ url: 'mqtts://[2001:db8::7]:8883', ca_file: 'ca.pem', cert_file: 'c.pem', key_file: 'k.pem' }),
  );
  t.throws(check({ url: 'mqtt://me:secret@broker' }), { message: /without a user name and a password/ });
  t.throws(check({ url: 'mqtt://b:99999' }), { message: /port/ });
  t.strictSame(clientAddress('mqtts://[2001:db8::7]'), { protocol: 'mqtts', host: '2001:db8::7', port: 8_883 });
  t.throws(check({ url: 'http://broker' }), { message: /mqtt:\/\/HOST/ });
  t.throws(check({ url: 'mqtt://b', topic: 'a/#' }), { message: /topic/ });
  t.throws(check({ url: 'mqtt://b', commands: true }), { message: /command_key/ });
  t.throws(check({ url: 'mqtt://b', notes: true }), { message: /notes: true needs command_key/ });
  t.throws(check({ url: 'mqtts://b', cert_file: 'c.pem' }), { message: /need each other/ });
  t.throws(check({ url: 'mqtt://b', ca_file: 'ca.pem' }), { message: /mqtts/ });
  t.throws(check({ url: 'mqtt://b', password: 'a', password_file: 'b' }), { message: /not both/ });
});
