/** Inputs that mean harm, by the way they take: what is sent and the status that it gets. None may reach a meter. */
import { gzipSync } from 'node:zlib';
import { request } from './raw.ts';

export interface Attack {
  readonly name: string;
  readonly bytes: string;
  /** Allowed answers; 0: the connection is closed without an answer. */
  readonly status: readonly number[];
}

const BASE = '/api/nl43';
const shown = (text: string) => encodeURIComponent(text.slice(0, 40).toWellFormed());

/** Unit ids in the form of the path. */
const UNIT_IDS = [
  ...['..', '.', '...', '%2e%2e', '%2e%2e%2f%2e%2e', '%2e%2e%5c', '..%2f..%2fetc%2fpasswd', '%252e%252e'],
  ...['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'undefined', 'null'],
  ...[
    '%00',
    'sim-1%00',
    '%0d%0aX-Evil:%201',
    'sim-1%0d%0aMeasure,Start',
    'sim-1%0aMeasure,Start',
    'sim-1%1a',
    'sim-1%20',
  ],
  ...[
    '%3Cscript%3Ealert(1)%3C%2Fscript%3E',
    '%22%3E%3Cimg%20src=x%20onerror=1%3E',
    "'%20OR%20'1'='1",
    '%22;DROP%20TABLE',
  ],
  ...[
    '$%7B7*7%7D',
    '%7B%7B7*7%7D%7D',
    '$(id)',
    '`id`',
    'sim-1;reboot',
    'sim-1%7Cnc',
    '-rf',
    '.hidden',
    '_x',
    '*',
    '%25n%25s',
  ],
  ...['%F0%9F%98%80', '%C3%A4', '%EF%BC%AEL', '%E2%80%AEexe', 'a'.repeat(65), 'a'.repeat(2_000)],
];
const BROKEN_IDS = ['%', '%zz', '%ff', '%c0%ae%c0%ae', '%e0%80%af', '%ed%a0%80'];

const paths: Attack[] = [
  ...UNIT_IDS.flatMap((id) => [
    { name: `read ${shown(id)}`, bytes: request(`GET ${BASE}/${id}/status`), status: [404] },
    {
      name: `create ${shown(id)}`,
      bytes: request(`PUT ${BASE}/${id}/config`, ['Content-Type: application/json'], '{"host":"10.0.0.9"}'),
      // The router does not take a slash within an id, and a name of letters is a name: these are the units' own business.
      status: /^(constructor|prototype|hasOwnProperty|toString|undefined|null)$/.test(id) ? [200] : [404, 422],
    },
  ]),
  ...BROKEN_IDS.map((id) => ({ name: `read ${id}`, bytes: request(`GET ${BASE}/${id}/status`), status: [400, 404] })),
  { name: 'a path of 10 kB', bytes: request(`GET ${BASE}/${'a'.repeat(10_240)}/status`), status: [414] },
  { name: 'a query of 10 kB', bytes: request(`GET ${BASE}/sim-1/status?a=${'b'.repeat(10_240)}`), status: [414] },
];

const put = (path: string, body: string, headers: readonly string[] = ['Content-Type: application/json']) =>
  request(`PUT ${BASE}/sim-1${path}`, headers, body);
const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
const gzipped = (text: string) => gzipSync(text).toString('latin1');
const GZIP = ['Content-Type: application/json', 'Content-Encoding: gzip'];

const BODIES: readonly (readonly [string, string, string, readonly number[]])[] = [
  ['pollution', '/frequency-weighting', '{"weighting":"Q","__proto__":{"polluted":1}}', [422]],
  ['pollution alone', '/frequency-weighting', '{"__proto__":{"weighting":"A","polluted":1}}', [422]],
  ['pollution by constructor', '/lp-interval', '{"constructor":{"prototype":{"polluted":1}}}', [422]],
  ['pollution of a config', '/config', '{"__proto__":{"host":"10.0.0.1"}}', [422]],
  ['pollution by an escaped name', '/lp-interval', '{"\\u005f_proto__":{"preset":"1s"}}', [422]],
  ['a name twice', '/frequency-weighting', '{"weighting":"A","weighting":"Q"}', [422]],
  ['a name twice, once well', '/lp-interval', '{"preset":"1s","preset":"1s\\r\\nMeasure,Start"}', [422]],
  ['a name in two cases', '/lp-interval', '{"preset":"1s","Preset":"1s"}', [422]],
  ['an infinite number', '/index-number', '{"index":1e999}', [422]],
  ['a huge number', '/index-number', '{"index":12345678901234567890}', [422]],
  ['a number too large as text', '/index-number', '{"index":"77777"}', [422]],
  ['full-width digits', '/index-number', '{"index":"\\uff17"}', [422]],
  ['a negative number', '/index-number', '{"index":-1}', [422]],
  ['a second command', '/lp-interval', '{"preset":"1s\\r\\nPower,Off"}', [422]],
  ['a second parameter', '/lp-interval', '{"preset":"1s,Off"}', [422]],
  ['SUB', '/lp-interval', '{"preset":"1s\\u001a"}', [422]],
  ['NUL', '/lp-interval', '{"preset":"1s\\u0000"}', [422]],
  ['a lone surrogate', '/lp-interval', '{"preset":"\\ud800"}', [400]],
  ['bytes that are no UTF-8', '/lp-interval', '{"preset":"1s\xff\xfe"}', [400]],
  ['a clock with a second command', '/clock', '{"datetime":"2026/11/21,06:00:00\\r\\nMeasure,Start"}', [422]],
  ['a time with a second command', '/measurement-time', '{"preset":"1m\\nMeasure,Start"}', [422]],
  ['a time that backtracks', '/measurement-time', `{"preset":"${'1'.repeat(30_000)}x"}`, [422]],
  ['markup', '/frequency-weighting', '{"weighting":"<script>alert(1)</script>"}', [422]],
  ['a template', '/frequency-weighting', '{"weighting":"$' + '{7*7}"}', [422]],
  ['an operator object', '/frequency-weighting', '{"weighting":{"$ne":null}}', [422]],
  ['an array for a word', '/frequency-weighting', '{"weighting":["A"]}', [422]],
  ['an array for all', '/frequency-weighting', '[]', [422]],
  ['null for all', '/frequency-weighting', 'null', [422]],
  ['a text for all', '/frequency-weighting', '"weighting"', [422]],
  ['a number for all', '/frequency-weighting', '5', [422]],
  ['arrays 10,000 deep', '/frequency-weighting', nested('[', ']', 10_000), [400, 422]],
  ['objects 8,000 deep', '/frequency-weighting', nested('{"a":', '}', 8_000).replace('}', '1}'), [400, 422]],
  ['objects deep in a property', '/config', `{"host":${nested('{"a":', '}', 5_000).replace('}', '1}')}}`, [400, 422]],
  ['10,000 properties', '/config', `{${Array.from({ length: 6_000 }, (_, i) => `"p${i}":1`).join()}}`, [413, 422]],
  ['70 kB', '/config', `{"host":"${'a'.repeat(70_000)}"}`, [413]],
  ['NaN', '/index-number', '{"index":NaN}', [400]],
  ['a comment', '/index-number', '{"index":1/**/}', [400]],
  ['a comma too many', '/index-number', '{"index":1,}', [400]],
  ['single quotes', '/index-number', "{'index':1}", [400]],
  ['half a body', '/index-number', '{"index":', [400]],
  ['two values', '/index-number', '{"index":1}{"index":2}', [400]],
  ['a byte order mark', '/index-number', '\xef\xbb\xbf{"index":1', [400]],
  ['control characters in a text', '/lp-interval', '{"preset":"1s\r\nMeasure,Start"}', [400]],
];

const types: Attack[] = [
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/json',
    'application/xml',
  ],
  ...['application/json5', '*/*', 'application/jsonx', 'application/+json'],
].map((type) => ({
  name: `content type ${type}`,
  bytes: put('/index-number', '{"index":1}', [`Content-Type: ${type}`]),
  status: [415],
}));

