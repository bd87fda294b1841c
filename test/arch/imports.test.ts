/** Allowed imports (docs/architecture.md). The lower layers know nothing of the upper ones. */
import t from 'tap';
import { breaking, importsIn, nameOf, type SourceFile, sourceFiles } from './source.ts';

const LEAVES = ['errors', 'clock', 'log', 'nearest', 'version', 'root', 'guarded', 'system', 'turns', 'words'].map(
  (name) => `lib/${name}.ts`,
);

/** Allowed imports of the files of a room of `lib`, beside the room itself, the leaves, and `lib/domain`. */
const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  transport: [],
  drivers: [],
  meter: ['transport/', 'drivers/wire/contract.ts', 'drivers/not-supported.ts'],
  status: ['drivers/wire/contract.ts'],
  events: [],
  files: [],
  jobs: ['store/sure-changes.ts'],
  store: [],
  history: [],
  settings: ['outbound/policy.ts'],
  outbound: [],
  audit: [],
  signing: ['store/sure-changes.ts'],
  http: ['outbound/policy.ts'],
  access: ['http/', 'settings/'],
  plugin: ['http/'],
  cluster: [],
  /** The composition: it knows all of them, and none of them knows it. */
  app: [''],
};

/** Rooms of `lib` that plugins have something of. */
const OF_PLUGINS = [
  'lib/cluster/contract.ts',
  ...LEAVES,
  // For waits after wrong guesses, and for sign-in: sessions, cookies, and tables with a limit.
  ...['tries', 'contract', 'people/sessions'].map((name) => `lib/access/${name}.ts`),
  ...['domain', 'drivers', 'events', 'files', 'history', 'http', 'jobs', 'meter'].map((room) => `lib/${room}/`),
  ...['outbound', 'plugin', 'signing', 'status', 'store'].map((room) => `lib/${room}/`),
];

/** The files of `lib` itself. */
const TOP: Readonly<Record<string, readonly string[]>> = {
  'lib/errors.ts': [],
  'lib/clock.ts': [],
  'lib/log.ts': [],
  'lib/root.ts': [],
  'lib/system.ts': ['lib/clock.ts'],
  'lib/version.ts': ['lib/root.ts'],
  'lib/words.ts': ['lib/root.ts'],
  'lib/start.cjs': ['lib/node-version.cjs', 'lib/main.js'],
  'lib/nearest.ts': [],
  'lib/turns.ts': ['lib/clock.ts'],
  'lib/guarded.ts': [],
  'lib/node-version.cjs': ['package.json'],
  'lib/index.ts': OF_PLUGINS,
  'lib/built-in.ts': OF_PLUGINS,
};

