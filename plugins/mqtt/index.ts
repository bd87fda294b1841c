/**
 * Publishes the values of each meter at an MQTT broker, and announces the meters to Home Assistant. Off unless `url` is set.
 * The address of the broker is a setting; nobody can change it through the API.
 */
import { countOf } from '../../lib/built-in.ts';
import { type Host, iso, type Plugin } from '../../lib/index.ts';
import permits from '../permits/index.ts';
import { type Arrived, Broker } from './broker.ts';
import { commandsFrom, notesFrom, observationsFrom, type TopicReader } from './commands.ts';
import { type Message, OutgoingQueue } from './outgoing-queue.ts';
import { checkSettings, connectionOptions, MQTT_SETTINGS, type MqttSettings } from './settings.ts';
import { type IncomingTopic, type Topics, topicsBelow } from './topics.ts';
import { Units } from './units.ts';

/** How often to check whether something was lost or refused, ms. */
const LOOK_MS = 10_000;
/** A broker may be away for this long before /health reports it, ms. */
const PATIENCE_MS = 10_000;

const plugin: Plugin<MqttSettings> = {
  name: 'mqtt',
  uses: ['permits'],
  settings: MQTT_SETTINGS,
  register(host) {
    if (host.settings.url === '') return;
    checkSettings(host.settings);
    publish(host);
  },
};
export default plugin;

type Readers = Readonly<Record<'commands' | 'observations' | 'notes', TopicReader>>;

function publish(host: Host<MqttSettings>): void {
  const { settings, clock, log } = host;
  const topics = topicsBelow(settings.topic);
  const queue = new OutgoingQueue(settings.spool_messages);
  // Both use the broker, which is created last; neither calls it earlier.
  const later: { broker?: Broker } = {};
  const units = new Units(host, host.use(permits), topics, (message) => {
    queue.add(message);
    later.broker?.wake();
  });
  const answer = async (message: Message) => later.broker?.sendNow(message);
  const readers: Readers = {
    commands: commandsFrom(host, topics, answer),
    observations: observationsFrom(host, topics),
    notes: notesFrom(host, topics, answer),
  };
  const refused = () => Object.values(readers).reduce((sum, reader) => sum + reader.refused, 0);
  const own = () => gatewayState(topics, { time: iso(clock.now()), lost: queue.lost, refused: refused() });
  const broker = new Broker({
    options: () => connectionOptions(settings),
    queue,
    availability: topics.availability,
    greeting: () => units.greeting(),
    *current() {
      yield* units.current();
      yield own();
    },
    ...(settings.commands || settings.observations || settings.notes
      ? { incoming: incoming(settings, topics, readers) }
      : {}),
    retryMinMs: settings.retry_min_ms,
    retryMaxMs: settings.retry_max_ms,
    connectTimeoutMs: settings.connect_timeout_ms,
    clock,
    log,
  });
  later.broker = broker;
  host.part('mqtt', () => brokerTrouble(broker, queue, clock.elapsed()));
  const unwatch = watchCounts(host, queue, refused, () => void broker.sendNow(own()));
  host.onStop(() => broker.stop());
  host.onStop(() => units.stop());
  host.onStop(unwatch);
}

function incoming(settings: MqttSettings, topics: Topics, readers: Readers) {
  const { commands, observations, notes } = settings;
  const isOf = ({ topic }: Arrived, last: IncomingTopic) => topics.unitOf(topic, last) !== undefined;
  return {
    topics: [
      ...(commands ? [topics.commands] : []),
      ...(observations ? [topics.stations] : []),
      ...(notes ? [topics.notes] : []),
    ],
    arrived(message: Arrived) {
      // The id of a station may be equal to a topic of units.
      if (observations && topics.stationOf(message.topic) !== undefined) readers.observations.arrived(message);
      else if (commands && isOf(message, 'command')) readers.commands.arrived(message);
      else if (notes && isOf(message, 'note')) readers.notes.arrived(message);
      else if (commands) readers.commands.arrived(message);
      else readers[notes ? 'notes' : 'observations'].arrived(message);
    },
  };
}

/** No trouble is reported if a lost connection is back soon. */
function brokerTrouble({ awaySince }: Broker, queue: OutgoingQueue, now: number) {
  if (awaySince === undefined || now - awaySince < PATIENCE_MS) return undefined;
  const minutes = Math.floor((now - awaySince) / 60_000);
  const time = minutes === 0 ? 'less than a minute' : `${minutes} min`;
  return {
    detail: `There has been no connection to the MQTT broker for ${time}; ${countOf(queue.size, 'message waits', 'messages wait')}, ${queue.lost} ${queue.lost === 1 ? 'was' : 'were'} lost.`,
  };
}

const gatewayState = (topics: Topics, values: object): Message => ({
  topic: topics.gateway,
  payload: JSON.stringify(values),
  retain: true,
});

/** Reports lost messages in the log and at the broker. Refused messages are in the log already: the broker gets their number. */
function watchCounts(
  { clock, log }: Host<MqttSettings>,
  queue: OutgoingQueue,
  refusedSoFar: () => number,
  tell: () => void,
): () => void {
  let [lost, refused] = [0, 0];
  let cancel = () => {};
  const look = () => {
    if (queue.lost > lost) {
      log.warn({ lost: queue.lost - lost, lost_in_all: queue.lost }, 'messages for the broker were lost');
    }
    if (queue.lost > lost || refusedSoFar() > refused) tell();
    [lost, refused] = [queue.lost, refusedSoFar()];
    cancel = clock.after(LOOK_MS, look);
  };
  cancel = clock.after(LOOK_MS, look);
  return () => cancel();
}
