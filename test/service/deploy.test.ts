/** The files of `deploy`, for several gateways on one database: what they name is there, and no secret is in them. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { parse, parseAllDocuments } from 'yaml';
import { LONGEST_MS } from '../../lib/app/database-wait.ts';
import { answerProbes } from '../../lib/http/health.ts';
import { environmentName, propertyOf, SETTING_NAMES } from '../../lib/settings/schema.ts';
import { VirtualClock } from '../../simulator/index.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const { version } = JSON.parse(read('package.json'));
const IMAGE = `slm-gateway:${version}`;
const dockerfile = read('Dockerfile');
const PORT = Number(/^EXPOSE (\d+)/m.exec(dockerfile)?.[1]);
const [VOLUME = ''] = /^VOLUME (\S+)/m.exec(dockerfile)?.slice(1) ?? [];
/** Of `node` in the image of Node. */
const USER_ID = 1_000;
const VARIABLES: ReadonlySet<string> = new Set(SETTING_NAMES.map(environmentName));
const PROBES = answerProbes({ version, clock: new VirtualClock(), troubles: () => [] }).map(({ path }) => path);
const FILES = globSync('deploy/**/*.*', { cwd: ROOT }).toSorted();

// biome-ignore lint/suspicious/noExplicitAny: what a file says is what the test looks at
type Read = any;
const compose: Read = parse(read('deploy/compose.yaml'), { merge: true });
const objects: Read[] = parseAllDocuments(read('deploy/kubernetes/slm-gateway.yaml')).map((one) => one.toJS());
const of = (kind: string, name: string): Read =>
  objects.find((each) => each.kind === kind && each.metadata.name === name);
const set = of('StatefulSet', 'slm-gateway');
const pod = set.spec.template.spec;
const [container] = pod.containers;

/** Variables that a file gives to the gateway must be settings with a right value. */
function settingsAre(t: { ok(is: unknown, what: string): void }, given: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(given)) {
    t.ok(VARIABLES.has(name), `${name} is a setting`);
    const setting = SETTING_NAMES.find((each) => environmentName(each) === name);
    const pattern = setting && propertyOf(setting).pattern;
    if (typeof pattern === 'string' && !value.includes('$'))
      t.ok(new RegExp(pattern, 'u').test(value), `${name} takes ${value}`);
  }
}

t.test('the files are those that the docs speak of', async (t) => {
  t.strictSame(FILES, [
    'deploy/compose.yaml',
    'deploy/haproxy.cfg',
    'deploy/kubernetes/slm-gateway.yaml',
    'deploy/systemd/instance.conf',
    'deploy/systemd/slm-gateway.env',
  ]);
});