/** Where a module that others must not see is used when the gateway runs. */
const ONLY_IN: Readonly<Record<string, readonly string[]>> = {
  'node:net': ['plugins/mqtt/broker.ts', 'lib/transport/tcp.ts', 'lib/files/', 'lib/outbound/'],
  'node:tls': ['plugins/mqtt/broker.ts', 'lib/http/tls.ts', 'lib/outbound/'],
  'node:dgram': [],
  'node:child_process': ['lib/app/supervisor.ts', 'plugins/reports/pdf/printer.ts'],
  'node:http': ['lib/access/key-admin-socket.ts', 'lib/http/', 'lib/outbound/'],
  'node:https': ['lib/http/listen.ts', 'lib/outbound/'],
  koa: ['lib/http/server.ts'],
  '@koa/router': ['lib/http/router.ts'],
  'koa-body': ['lib/http/body.ts'],
  'koa-websocket': ['lib/http/server.ts'],
  ws: [],
  'basic-ftp': ['lib/files/'],
  '@mikro-orm/core': ['lib/store/'],
  '@mikro-orm/sqlite': ['lib/store/'],
  '@mikro-orm/postgresql': ['lib/store/postgres/'],
  kysely: ['lib/store/postgres/'],
  pg: ['lib/store/postgres/', 'lib/history/postgres/'],
  'better-sqlite3': ['lib/store/', 'lib/history/sqlite/', 'plugins/slmm/import/'],
  'node:worker_threads': ['lib/history/sqlite/', 'lib/cluster/watchdog/', 'lib/domain/tables/'],
  ajv: ['lib/http/checks.ts', 'lib/settings/check.ts'],
  pino: ['lib/log.ts'],
  'prom-client': ['plugins/metrics/'],
  'csv-parse': ['lib/http/csv-body.ts'],
  croner: ['plugins/campaign/schedules/schedule.ts'],
  hucre: ['lib/domain/tables/written-xlsx.ts'],
  pdfkit: ['plugins/reports/pdf/'],
  qr: ['plugins/reports/document.ts'],
  'openid-client': ['plugins/people/issuer.ts'],
  nodemailer: ['plugins/alerts/delivery/mail/smtp.ts'],
  http_ece: ['plugins/alerts/delivery/push/'],
  'temporal-polyfill': ['lib/domain/zone.ts'],
  'tar-stream': ['lib/app/tar.ts'],
  yazl: ['lib/domain/archive.ts', 'plugins/evidence/archive.ts'],
  '@noble/hashes': ['plugins/evidence/verify/', 'plugins/evidence/stamp/'],
  '@peculiar/asn1-cms': ['plugins/evidence/verify/', 'plugins/evidence/stamp/'],
  '@peculiar/asn1-schema': ['plugins/evidence/verify/', 'plugins/evidence/stamp/'],
  '@peculiar/asn1-tsp': ['plugins/evidence/verify/', 'plugins/evidence/stamp/'],
  '@peculiar/asn1-x509': ['plugins/evidence/verify/', 'plugins/evidence/stamp/'],
  asn1js: ['plugins/evidence/stamp/'],
  'ipaddr.js': ['lib/outbound/policy.ts'],
  mqtt: ['plugins/mqtt/', 'plugins/alerts/delivery/mqtt/mqtt-message.ts'],
  'node:dns/promises': ['lib/outbound/policy.ts'],
};

/** Read before any other module: the number of the version. */
const BEFORE_ALL = ['package.json', 'lib/node-version.cjs'];

const lib = sourceFiles('lib');
const plugins = sourceFiles('plugins');
const simulator = sourceFiles('simulator');
const web = sourceFiles('web');
const client = sourceFiles('client');
const cli = sourceFiles('cli');
const code = [...lib, ...plugins, ...simulator];

const isOurs = (target: string) =>
  /^(lib|plugins|simulator|test|bench|web|client|cli)\//.test(target) || target === 'package.json';
const isContract = (target: string) => /^lib\/[a-z0-9/]+\/contract\.ts$/.test(target);
const folderOf = (path: string) => /^lib\/([a-z0-9]+)\//.exec(path)?.[1];

t.test('the lexer of these tests sees what there is to see', async (t) => {
  const text = [
    "import { a } from './a.ts';",
    "import type { B } from './b.ts';",
    'import {\n  c,\n  type D,\n} from "./c.ts";',
    "export * as e from './e.ts';",
    "export type { F } from './f.ts';",
    "import './g.ts';",
    "const h = await import('./h.ts');",
    "type I = import('./i.ts').I;",
    "// import { no } from './comment.ts';",
    " * import { no } from './comment.ts';",
  ].join('\n');
  const seen = importsIn(text).map(({ specifier, typeOnly }) => `${specifier}${typeOnly ? ' type' : ''}`);
  t.strictSame(seen.sort(), [
    './a.ts',
    './b.ts type',
    './c.ts',
    './e.ts',
    './f.ts type',
    './g.ts',
    './h.ts',
    './i.ts type',
  ]);
  t.ok(lib.length > 50 && plugins.length > 10 && simulator.length > 20, 'and the files are found');
});

