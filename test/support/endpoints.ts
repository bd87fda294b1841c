/** Every endpoint of the API once, with inputs that work and inputs that must be refused: for tests that hold for all. */
export interface Endpoint {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below the unit. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** `control` sends commands, `card` uses FTP, `config` and `cache` do not use the meter. */
  readonly kind: 'control' | 'card' | 'config' | 'cache';
  /** Query strings and bodies that are outside what it takes, with the place that the answer names. */
  readonly bad?: readonly { readonly query?: string; readonly body?: unknown; readonly at: string }[];
}

const WORDS = ['', 'x', 'a', 'AA', 'A,C', 'A\r\n', 'A\u001a', 'A\u0000', ' A', 1, null, ['A'], {}];
const properties = (name: string, values: readonly unknown[], rest: object = {}) =>
  values.map((value) => ({ body: { ...rest, [name]: value }, at: `/${name}` }));

const channelQueries = ['main', 'Sub4', '', 'Main%0d%0aMeasure,Start', 'Main%1a', 'Main%00', 'Main,A'].map((value) => ({
  query: `?channel=${value}`,
  at: '/channel',
}));
const strangeBody = (body: object) => [{ body: { ...body, stranger: 1 }, at: '/stranger' }];

const TIMES = [
  ...['', '0s', '00:00:00', '1001h', '1000:00:01', '5', '1.5h', '-1m', '5M', '5 m', 'Manual', 'Auto', '00:61:00'],
  ...['1m,Manual', '1m\r\n', '1m\r\nMeasure,Start', '1m\u001a', '1m\u0000', '１m', 60, null],
  '1001s',
];
const PATHS = ['', 'NL-43', '/../x', '/a/..', '/a\r\nDELE x', '/a\u0000', '/a\u001a', '/a\n', 5, null];
const card = (name: string, paths: readonly unknown[]) => properties(name, paths);

