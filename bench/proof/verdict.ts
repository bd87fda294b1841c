/** What is compared after the faults: what the meters saw, what was promised, and what is kept. Pure, but for what it asks the gateway. */
import { secondsIn } from './facts.ts';
import type { Done } from './fault.ts';
import type { Line } from './line.ts';
import { ask, type Load } from './load.ts';
import type { Host } from './network.ts';
import type { Plans } from './plans.ts';
import type { Referee } from './referee.ts';

/** So many of what is wrong are named. */
const SHOWN = 5;

/** All lines. `begun`: when the load began, ms since 1970 UTC. */
export async function judge(
  referee: Referee,
  load: Load,
  { host, units, streamed, plans, done, begun }: Judged,
): Promise<readonly Line[]> {
  return [
    { what: 'events of meters that the referee missed', found: String(referee.lost), isKept: referee.lost === 0 },
    await writesOf(load, host, units),
    await notesOf(load, host),
    failuresOf(load),
    servedOf(referee, units),
    knocksOf(referee, units, done),
    clocksOf(referee, load),
    plans.judge(referee),
    ...(await alertsOf(host, load)),
    await secondsOf(host, streamed, begun),
  ];
}

interface Judged {
  readonly host: Host;
  readonly units: readonly string[];
  readonly streamed: readonly string[];
  readonly plans: Plans;
  readonly done: readonly Done[];
  readonly begun: number;
}

/** Of a write without an answer nobody knows; a later one that is kept is right, too. */
async function writesOf(load: Load, host: Host, units: readonly string[]): Promise<Line> {
  const wrong: string[] = [];
  for (const unit of units) {
    const own = load.writes.filter((write) => write.unit === unit);
    const last = own.findLastIndex(({ status }) => status === 200);
    if (last < 0) continue;
    const may = own.slice(last).map(({ name }) => name);
    const { json } = await ask(host, 'GET', `/${unit}/config`);
    if (!may.includes(json.data?.name)) wrong.push(`${unit} has ${json.data?.name} in place of ${may[0]}`);
  }
  const answers = Map.groupBy(load.writes, ({ status }) => status);
  const words = [...answers].map(([status, of]) => `${of.length} answered ${status || 'by nobody'}`).join(', ');
  const found = `${load.writes.length} changes of configs: ${words}; ${wrong.length} lost${wrong.map((text) => `; ${text}`).join('')}`;
  return { what: 'no config that was said to be kept is lost', found, isKept: wrong.length === 0 };
}

async function notesOf({ notes }: Load, host: Host): Promise<Line> {
  const kept = new Set<string>();
  for (const unit of new Set(notes.map((note) => note.unit))) {
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { json } = await ask(host, 'GET', `/${unit}/notes?limit=1000${after}`);
      for (const { id } of json.data ?? []) kept.add(id);
      cursor = json.next ?? undefined;
    }
  }
  const said = notes.flatMap(({ id }) => id ?? []);
  const lost = said.filter((id) => !kept.has(id)).length;
  const found = `${notes.length} notes: ${said.length} were said to be kept, ${lost} of them lost`;
  return { what: 'no note that was said to be kept is lost', found, isKept: said.length > 0 && lost === 0 };
}

/** Whatever is wrong, who asks is told what it is. */
function failuresOf({ writes, notes }: Load): Line {
  const failed = [...writes, ...notes].filter(({ status }) => status === 500).length;
  const found = `${failed} of ${writes.length + notes.length} changes of configs and notes`;
  return { what: 'none is answered with an error of the gateway itself (500)', found, isKept: failed === 0 };
}

/** A meter serves one connection: a second one while the first is served would be a fault of the simulator, or of the referee. */
function servedOf(referee: Referee, units: readonly string[]): Line {
  let served = 0;
  let twice = 0;
  for (const unit of units) {
    let open = 0;
    for (const { kind } of referee.of(unit)) {
      if (kind === 'connect') {
        served += 1;
        if (open > 0) twice += 1;
        open += 1;
      } else if (kind === 'disconnect') open = Math.max(0, open - 1);
    }
  }
  const found = `${served} connections served, ${twice} while another one was`;
  return { what: 'no meter serves two connections', found, isKept: served > 0 && twice === 0 };
}

/** Nobody comes to a meter that another instance has. The place of one that was hit may stay taken for long. */
function knocksOf(referee: Referee, units: readonly string[], done: readonly Done[]): Line {
  let knocks = 0;
  const wrong: string[] = [];
  for (const unit of units) {
    const served = referee.servedOf(unit);
    for (const { kind, at, host } of referee.of(unit)) {
      if (kind !== 'refused' && kind !== 'held') continue;
      knocks += 1;
      const has = served.find(({ from, to = Number.POSITIVE_INFINITY }) => from <= at && at <= to);
      if (!has || has.host === host) continue;
      const wasHit = done.some(({ hit, from, to }) => hit === has.host && from <= at && to >= has.from);
      if (!wasHit) wrong.push(`${host} at ${unit}, which ${has.host} had, ${new Date(at).toISOString().slice(11, 19)}`);
    }
  }
  const found = `${knocks} knocks at taken places, ${wrong.length} of them by another instance than the one that had the meter, and was not hit${wrong
    .slice(0, SHOWN)
    .map((text) => `; ${text}`)
    .join('')}`;
  return { what: 'no instance comes to a meter that another one has', found, isKept: wrong.length === 0 };
}

/** Each request has one command. Two for one request would be a repetition. */
function clocksOf(referee: Referee, load: Load): Line {
  let sent = 0;
  let more = 0;
  for (const [unit, count] of load.clocks) {
    const seen = referee.of(unit).filter(({ text }) => /^Clock,/.test(text)).length;
    sent += seen;
    more += Math.max(0, seen - count);
  }
  const asked = [...load.clocks.values()].reduce((sum, count) => sum + count, 0);
  const found = `${asked} requests to set a clock, ${sent} commands at the meters, ${more} too many`;
  return { what: 'a setting goes to the meter at most once', found, isKept: more === 0 };
}

async function alertsOf(host: Host, load: Load): Promise<readonly Line[]> {
  const { json } = await ask(host, 'GET', '/_alerts/events?limit=1000');
  const events: { id: string; unit_id: string; rule_id: string; opened_at: string }[] = json.data ?? [];
  const keys = events.map((event) => `${event.unit_id} ${event.rule_id} ${event.opened_at}`);
  const twice = keys.length - new Set(keys).size;
  const told = Map.groupBy(load.messages, ({ event, type }) => `${event} ${type}`);
  const untold = events.filter(({ id }) => !told.has(`${id} alert.opened`));
  const more = [...told.values()].filter(({ length }) => length > 1).length;
  return [
    {
      what: 'each event one row',
      found: `${events.length} events, ${twice} twice`,
      isKept: events.length > 0 && twice === 0,
    },
    {
      what: 'each event told at least once',
      found: `${untold.length} not told, ${more} messages more than once`,
      isKept: untold.length === 0,
    },
  ];
}

/** Rows of a second that are kept, of all seconds since the load began. */
async function secondsOf(host: Host, streamed: readonly string[], begun: number): Promise<Line> {
  const to = Date.now() - 60_000;
  const kept = await secondsIn(host, streamed, begun, to);
  const all = ((to - begun) / 1_000) * streamed.length;
  const found = `${Math.round(kept)} of ${Math.round(all)} seconds of ${streamed.length} meters, ${((kept / all) * 100).toFixed(1)} %`;
  return {
    what: 'levels of meters that are recorded all the time',
    found,
    isKept: kept > 0 && kept <= all + streamed.length,
  };
}