t.test('a room of lib imports lower rooms, and types from any contract', async (t) => {
  const wrong = breaking(lib, ({ path }, target, typeOnly) => {
    const folder = folderOf(path);
    if (folder === undefined || !isOurs(target)) return false;
    if (LEAVES.includes(target) || target.startsWith(`lib/${folder}/`)) return false;
    if (target.startsWith('lib/domain/') || (typeOnly && isContract(target))) return false;
    return !MAY_USE[folder]?.some((lower) => target.startsWith(`lib/${lower}`));
  });
  t.strictSame(wrong, []);
  const folders = new Set(lib.flatMap(({ path }) => folderOf(path) ?? []));
  t.strictSame([...folders].sort(), Object.keys(MAY_USE).sort(), 'every folder has its rule');
});

t.test('the files of lib itself import what is named here', async (t) => {
  const top = lib.filter(({ path }) => folderOf(path) === undefined);
  t.strictSame(top.map(({ path }) => path).sort(), Object.keys(TOP).sort());
  const wrong = breaking(
    top,
    ({ path }, target) => isOurs(target) && !TOP[path]?.some((lower) => target.startsWith(lower)),
  );
  t.strictSame(wrong, []);
});

t.test('lib imports neither plugins nor the simulator', async (t) => {
  t.strictSame(
    breaking(lib, (_file, target) => /^(plugins|simulator|test|bench)\//.test(target)),
    [],
  );
});

/** Of plugins: its name in `plugins`, by a path. */
const pluginOf = (path: string): string | undefined => /^plugins\/([a-z0-9-]+)(?:\/|\.ts$)/.exec(path)?.[1];
const isPluginFile = (path: string) => /^plugins\/[a-z0-9-]+(?:\/index)?\.ts$/.test(path);
/** The `uses` of each plugin. */
const uses = new Map(
  plugins
    .filter(({ path }) => isPluginFile(path))
    .map(({ path, text }) => [
      pluginOf(path) ?? '',
      [...(/^ {2}uses: \[([^\]]*)\]/m.exec(text)?.[1] ?? '').matchAll(/'([^']+)'/g)].flatMap(([, name]) => name ?? []),
    ]),
);

t.test('a plugin imports the plugins that it names in uses, and there is no circle', async (t) => {
  const imported = new Map([...uses.keys()].map((name) => [name, new Set<string>()]));
  for (const { path, imports } of plugins)
    for (const { target } of imports) {
      const [own, other] = [pluginOf(path) ?? '', pluginOf(target)];
      if (other !== undefined && other !== own) imported.get(own)?.add(other);
    }
  for (const [name, named] of uses) t.strictSame([...named].sort(), [...(imported.get(name) ?? [])].sort(), name);
  const reaches = (from: string, end: string, seen: readonly string[] = []): boolean =>
    (uses.get(from) ?? []).some(
      (next) => next === end || (!seen.includes(next) && reaches(next, end, [...seen, next])),
    );
  t.strictSame(
    [...uses.keys()].filter((name) => reaches(name, name)),
    [],
  );
});