const encoded: Attack[] = [
  { name: 'a bomb', bytes: put('/config', gzipped(`{"host":"${'a'.repeat(20_000_000)}"}`), GZIP), status: [413] },
  { name: 'broken compression', bytes: put('/config', '{"host":"10.0.0.1"}', GZIP), status: [400] },
  {
    name: 'an unknown compression',
    bytes: put('/config', '{}', ['Content-Type: application/json', 'Content-Encoding: evil']),
    status: [415],
  },
  {
    name: 'UTF-7',
    bytes: put('/config', '{"host":"+ADw-"}', ['Content-Type: application/json; charset=utf-7']),
    status: [415],
  },
];

const QUERIES = [
  ...['channel=Main%0d%0aMeasure,Start', 'channel=Main%1a', 'channel=Main%00', 'channel=Main,A', 'channel=Main%20'],
  ...['channel=Main&channel=Sub1', 'channel=%ff', 'channel=Main;Measure,Start', 'channel=%C4%8D%C4%8AMeasure'],
];
/** Parameters that no operation knows mean nothing. */
const UNKNOWN = ['channel[]=Main', 'channel[$ne]=x', '__proto__[polluted]=1', 'constructor=1', 'CHANNEL=Main'];
const queries: Attack[] = QUERIES.map((query) => ({
  name: `query ${shown(query)}`,
  bytes: request(`GET ${BASE}/sim-1/frequency-weighting?${query}`),
  status: [400, 422],
}));
const ignored: Attack[] = UNKNOWN.map((query) => ({
  name: `query ${shown(query)}`,
  bytes: request(`GET ${BASE}/sim-1/status?${query}`),
  status: [200],
}));

export const INPUTS: readonly Attack[] = [
  ...paths,
  ...BODIES.map(([name, path, body, status]) => ({ name, bytes: put(path, body), status })),
  ...types,
  ...encoded,
  ...queries,
  ...ignored,
];
