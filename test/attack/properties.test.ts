/** For every input, a parser throws only its typed error, is fast, and returns nothing forbidden. */
import fc from 'fast-check';
import t from 'tap';
import { parsed } from '../../lib/audit/chain.ts';
import { withoutSecrets } from '../../lib/audit/journal.ts';
import { LineFramer } from '../../lib/drivers/lines.ts';
import * as commands from '../../lib/drivers/nl43/commands.ts';
import { Nl43ReplyReader } from '../../lib/drivers/nl43/conversation.ts';
import { decodeDisplay, decodeFrame, decodeStatusFrame } from '../../lib/drivers/nl43/decode.ts';
import { setting } from '../../lib/drivers/nl43/encode.ts';
import { COMMANDS } from '../../lib/drivers/nl43/spec/commands.ts';
import { DLC, DOD } from '../../lib/drivers/nl43/spec/layouts.ts';
import { planTime } from '../../lib/drivers/nl43/times.ts';
import { DecodeError } from '../../lib/drivers/wire/contract.ts';
import { GatewayError } from '../../lib/errors.ts';
import { readListing } from '../../lib/files/listing.ts';
import { cardPath } from '../../lib/files/names.ts';
import { closed, compileBody } from '../../lib/http/checks.ts';
import { createPolicy, networkOf, portsOf } from '../../lib/outbound/policy.ts';
import { load, SettingsError } from '../../lib/settings/index.ts';
import { SETTING_NAMES } from '../../lib/settings/schema.ts';
import { growth } from '../support/growth.ts';
import { character } from '../support/texts.ts';

const RUNS = { numRuns: 400 };

/** Text of every kind, with the pieces that parsers trip over. */
const pieces = fc.constantFrom(
  ...[
    'R+0000',
    '$',
    '\r\n',
    '\n',
    '\u001a',
    '\u0000',
    ',',
    ' ',
    '-.-',
    '--',
    ' 45.8',
    '1e999',
    'NaN',
    '1h',
    '00:15:00',
    'm',
  ],
  ...[
    '..',
    '/',
    '\\',
    '\u202e',
    '\ufffd',
    '\ud800',
    '__proto__',
    '-rw-rw-rw- 1 root root 10 Dec 24 02:13 a',
    '/../',
    '９',
  ],
);
const text = fc.oneof(
  fc.string({ unit: character, maxLength: 300 }),
  fc.array(fc.oneof(pieces, fc.string({ maxLength: 8 })), { maxLength: 80 }).map((parts) => parts.join('')),
);

/** Only these errors may come out of `work`. */
function only(work: () => unknown, ...types: (new (...args: never[]) => Error)[]): void {
  try {
    work();
  } catch (error) {
    if (!types.some((type) => error instanceof type)) throw error;
  }
}

t.test('the framer holds a bounded rest, whatever comes in whatever pieces', async () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 40 });
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 64 }), (given, limit) => {
      const framer = new LineFramer(limit);
      const lines = given.flatMap((chunk) => framer.feed(chunk));
      return (
        framer.rest.length <= limit + 1 &&
        lines.every((line) => typeof line !== 'string' || (line.length <= limit && !line.includes('\n')))
      );
    }),
    RUNS,
  );
});

t.test('the reader of replies never throws', async () => {
  fc.assert(
    fc.property(fc.array(text), fc.boolean(), (lines, data) => {
      const reader = new Nl43ReplyReader({ text: 'Clock?', kind: data ? 'request' : 'setting' });
      for (const line of lines) reader.take(line);
    }),
    RUNS,
  );
});

t.test('every decoder throws DecodeError or gives a value', async () => {
  const decoders = [
    (line: string) => decodeDisplay(line, DOD),
    (line: string) => decodeDisplay(line, DLC),
    (line: string) => decodeFrame(line),
    (line: string) => decodeStatusFrame(line),
    ...[commands.batteryLevel(), commands.clock(), commands.sdFreeSize(), commands.storeName(), commands.ftp()].map(
      (command) => (line: string) => command.decode(line),
    ),
  ];
  const numbers = fc.array(fc.constantFrom(' 45.8', ' -.-', '1e999', 'NaN', '0', '1', '-', '', '12345', ' 999.9'), {
    minLength: 60,
    maxLength: 70,
  });
  const line = fc.oneof(text, numbers.map(String));
  fc.assert(
    fc.property(line, (given) => {
      for (const decode of decoders) only(() => decode(given), DecodeError);
    }),
    RUNS,
  );
});

t.test('whatever a decoder accepts as a number is finite', async () => {
  fc.assert(
    fc.property(text, (given) => {
      only(() => {
        const number = commands.sdFreeSize().decode(given);
        if (!Number.isFinite(number)) throw new Error(`${given} became ${number}`);
      }, DecodeError);
    }),
    RUNS,
  );
});