/** Modules of Node for files of plugins, by the beginning of their paths: each for the reason that is named. */
const FILES = ['node:fs', 'node:fs/promises', 'node:path', 'node:crypto'];
const STREAMS = ['node:stream', 'node:stream/promises'];
const OF_NODE: readonly (readonly [path: string, reason: string, ...modules: string[]])[] = [
  ['plugins/mqtt/settings.ts', 'reads certificates that the operator names', 'node:fs'],
  ['plugins/mqtt/broker.ts', 'calls the broker', 'node:net', 'node:tls', 'node:stream', 'node:timers/promises'],
  ['plugins/alerts/delivery/mail/smtp.ts', 'reads a password that the operator names', 'node:fs'],
  ['plugins/alerts/delivery/webhook/webhook.ts', 'signs', 'node:crypto'],
  ['plugins/alerts/delivery/signed-links.ts', 'signs', 'node:crypto'],
  ['plugins/alerts/delivery/push/', 'checks the keys of phones', 'node:crypto'],
  ['plugins/people/settings.ts', 'reads a password that the operator names', 'node:fs'],
  ['plugins/people/issuer.ts', 'makes nonces', 'node:crypto'],
  ['plugins/assessment/store.ts', 'reads the presets of the package', 'node:fs'],
  ['plugins/assessment/model/check.ts', 'compares bodies', 'node:util'],
  ['plugins/dashboard/index.ts', 'reads the pages of the package', 'node:fs'],
  ['plugins/dashboard/plan-store.ts', 'keeps a picture under its hash', ...FILES],
  ['plugins/mirror/', 'keeps files under names that are hashes', ...FILES],
  ['plugins/slmm/import/', 'reads a database that an admin sends', ...FILES, ...STREAMS],
  ['plugins/evidence/', 'packs, signs and keeps files', ...FILES, ...STREAMS],
  [
    'plugins/reports/',
    'prints in a process of its own, and keeps documents',
    ...[...FILES, ...STREAMS, 'node:url', 'node:v8', 'node:zlib', 'node:stream/consumers'],
  ],
  ['plugins/metrics/loop-delay.ts', 'measures the event loop', 'node:perf_hooks'],
  ['plugins/shares/', 'makes tokens, and names its script by a hash', 'node:crypto'],
];
/** Runs in browsers and in `slm`, too: it has what it needs of `lib/domain` without the rest of `lib`. */
const VERIFIER = 'plugins/evidence/verify/';
const PURE = ['lib/domain/canonical-json.ts', 'lib/domain/figures.ts'];

/** A plugin of somebody else imports the first one alone. */
const DOORS = ['lib/index.ts', 'lib/built-in.ts'];

t.test(
  'a plugin imports lib/index.ts and lib/built-in.ts, its own folder, its modules of Node, types of answers, and nothing else',
  async (t) => {
    const wrong = breaking(plugins, ({ path }, target, typeOnly) => {
      if (typeOnly && target === 'client/schemas.ts') return false;
      const own = /^plugins\/[a-z0-9-]+\//.exec(path)?.[0];
      if ((ONLY_IN[nameOf(target)] ?? []).some((place) => place.startsWith('plugins/') && path.startsWith(place)))
        return false;
      if (path.startsWith(VERIFIER)) return !(target.startsWith(VERIFIER) || PURE.includes(target));
      if (OF_NODE.some(([place, , ...modules]) => path.startsWith(place) && modules.includes(target))) return false;
      const isUsed = isPluginFile(target) && uses.get(pluginOf(path) ?? '')?.includes(pluginOf(target) ?? '');
      return !DOORS.includes(target) && !(own && target.startsWith(own)) && !isUsed;
    });
    t.strictSame(wrong, []);
  },
);

t.test('from lib the simulator imports the facts about the wire alone', async (t) => {
  const wrong = breaking(
    simulator,
    (_file, target) =>
      isOurs(target) &&
      !/^(simulator\/|lib\/drivers\/nl43\/spec\/|lib\/node-version\.cjs$|package\.json$)/.test(target),
  );
  t.strictSame(wrong, []);
});

