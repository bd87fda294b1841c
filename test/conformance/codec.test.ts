/** The captured bytes of a real NL-43 are the referee of the gateway's codec. */
import t from 'tap';
import * as commands from '../../lib/drivers/nl43/commands.ts';
import type { Command, StreamCommand } from '../../lib/drivers/wire/contract.ts';
import { contradiction, FACTS } from './codec.ts';
import { readExchanges } from './exchanges.ts';

const exchanges = readExchanges();

t.test('every exchange with the real meter agrees with the codec', async (t) => {
  t.ok(exchanges.length >= 25, 'the transcripts are there');
  for (const exchange of exchanges) t.equal(contradiction(exchange, FACTS), undefined, exchange.title);
});

t.test('every request with a value is decoded to what it means', async (t) => {
  const withData = exchanges.filter(({ data }) => data !== undefined);
  t.ok(withData.length >= 10);
  for (const { title, meaning } of withData) t.not(meaning, undefined, `${title} says what it means`);
});

type Known = Pick<Command<unknown>, 'text'> | Pick<StreamCommand<unknown>, 'text'>;

const MADE: Known[] = [
  commands.startMeasurement(),
  commands.stopMeasurement(),
  commands.manualStore(),
  commands.clock(),
  commands.batteryLevel(),
  commands.frequencyWeighting('Main'),
  commands.timeWeighting('Main'),
  commands.setSleepMode(true),
  commands.setSleepMode(false),
  commands.sleepMode(),
  commands.setFtp(true),
  commands.setFtp(false),
  commands.ftp(),
  commands.MEASUREMENT_TIMES.Manual.preset,
  commands.LEQ_INTERVAL.preset,
  commands.lpInterval(),
  commands.display(),
  commands.lastResult(),
  commands.frames(),
];

t.test('the commands that the gateway gives are those that the real meter took', async (t) => {
  const taken = new Set(exchanges.filter(({ result }) => result === 'R+0000').map(({ sent }) => sent));
  for (const { text } of MADE) t.ok(taken.has(`${text}\r\n`), text);
});

t.test('the gateway has no command whose form the real meter refused', async (t) => {
  const refused = exchanges.filter(({ result }) => result === 'R+0001' || result === 'R+0002').map(({ sent }) => sent);
  t.ok(refused.length >= 4);
  for (const { text } of MADE) t.notOk(refused.includes(`${text}\r\n`), text);
});

t.test('padding is not read: the recorders of the captured lines cut some of it off', async (t) => {
  const without = (line: string) => line.replaceAll(/ +/g, '');
  for (const exchange of exchanges) {
    if (!exchange.data?.includes(',')) continue;
    const bare = { ...exchange, data: without(exchange.data) };
    t.equal(contradiction(bare, FACTS), undefined, exchange.title);
    t.equal(contradiction({ ...exchange, data: exchange.data.trim() }, FACTS), undefined, exchange.title);
  }
});

t.test('every byte of a captured line of values matters, but for its spaces', async (t) => {
  let same = 0;
  for (const exchange of exchanges) {
    const { data } = exchange;
    if (!data?.includes(',')) continue;
    for (let at = 0; at < data.length; at++) {
      if (data[at] === ' ') continue;
      const cut = { ...exchange, data: data.slice(0, at) + data.slice(at + 1) };
      if (contradiction(cut, FACTS) === undefined) same += 1;
    }
  }
  t.equal(same, 0, 'a missing byte never leaves the same reading');
});