t.test('the encoder makes one printable line, or refuses with INVALID', async () => {
  const names = COMMANDS.filter((fact) => fact.set).map(({ name }) => name);
  fc.assert(
    fc.property(fc.constantFrom(...names), text, (name, value) => {
      only(() => {
        if (!/^[\x20-\x7e]+$/.test(setting(name, value))) throw new Error('not printable');
      }, GatewayError);
    }),
    RUNS,
  );
});

t.test('the parser of times refuses with INVALID, or makes a plan', async () => {
  fc.assert(
    fc.property(text, (given) => only(() => planTime(given, ['10m', '15m', '1h']), GatewayError)),
    RUNS,
  );
});

t.test('a listing never gives a name that could mislead or leave its folder', async () => {
  fc.assert(
    fc.property(text, (given) => {
      const { entries } = readListing(given, '/NL-43', 1_766_000_000_000);
      return entries.every(
        ({ name, path, size }) =>
          name.length <= 255 &&
          !/[/\\\p{Cc}\p{Cf}]/u.test(name) &&
          path === `/NL-43/${name}` &&
          Number.isSafeInteger(size),
      );
    }),
    RUNS,
  );
});

t.test('a path on a card is refused with INVALID, or stays on the card', async () => {
  fc.assert(
    fc.property(text, (given) =>
      only(() => {
        const { path } = cardPath(`/${given}`, '/path');
        if (path.split(/[/\\]/).includes('..') || /[\p{Cc}]/u.test(path)) throw new Error(`kept ${path}`);
      }, GatewayError),
    ),
    RUNS,
  );
});

t.test('the settings are whole or a SettingsError, from any file, environment and command line', async () => {
  const value = fc.oneof(fc.jsonValue(), text);
  const file = fc.oneof(
    text,
    fc.dictionary(fc.oneof(fc.constantFrom(...SETTING_NAMES), text), value).map((o) => JSON.stringify(o)),
  );
  const env = fc.dictionary(
    fc.constantFrom(...SETTING_NAMES.map((name) => `SLM_${name.toUpperCase()}`), 'SLM_X', 'PATH'),
    text,
  );
  const argv = fc.array(
    fc.oneof(fc.constantFrom('--port', '--host', '--no-unsafe-spacing', '--', '-v', '-x', '--config'), text),
    {
      maxLength: 6,
    },
  );
  fc.assert(
    fc.property(file, env, argv, (content, variables, args) => {
      only(
        () =>
          load({
            argv: args,
            env: variables,
            home: '/home/x',
            usualFile: 'x.json',
            readText: () => content,
          }).settings(),
        SettingsError,
      );
    }),
    RUNS,
  );
});

t.test('entries of the address lists are understood or refused, and any text as a host is judged', async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.nat({ max: 65_535 }), async (given, port) => {
      networkOf(given)?.holds('10.0.0.1');
      portsOf(given)?.holds(port);
      const settings = {
        allowLoopback: false,
        allowPrivate: true,
        allowNetworks: [],
        denyNetworks: [],
        allowPorts: [],
        denyPorts: [],
      };
      const policy = createPolicy({ settings, resolve: async () => ['127.0.0.1'] });
      await policy.addresses(given, port).then(
        () => Promise.reject(new Error('let through')),
        (error) => (error instanceof GatewayError ? undefined : Promise.reject(error)),
      );
    }),
    RUNS,
  );
});

t.test('a body of any shape passes its check or is INVALID, and changes no prototype', async (t) => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'integer' }, b: closed({ type: 'object', properties: { c: {} } }) },
  };
  const check = compileBody(schema);
  fc.assert(
    fc.property(
      fc.oneof(
        fc.jsonValue(),
        fc.object({ key: fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'constructor'), text) }),
      ),
      (body) => only(() => check(body), GatewayError),
    ),
    RUNS,
  );
  t.same(Object.keys(Object.prototype), []);
});

t.test('the audit log masks any shape without throwing, and reads any line', async () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.object({ maxDepth: 4 })), text, (value, line) => {
      JSON.stringify(withoutSecrets(value));
      parsed(line);
    }),
    RUNS,
  );
});

t.test('no parser takes long over a text that was made to make it backtrack', async (t) => {
  const units = ['1', ' ', '$', '$ ', ',', '-', '.', '/', 'a.', '1:', '\r', '-rw-rw-rw- 1 ', '%'];
  const parse = (given: string) => {
    only(() => planTime(given, []), GatewayError);
    only(() => decodeFrame(given), DecodeError);
    only(() => decodeDisplay(given, DOD), DecodeError);
    only(() => commands.batteryLevel().decode(given), DecodeError);
    only(() => cardPath(given, '/path'), GatewayError);
    readListing(given, '/', 0);
    new Nl43ReplyReader({ text: 'Clock?', kind: 'request' }).take(given);
    networkOf(given);
  };
  for (const unit of units) t.ok(growth(2_000, (length) => parse(unit.repeat(length))) < 64, JSON.stringify(unit));
});