t.test('gateway and simulator share the facts about the wire and no other module', async (t) => {
  const reached = (folder: string) => {
    const seen = new Set<string>();
    const walk = (path: string) => {
      if (seen.has(path)) return;
      seen.add(path);
      for (const { target } of code.find((file) => file.path === path)?.imports ?? []) if (isOurs(target)) walk(target);
    };
    for (const { path } of code) if (path.startsWith(folder)) walk(path);
    return seen;
  };
  const gateway = reached('lib/');
  const shared = [...reached('simulator/')].filter((path) => gateway.has(path) && !BEFORE_ALL.includes(path));
  t.ok(shared.length > 0);
  t.strictSame(
    shared.filter((path) => !path.startsWith('lib/drivers/nl43/spec/')),
    [],
  );
  // The demo opens a gateway by an address that is no import; nothing else may hide one.
  const hidden = simulator.filter(({ text }) =>
    /['"](\.\.\/)*(lib|plugins)\/(?!drivers\/nl43\/spec\/|node-version\.cjs)/.test(text),
  );
  t.strictSame(
    hidden.map(({ path }) => path),
    ['simulator/demo/demo.ts'],
  );
});

t.test('a family of meters is known to the table of families alone: nobody else names its commands', async (t) => {
  const familyOf = (path: string) => /^lib\/drivers\/([a-z0-9]+)\/index\.ts$/.exec(path)?.[1];
  const families = lib.flatMap(({ path }) => familyOf(path) ?? []);
  t.ok(families.includes('nl43'));
  const isOf = (family: string, path: string) => path.startsWith(`lib/drivers/${family}/`);
  const wrong = breaking([...lib, ...plugins, ...cli, ...web, ...client], ({ path }, target) =>
    families.some((family) => isOf(family, target) && !isOf(family, path) && path !== 'lib/drivers/index.ts'),
  );
  t.strictSame(wrong, []);
});

t.test('the facts about the wire import nobody', async (t) => {
  const facts = lib.filter(({ path }) => path.startsWith('lib/drivers/nl43/spec/'));
  t.ok(facts.length > 0);
  t.strictSame(
    breaking(facts, (_file, target) => !target.startsWith('lib/drivers/nl43/spec/')),
    [],
  );
});

t.test('encoding and decoding do not know each other', async (t) => {
  const wrong = breaking(lib, ({ path }, target) =>
    path === 'lib/drivers/nl43/encode.ts'
      ? target === 'lib/drivers/nl43/decode.ts'
      : path === 'lib/drivers/nl43/decode.ts' && target === 'lib/drivers/nl43/encode.ts',
  );
  t.strictSame(wrong, []);
});

t.test('contracts import types from contracts, the domain and leaves alone', async (t) => {
  const contracts = lib.filter(({ path }) => isContract(path));
  t.strictSame(
    breaking(
      contracts,
      (_file, target, typeOnly) =>
        !typeOnly || !(isContract(target) || LEAVES.includes(target) || /^(lib\/domain\/|node:)/.test(target)),
    ),
    [],
  );
});

t.test('which operating system this is, one file asks', async (t) => {
  const asks = [...code, ...cli, ...sourceFiles('build')].filter(({ text }) =>
    /process\.platform|os\.platform/.test(text),
  );
  t.strictSame(
    asks.map(({ path }) => path),
    ['lib/system.ts'],
  );
});

t.test('the outside world has one place each', async (t) => {
  const wrong = breaking([...lib, ...plugins], ({ path }, target, typeOnly) => {
    const places = ONLY_IN[nameOf(target)];
    return places !== undefined && !typeOnly && !places.some((place) => path.startsWith(place));
  });
  t.strictSame(wrong, []);
});

t.test('what is not installed in production is not imported by the gateway', async (t) => {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
  const installed = [...Object.keys(manifest.dependencies), ...manifest.bundled];
  const wrong = breaking([...lib, ...plugins], (_file, target, typeOnly) => {
    return !typeOnly && !isOurs(target) && !target.startsWith('node:') && !installed.includes(nameOf(target));
  });
  t.strictSame(wrong, []);
});

/** The late part of the dashboard imports its first script, which fetches it: so both have the same modules. */
const LATE_PART = 'web/rest.ts';
const importsOf = ({ imports }: SourceFile) => imports.filter(({ target }) => target !== LATE_PART);

t.test('no module imports itself through others when it runs', async (t) => {
  const graph = new Map(
    [...code, ...cli, ...client, ...web].map((file) => [
      file.path,
      importsOf(file).flatMap(({ target, typeOnly }) => (typeOnly ? [] : [target])),
    ]),
  );
  t.strictSame(cyclesIn(graph), []);
  t.strictSame(
    cyclesIn(
      new Map([
        ['a', ['b']],
        ['b', ['c']],
        ['c', ['b']],
      ]),
    ),
    ['b -> c -> b'],
    'and one would be seen',
  );
});

t.test('types go round in no circle either', async (t) => {
  const files = [...code, ...cli, ...client, ...web];
  const graph = new Map(files.map((file) => [file.path, importsOf(file).map(({ target }) => target)]));
  t.strictSame(cyclesIn(graph), []);
});

/** Of the dashboard, from the lowest; `page` is any folder with pages. Programs of their own are left out. */
const WEB_LAYERS = ['words', 'state', 'ui', 'page', 'shell'];
const webFolder = (path: string) => /^web\/(?!docs|verify|worker)([a-z]+)\//.exec(path)?.[1];

t.test(
  'a folder of the dashboard imports lower ones, and folders of pages import each other in no circle',
  async (t) => {
    const layerOf = (folder: string) => WEB_LAYERS.indexOf(WEB_LAYERS.includes(folder) ? folder : 'page');
    const edges = web.flatMap((file) =>
      importsOf(file).flatMap(({ target }) => {
        const [from, to] = [webFolder(file.path), webFolder(target)];
        return from && to && from !== to ? [{ from, to, words: `${file.path} -> ${target}` }] : [];
      }),
    );
    t.ok(edges.length > 200, 'and the folders are found');
    const up = edges.filter(({ from, to }) => layerOf(to) > layerOf(from));
    t.strictSame(
      up.map(({ words }) => words),
      [],
    );
    const graph = Map.groupBy(edges, ({ from }) => from);
    t.strictSame(cyclesIn(new Map([...graph].map(([from, some]) => [from, some.map(({ to }) => to)]))), []);
    const top = web.filter(({ path }) => webFolder(path) !== undefined);
    const above = /^web\/(main|start)\.tsx?$/;
    t.strictSame(
      breaking(top, (_file, target) => above.test(target)),
      [],
      'no folder imports the start of the page',
    );
  },
);

/** Depth first; a path that comes back to one of its own steps is a cycle. */
function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (node: string, way: readonly string[]) => {
    if (way.includes(node)) cycles.push([...way.slice(way.indexOf(node)), node].join(' -> '));
    if (done.has(node)) return;
    done.add(node);
    for (const next of graph.get(node) ?? []) walk(next, [...way, node]);
  };
  for (const node of graph.keys()) walk(node, []);
  return cycles;
}

