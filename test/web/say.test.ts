/** Texts with gaps and forms, in English and with the words of a table. */
import t from 'tap';
import { shortOf } from '../../web/words/languages.ts';
import { addWords, say, sayOfApi, saySentence, sayWith } from '../../web/words/say.ts';

t.test('a text has its values in its gaps, and the form of its number', async (t) => {
  t.equal(say('Sign in'), 'Sign in');
  t.equal(
    say('Sign out {name}', { name: '{name} $& |' }),
    'Sign out {name} $& |',
    'a value is no text: nothing in it counts',
  );
  const meters = (count: number) => say('{count} meter|{count} meters', { count });
  t.strictSame([0, 1, 2].map(meters), ['0 meters', '1 meter', '2 meters']);
  t.match(meters(12_345), /^12.345 meters$/, 'numbers are grouped');
  t.equal(say('Order ## of the list'), 'Order', 'what is for translators is not shown');
});

t.test('an element is in its gap', async (t) => {
  const code = { type: 'code' };
  t.strictSame(sayWith('Nothing is at {address}.', { address: code }), ['Nothing is at ', code, '.']);
});

t.test('with a table a text has its words, also in another order', async (t) => {
  addWords({ [shortOf('{low} to {high}')]: '{high} ～ {low}', [shortOf('{count} day|{count} days')]: '{count} 日' });
  t.equal(say('{low} to {high}', { low: 'a', high: 'b' }), 'b ～ a');
  t.equal(say('{count} day|{count} days', { count: 2 }), '2 日', 'a language may have one form');
  t.equal(say('No words'), 'No words');
});

t.test('a sentence of an answer has numbers, times and sentences within in the words of the table', async (t) => {
  addWords({
    [shortOf('The {level} of {window} is above {limit} dB.')]: '{window}: {level} > {limit} dB',
    [shortOf('the last {time}')]: '直近{time}',
  });
  const window = { text: 'the last {time}', values: { time: '15 min' } };
  const values = { level: 'Leq', window, limit: 70.5, since: '2026-11-22 01:12:08+01:00' };
  const show = (at: string) => new Date(at).toISOString().slice(0, 16);
  t.equal(
    saySentence({ text: 'The {level} of {window} is above {limit} dB.', values }, show),
    '直近15 min: Leq > 70.5 dB',
  );
  t.equal(saySentence({ text: 'Since {since}: {none}', values }, show), 'Since 2026-11-22T00:12: {none}');
});

t.test('a message of the API has its words sentence by sentence, also with a name of several words', async (t) => {
  addWords({
    'The rule {name} is created.': 'Die Regel {name} ist angelegt.',
    '{unit} records its stream from now on (history stream).': '{unit} zeichnet auf.',
    '{name} is signed out everywhere.': '{name} ist überall abgemeldet.',
  });
  t.equal(
    sayOfApi('The rule Leq above 70.5 dB is created. roof records its stream from now on (history stream). More.'),
    'Die Regel Leq above 70.5 dB ist angelegt. roof zeichnet auf. More.',
  );
  t.equal(sayOfApi('Anna Maria is signed out everywhere.'), 'Anna Maria ist überall abgemeldet.');
});

t.test('the gaps of a text are checked where it is written', async () => {
  // @ts-expect-error a gap without a value
  say('Sign out {name}');
  // @ts-expect-error a value without a gap
  say('Sign out {name}', { name: 'a', more: 'b' });
  // @ts-expect-error two forms need the number that decides
  say('{all}, one|{all}, many', { all: '3' });
});