t.test('no file has a secret', async (t) => {
  for (const path of FILES) {
    const text = read(path);
    for (const [, password = ''] of text.matchAll(/\/\/[^\s:/@]+:([^@\s]+)@/g)) t.match(password, /^\$\{/, path);
    for (const [, value = ''] of text.matchAll(/(?:PASSWORD|SECRET_KEY)[=:] *(\S*)/g))
      t.match(value, /^("\$\{|\?write|$)/, `${path}: ${value}`);
  }
  for (const name of ['SLM_DATABASE_URL', 'SLM_SECRET_KEY'])
    t.match(container.env.find((one: Read) => one.name === name).valueFrom.secretKeyRef, { name: 'slm-gateway' });
});

t.test('the secrets in deploy/.env stay out of commits and out of the image', async (t) => {
  for (const path of ['.gitignore', '.dockerignore']) t.ok(read(path).split('\n').includes('deploy/.env'), path);
});

t.test('compose: each gateway has a name, an address and a volume of its own, and all else is the same', async (t) => {
  const { services, volumes, networks } = compose;
  const gateways = Object.entries<Read>(services).filter(([, { image }]) => image === IMAGE);
  t.equal(gateways.length, 2);
  const seen = gateways.map(([name, { environment, volumes: own, healthcheck, depends_on }]) => {
    settingsAre(t, environment);
    const { SLM_INSTANCE_NAME, SLM_INSTANCE_ADDRESS, ...same } = environment;
    t.equal(SLM_INSTANCE_ADDRESS, `http://${name}:${PORT}`, 'the address is the name of its service');
    t.equal(new Set([SLM_INSTANCE_NAME, own[0]]).size, 2);
    const [source, target] = own[0].split(':');
    t.equal(target, VOLUME);
    t.ok(source in volumes, source);
    const [, path] = /\+ '(\/[a-z]+)'/.exec(healthcheck.test.at(-1)) ?? [];
    t.ok(PROBES.includes(path ?? ''), 'a probe that there is');
    t.not(path, '/readyz', 'a standby is healthy, too');
    for (const needed of Object.keys(depends_on)) t.ok(needed in services, needed);
    return { source, SLM_INSTANCE_NAME, same: JSON.stringify(same) };
  });
  t.equal(new Set(seen.map(({ source }) => source)).size, 2);
  t.equal(new Set(seen.map(({ SLM_INSTANCE_NAME }) => SLM_INSTANCE_NAME)).size, 2);
  t.equal(new Set(seen.map(({ same }) => same)).size, 1);
  const [[, first]] = gateways as [[string, Read]];
  const url = new URL(first.environment.SLM_DATABASE_URL.replace(/\$\{.*?\}/, 'x'));
  t.match(services.database.environment, { POSTGRES_USER: url.username, POSTGRES_DB: url.pathname.slice(1) });
  t.equal(url.hostname, 'database');
  t.equal(first.environment.SLM_TRUSTED_PROXIES, services.proxy.networks.inside.ipv4_address);
  t.ok(networks.inside.ipam.config[0].subnet.startsWith('172.28.10.'));
  for (const published of services.proxy.ports) t.match(published, /^127\.0\.0\.1:/, 'only this computer');
  for (const [name, { ports }] of Object.entries<Read>(services)) if (name !== 'proxy') t.equal(ports, undefined, name);
  const proxy = services.proxy.environment;
  for (const [, name = ''] of read('deploy/haproxy.cfg').matchAll(/"\$\{(\w+)\}"/g)) t.ok(name in proxy, name);
  const gatewayNames = gateways.map(([name]) => `${name}:${PORT}`).toSorted();
  t.strictSame([proxy.SLM_NORTH, proxy.SLM_SOUTH], gatewayNames);
});

t.test('Kubernetes: selectors, ports, probes, names, volumes and rights belong together', async (t) => {
  t.ok(objects.every(({ metadata }) => metadata.labels['app.kubernetes.io/name'] === 'slm-gateway'));
  const labels = set.spec.template.metadata.labels;
  const [inner, outer] = [of('Service', 'slm-instances'), of('Service', 'slm-gateway')];
  for (const selector of [
    ...[inner.spec.selector, outer.spec.selector, set.spec.selector.matchLabels],
    pod.topologySpreadConstraints[0].labelSelector.matchLabels,
  ])
    t.strictSame(selector, labels);
  t.equal(container.image, IMAGE);
  t.strictSame(container.ports, [{ name: 'http', containerPort: PORT }]);
  for (const service of [inner, outer]) t.equal(service.spec.ports[0].targetPort, 'http');
  t.match(inner.spec, { clusterIP: 'None', publishNotReadyAddresses: true });
  for (const probe of ['startupProbe', 'livenessProbe'])
    t.strictSame(container[probe].httpGet, { path: '/livez', port: 'http' });
  t.strictSame(container.readinessProbe.httpGet, { path: '/readyz', port: 'http' }, 'clients come to the active one');
  t.equal(set.spec.updateStrategy.type, 'OnDelete', 'no rollout waits for a standby to be ready');
  t.ok(PROBES.includes('/livez'));
  t.equal(set.spec.serviceName, inner.metadata.name);
  t.ok(set.spec.replicas > 1, 'one goes on');
  const own = container.env.filter(({ name }: Read) => name !== 'POD_NAME');
  settingsAre(t, Object.fromEntries(own.map(({ name, value = '$' }: Read) => [name, value])));
  const names = container.env.map(({ name }: Read) => name);
  t.equal(names[0], 'POD_NAME', 'a variable comes before the variables that use it');
  const address = container.env.find(({ name }: Read) => name === 'SLM_INSTANCE_ADDRESS').value;
  t.equal(address, `http://$(POD_NAME).${inner.metadata.name}:${inner.spec.ports[0].port}`);
  const mounted = container.volumeMounts.map(({ name, mountPath }: Read) => [name, mountPath]);
  t.strictSame(mounted, [
    [set.spec.volumeClaimTemplates[0].metadata.name, VOLUME],
    [pod.volumes[0].name, '/tmp'],
  ]);
  t.match(pod.securityContext, { runAsNonRoot: true, runAsUser: USER_ID, fsGroup: USER_ID });
  t.match(container.securityContext, { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true });
  t.ok(pod.terminationGracePeriodSeconds > 10, 'a stop takes ten seconds at most');
});

t.test(
  'Kubernetes: pods wait for the first API key, the first one for the command that makes it, the others for the first one',
  async (t) => {
    const [first, ...more] = pod.initContainers;
    t.strictSame(more, []);
    t.match(first, { image: IMAGE, securityContext: container.securityContext });
    t.strictSame(first.volumeMounts, [container.volumeMounts[0]]);
    const [shell, ...words] = first.command;
    const { name } = set.metadata;
    const own = container.env.find((one: Read) => one.name === 'SLM_INSTANCE_ADDRESS').value;
    const address = own.replace('$(POD_NAME)', `${name}-0`);
    const folder = t.testdir();
    const ended = async (server: Server) => {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const script = words.map((word: string) =>
        word
          .replace(`${address}/livez`, `http://127.0.0.1:${port}/livez`)
          .replace(VOLUME, folder)
          .replace('sleep 2', ':'),
      );
      t.notMatch(script.join(' '), /slm-instances|\/var\/lib|sleep/, 'nothing else has to be replaced');
      const child = spawn(shell, script, { stdio: 'inherit' });
      t.teardown(() => child.kill());
      const end = await once(child, 'exit');
      server.close();
      return end;
    };
    t.strictSame(await ended(createHttpServer((_, answer) => answer.end())), [0, null], 'the first one answers');
    let tries = 0;
    const refusing = createServer((socket) => {
      socket.destroy();
      tries += 1;
      // As the command that makes the key does.
      if (tries === 2) mkdirSync(join(folder, 'data'));
    });
    t.strictSame(await ended(refusing), [0, null], 'a key was made');
    t.equal(tries, 2);
  },
);

t.test('the settings of a service are settings', async (t) => {
  const lines = read('deploy/systemd/slm-gateway.env').split('\n');
  const given = lines.flatMap((line) => {
    const [, name, value] = /^#?(SLM_[A-Z_]+)=(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value ?? ''] as const];
  });
  t.equal(given.length, 7);
  settingsAre(t, Object.fromEntries(given));
  t.strictSame(
    given.filter(([, value]) => value === '').map(([name]) => name),
    ['SLM_DATABASE_URL', 'SLM_SECRET_KEY'],
    'secrets are written on the computer itself',
  );
});

t.test('systemd ends no start that waits ten minutes for its database', async (t) => {
  const [, service = ''] = read('deploy/systemd/instance.conf').split('[Service]\n');
  t.ok(Number(/^TimeoutStartSec=(\d+)$/m.exec(service)?.[1]) > LONGEST_MS / 1_000);
});

const has = (program: string, ...args: string[]): boolean => {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

t.test(
  'systemd takes the unit with what an instance adds to it',
  {
    skip: !(has('systemd-analyze', '--version') && has('/usr/bin/node', '--version')) && 'systemd-analyze is not here',
  },
  async (t) => {
    const folder = t.testdir();
    const unit = join(folder, 'slm-gateway.service');
    cpSync(join(ROOT, 'service/slm-gateway.service'), unit);
    mkdirSync(`${unit}.d`);
    cpSync(join(ROOT, 'deploy/systemd/instance.conf'), `${unit}.d/instance.conf`);
    const env = { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` };
    t.equal(execFileSync('systemd-analyze', ['verify', unit], { encoding: 'utf8', stdio: 'pipe', env }), '');
  },
);