t.test('time comes from the clock: nothing else of the gateway sets a timer or reads the time', async (t) => {
  const direct = /\b(setTimeout|setInterval|Date\.now|performance\.now|AbortSignal\.timeout)\(|new Date\(\)/;
  const users = [...lib, ...plugins].filter(({ text }) => direct.test(text)).map(({ path }) => path);
  // The process has a last resort that no clock may hold back; the script of a share runs in browsers.
  t.strictSame(users, ['lib/app/main.ts', 'lib/clock.ts', 'plugins/shares/page.ts']);
});

t.test('a helper of tests gets the t of its caller: in a process of many files its own t is that of all', async (t) => {
  const own = sourceFiles('test').filter(({ path, text }) => path.includes('/support/') && /^import t\b/m.test(text));
  t.strictSame(
    own.map(({ path }) => path),
    [],
  );
});

t.test('files stay short enough to be read in one go', async (t) => {
  const tooLong = (files: readonly SourceFile[], most: number) =>
    files.filter(({ lines }) => lines > most).map(({ path, lines }) => `${path}: ${lines}`);
  // Made from the OpenAPI document, and not written by anybody.
  const written = client.filter(({ path }) => path !== 'client/schemas.ts');
  t.strictSame(tooLong([...code, ...web, ...written, ...cli, ...sourceFiles('bench')], 600), []);
  t.strictSame(tooLong(sourceFiles('test'), 600), []);
});

t.test(
  'files are found from the folder of the package: the build joins modules, and their own places are lost',
  async (t) => {
    const place = /new URL\([^()]*, import\.meta\.url\)|import\.meta\.(dirname|filename|resolve)/;
    const users = [...lib, ...plugins].filter(({ text }) => place.test(text)).map(({ path }) => path);
    t.strictSame(users, ['lib/root.ts'], 'others use its ROOT, and name what they start in build/dist.ts');
  },
);
