/** Requests whose headers, framing or method mean harm: smuggling, confusion of proxies, other protocols, other origins. */
import { request } from './raw.ts';
import type { Attack } from './table.ts';

const BASE = '/api/nl43';
const START = `POST ${BASE}/sim-1/start`;
const STATUS = `GET ${BASE}/sim-1/status`;
const SECOND = `GET ${BASE}/sim-1/stop HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
const JSON_TYPE = 'Content-Type: application/json';

const attack = (name: string, bytes: string, ...status: number[]): Attack => ({ name, bytes, status });
const withHeaders = (name: string, headers: readonly string[], body: string, ...status: number[]) =>
  attack(name, request(START, [JSON_TYPE, ...headers], body), ...status);

const smuggling: Attack[] = [
  withHeaders('length and chunks', ['Content-Length: 6', 'Transfer-Encoding: chunked'], `0\r\n\r\n${SECOND}`, 400),
  withHeaders('chunks and length', ['Transfer-Encoding: chunked', 'Content-Length: 6'], `0\r\n\r\n${SECOND}`, 400),
  withHeaders('two lengths', ['Content-Length: 2', 'Content-Length: 30'], '{}', 400),
  withHeaders('two equal lengths', ['Content-Length: 2', 'Content-Length: 2'], '{}', 400),
  withHeaders('two lengths in one', ['Content-Length: 2, 30'], '{}', 400),
  withHeaders('a negative length', ['Content-Length: -1'], '{}', 400),
  withHeaders('a length with a sign', ['Content-Length: +2'], '{}', 400),
  withHeaders('a length in hex', ['Content-Length: 0x2'], '{}', 400),
  withHeaders('a length that overflows', ['Content-Length: 99999999999999999999999'], '{}', 400),
  withHeaders('a length with a space', ['Content-Length: 2 2'], '{}', 400),
  withHeaders('chunks under another name', ['Transfer-Encoding: xchunked', 'Content-Length: 2'], '{}', 400),
  withHeaders('chunks twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], `0\r\n\r\n${SECOND}`, 400),
  withHeaders('chunks, then none', ['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${SECOND}`, 400),
  withHeaders('chunks behind a vertical tab', ['Transfer-Encoding: \u000bchunked'], `0\r\n\r\n${SECOND}`, 400),
  withHeaders('a chunk that overflows', ['Transfer-Encoding: chunked'], 'FFFFFFFFFFFFFFFFF\r\nx\r\n0\r\n\r\n', 400),
  withHeaders('a negative chunk', ['Transfer-Encoding: chunked'], '-1\r\nx\r\n0\r\n\r\n', 400),
  withHeaders('a chunk without an end', ['Transfer-Encoding: chunked'], '1\r\nxx\r\n0\r\n\r\n', 400),
  withHeaders(
    'a chunk with 20 kB of extension',
    ['Transfer-Encoding: chunked'],
    `2;${'e'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    413,
  ),
  withHeaders('a space before the colon', ['Content-Length : 2'], '{}', 400),
  withHeaders('a folded header', ['X-A: 1\r\n Content-Length: 30'], '', 400),
  withHeaders('a zero byte in a header', ['X-A: 1\u00002'], '', 400),
  withHeaders('a zero byte in a name', ['X\u0000A: 1'], '', 400),
  withHeaders('a bare carriage return', ['X-A: 1\rContent-Length: 30'], '', 400),
];

const hosts: Attack[] = [
  attack('no host', `${STATUS} HTTP/1.1\r\nConnection: close\r\n\r\n`, 400),
  attack('two hosts', request(STATUS, ['Host: 127.0.0.1', 'Host: evil.example']), 400, 421),
  ...[
    'evil.example',
    '127.0.0.1@evil.example',
    'evil.example#127.0.0.1',
    '127.0.0.1.evil.example',
    '169.254.169.254',
    '',
  ].map((host) => attack(`host ${host}`, request(STATUS, [`Host: ${host}`]), 421)),
  attack('forwarded host', request(STATUS, ['Host: evil.example', 'X-Forwarded-Host: 127.0.0.1']), 421),
  attack('a target with a scheme', request(`GET http://evil.example${BASE}/sim-1/status`, ['Host: evil.example']), 421),
  attack('a target that is a host', request('GET //evil.example/api'), 404),
  attack('a target that is a file', request('GET file:///etc/passwd'), 400, 404),
  attack('a target without a slash', request('GET etc/passwd'), 400),
];

const origins: Attack[] = [
  'http://evil.example',
  'null',
  'http://127.0.0.1.evil.example',
  'https://127.0.0.1',
  'file://',
].map((origin) => attack(`origin ${origin}`, request(START, [`Origin: ${origin}`]), 403));

const methods: Attack[] = [
  attack('TRACE', request(`TRACE ${BASE}/sim-1/status`, ['Cookie: a=1']), 404, 405, 501),
  attack('a proxy request', 'CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', 0, 400, 404, 405),
  attack('an unknown method', request(`EVIL ${BASE}/sim-1/status`), 400),
  attack('a method in small letters', request(`post ${BASE}/sim-1/start`), 400),
  attack('a method by header', request(`GET ${BASE}/sim-1/start`, ['X-HTTP-Method-Override: POST']), 405),
  attack('a method by query', request(`GET ${BASE}/sim-1/start?_method=POST`), 405),
  attack('a read where a command is', request(`GET ${BASE}/sim-1/stop`), 405),
  attack('a rewritten path', request('GET /nothing', ['X-Original-URL: /api/nl43/sim-1/stop']), 404),
  attack('no version', 'GET /\r\n\r\n', 400, 421),
  attack('a version of the future', `${STATUS} HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n`, 400),
  attack('HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400),
  attack('TLS', '\u0016\u0003\u0001\u0000\u00a5\u0001\u0000\u0000\u00a1\u0003\u0003', 400),
  attack('a meter command', 'Measure,Start\r\n', 400),
  attack('SMTP', 'EHLO evil.example\r\n', 400),
  attack('zero bytes', '\u0000'.repeat(1_000), 400),
];

const headers: Attack[] = [
  attack('a header of 64 kB', request(STATUS, [`X-A: ${'a'.repeat(65_536)}`]), 431),
  attack(
    '5,000 headers',
    request(
      STATUS,
      Array.from({ length: 5_000 }, (_, i) => `X-${i}: 1`),
    ),
    431,
  ),
  ...['0', '-1', 'NaN', '1e9', 'Infinity', '5s', '1;2'].map((wait) =>
    attack(`Request-Timeout: ${wait}`, request(`GET ${BASE}/sim-1/clock`, [`Request-Timeout: ${wait}`]), 422),
  ),
  attack(
    'an upgrade to HTTP/2',
    request(`GET ${BASE}/nobody/status`, ['Connection: Upgrade', 'Upgrade: h2c']),
    400,
    404,
    426,
  ),
  attack(
    'an upgrade without a key',
    request(`GET ${BASE}/sim-1/live`, ['Connection: Upgrade', 'Upgrade: websocket']),
    400,
  ),
  attack(
    'an upgrade of an old version',
    request(`GET ${BASE}/sim-1/live`, [
      ...[
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 7',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      ],
    ]),
    400,
    426,
  ),
  attack(
    'an upgrade where there is no stream',
    request(`GET ${BASE}/sim-1/start`, [
      ...[
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      ],
    ]),
    404,
  ),
];

export const FRAMING: readonly Attack[] = [...smuggling, ...hosts, ...origins, ...methods, ...headers];