export const ENDPOINTS: readonly Endpoint[] = [
  { method: 'GET', path: '/status', kind: 'cache' },
  { method: 'GET', path: '/session', kind: 'cache' },
  { method: 'GET', path: '/live', kind: 'control' },
  ...(
    ['start', 'stop', 'pause', 'resume', 'reset', 'store', 'sleep', 'wake', 'ftp/enable', 'ftp/disable'] as const
  ).map((name): Endpoint => ({ method: 'POST', path: `/${name}`, kind: 'control', bad: strangeBody({}) })),
  ...(
    [
      'measurement-state',
      'battery',
      'clock',
      'measurement-time',
      'leq-interval',
      'lp-interval',
      'index-number',
    ] as const
  ).map((name): Endpoint => ({ method: 'GET', path: `/${name}`, kind: 'control' })),
  { method: 'GET', path: '/schedule', kind: 'cache' },
  {
    method: 'PUT',
    path: '/schedule',
    body: { entries: [] },
    kind: 'cache',
    bad: [
      ...properties('entries', [null, 'x', {}]),
      ...properties('zone', ['', 'Mars', 5], { entries: [] }),
      ...['', '* * * *', '@daily', '61 * * * *', '0 6 31 2 *', '0 6 * * *\r\n', '0 6 * * \u0000'].map((cron) => ({
        body: { entries: [{ cron, action: 'mirror' }] },
        at: '/entries/0/cron',
      })),
      ...strangeBody({ entries: [] }),
    ],
  },
  { method: 'POST', path: '/clock/sync', kind: 'control', bad: strangeBody({}) },
  { method: 'GET', path: '/results', kind: 'control' },
  { method: 'GET', path: '/sleep/status', kind: 'control' },
  { method: 'GET', path: '/ftp/status', kind: 'control' },
  { method: 'GET', path: '/settings/all', kind: 'control' },
  { method: 'GET', path: '/frequency-weighting', kind: 'control', bad: channelQueries },
  { method: 'GET', path: '/time-weighting', kind: 'control', bad: channelQueries },
  {
    method: 'PUT',
    path: '/frequency-weighting',
    body: { weighting: 'C' },
    kind: 'control',
    bad: [
      ...properties('weighting', [...WORDS, 'F']),
      ...properties('channel', ['main', '', 'Main,A', 'Main\r\n', 'Main\u001a', 'Main\u0000', 1], { weighting: 'A' }),
      ...strangeBody({ weighting: 'A' }),
    ],
  },
  {
    method: 'PUT',
    path: '/time-weighting',
    body: { weighting: 'S' },
    kind: 'control',
    bad: [
      ...properties('weighting', [...WORDS, 'Z', 'A']),
      ...properties('channel', ['main', '', 'Main,A', 'Main\r\n', 'Main\u001a', 'Main\u0000', 1], { weighting: 'F' }),
      ...strangeBody({ weighting: 'F' }),
    ],
  },
  { method: 'GET', path: '/channel', kind: 'control', bad: channelQueries },
  {
    method: 'PUT',
    path: '/channel',
    body: { channel: 'Sub1', state: 'On' },
    kind: 'control',
    bad: [
      ...properties('state', [...WORDS, 'on', true], { channel: 'Sub1' }),
      ...properties('channel', ['Main', 'sub1', '', 'Sub1,A', 'Sub1\r\n', 1], { state: 'On' }),
      ...strangeBody({ channel: 'Sub1', state: 'On' }),
    ],
  },
  {
    method: 'PUT',
    path: '/clock',
    body: { datetime: '2025/12/24,02:10:55' },
    kind: 'control',
    bad: [
      ...properties('datetime', [
        ...[
          '',
          '2025-12-24T02:10:55',
          '2025/12/24',
          '2025/12/24,02:10',
          '2025/12/24,,02:10:55',
          '2025/12/24  02:10:55',
        ],
        ...['2025/02/29,00:00:00', '1900/02/29,00:00:00', '2025/13/01,00:00:00', '2025/00/10,00:00:00'],
        ...['2025/04/31,00:00:00', '2025/01/01,24:00:00', '2025/01/01,00:60:00', '2025/01/01,00:00:60'],
        ...[
          '2025/12/24,02:10:55\r\n',
          '2025/12/24\r\n02:10:55',
          '2025/12/24,02:10:55\u001a',
          '2025/12/24\u000002:10:55',
        ],
        ...[20_251_224, null],
      ]),
      ...strangeBody({ datetime: '2025/12/24,02:10:55' }),
    ],
  },
  {
    method: 'PUT',
    path: '/measurement-time',
    body: { preset: '15m' },
    kind: 'control',
    bad: [...properties('preset', [...TIMES, 'Off']), ...strangeBody({ preset: '1m' })],
  },
  {
    method: 'PUT',
    path: '/leq-interval',
    body: { preset: '1m' },
    kind: 'control',
    bad: [...properties('preset', TIMES), ...strangeBody({ preset: '1m' })],
  },
  {
    method: 'PUT',
    path: '/lp-interval',
    body: { preset: '1s' },
    kind: 'control',
    bad: [
      ...properties('preset', ['', '2s', 'off', '1s\r\n', '1s,Off', '1s\u001a', '1s\u0000', 1]),
      ...strangeBody({ preset: '1s' }),
    ],
  },
  {
    method: 'PUT',
    path: '/index-number',
    body: { index: 7 },
    kind: 'control',
    bad: [
      ...properties('index', [-1, 10_000, 1.5, '1.5', '0x7', '7\r\n', '7,8', '7\u001a', '7\u0000', null, true]),
      ...strangeBody({ index: 7 }),
    ],
  },
  {
    method: 'GET',
    path: '/ftp/files',
    kind: 'card',
    bad: [
      ...['', 'NL-43', '/../x', '/a/..', '/a%0d%0aDELE%20x', '/a%00', '/a%1a'].map((value) => ({
        query: `?path=${value}`,
        at: '/path',
      })),
    ],
  },
  {
    method: 'GET',
    path: '/ftp/file?path=/NL-43/none.rnd',
    kind: 'card',
  },
  {
    method: 'GET',
    path: '/ftp/archive',
    kind: 'card',
    bad: [
      ...['', 'NL-43', '/../x', '/a/..', '/a%0d%0aDELE%20x', '/a%00', '/a%1a'].map((value) => ({
        query: `?path=${value}`,
        at: '/path',
      })),
    ],
  },
  {
    method: 'POST',
    path: '/ftp/download',
    body: { remote_path: '/NL-43/none.rnd' },
    kind: 'card',
    bad: [...card('remote_path', PATHS), ...strangeBody({ remote_path: '/a' })],
  },
  { method: 'GET', path: '/files', kind: 'config' },
  { method: 'GET', path: '/files/archive', kind: 'config' },
  { method: 'POST', path: '/mirror', kind: 'card', bad: strangeBody({}) },
  {
    method: 'GET',
    path: '/log',
    kind: 'config',
    bad: [
      ...['gossip', 'command,', 'command;job'].map((value) => ({ query: `?kind=${value}`, at: '/kind' })),
      ...['0', 'x', '-1'].map((value) => ({ query: `?cursor=${value}`, at: '/cursor' })),
      ...['0', '1001', '1.5'].map((value) => ({ query: `?limit=${value}`, at: '/limit' })),
      { query: '?from=2025-01-01T00:00:00', at: '/from' },
    ],
  },
  { method: 'GET', path: '/trace', kind: 'config' },
  { method: 'DELETE', path: '/trace', kind: 'config' },
  {
    method: 'POST',
    path: '/trace',
    body: { seconds: 1 },
    kind: 'config',
    bad: [...properties('seconds', [0, -1, 3_601, 1.5, null, true]), ...strangeBody({ seconds: 1 })],
  },
  { method: 'GET', path: '/polling/config', kind: 'config' },
  {
    method: 'PUT',
    path: '/polling/config',
    body: { poll_interval_seconds: 60 },
    kind: 'config',
    bad: [
      ...properties('poll_enabled', ['true', 1, null]),
      ...properties('poll_interval_seconds', [0, -1, 21_601, 1.5, '1.5', null]),
      ...strangeBody({}),
    ],
  },
  { method: 'GET', path: '/config', kind: 'config' },
  { method: 'DELETE', path: '/config', kind: 'config' },
  {
    method: 'PUT',
    path: '/config',
    body: { host: '127.0.0.1' },
    kind: 'config',
    bad: [
      ...properties('host', [
        ...[
          '',
          ' ',
          'http://10.0.0.1',
          '10.0.0.1:2255',
          '10.0.0.1/x',
          'a b',
          'a\r\n',
          'a\u0000',
          'a\u001a',
          'a,b',
          '[::1]',
        ],
        ...[
          '256.1.1.1',
          '1.2.3',
          '010.0.0.1',
          '1234',
          '-a',
          'a-',
          'a..b',
          '.a',
          'a_b',
          '::g',
          '1::2::3',
          'fe80::1%eth0',
          'ä.de',
        ],
        ...[5, `${'a'.repeat(64)}.de`],
      ]),
      ...properties('tcp_port', [0, 65_536, -1, 1.5, '22.5']),
      ...properties('ftp_port', [0, 65_536, 'x']),
      ...properties('ftp_mode', ['Active', '']),
      ...properties('tcp_enabled', ['true', 1]),
      ...properties('poll_enabled', ['true', 1]),
      ...properties('poll_interval_seconds', [0, 21_601, 1.5, '6.0']),
      ...properties('ftp_username', ['a\r\nDELE x', 'a\u0000', 'a\u001a', 5]),
      ...properties('ftp_password', ['a\r\n', 'a\u0000', 'a\u001a', 5]),
      ...strangeBody({}),
    ],
  },
];

/** Endpoints that send commands to the meter. `settings/all` lists failures inside a 200. */
export const CONTROLS = ENDPOINTS.filter((endpoint) => endpoint.kind === 'control');
export const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;
