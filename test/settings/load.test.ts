import t from 'tap';
import {
  helpText,
  load,
  maskedSettings,
  type Settings,
  SettingsError,
  settingsFrom,
} from '../../lib/settings/index.ts';
import { propertyOf, SETTING_NAMES } from '../../lib/settings/schema.ts';

const HOME = '/home/somebody';

interface Given {
  readonly file?: unknown;
  readonly env?: Record<string, string>;
  readonly argv?: readonly string[];
}

function loaded({ file = {}, env = {}, argv = [] }: Given) {
  const files: Record<string, string> = {
    'usual.json': '{}',
    'my.json': typeof file === 'string' ? file : JSON.stringify(file),
  };
  const readText = (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error('no such file');
    return text;
  };
  const config = file === undefined ? [] : ['--config', 'my.json'];
  return load({ argv: [...config, ...argv], env, home: HOME, readText, usualFile: 'usual.json' });
}

const settingsOf = (given: Given): Settings => loaded(given).settings();

function problemsOf(given: Given): readonly string[] {
  try {
    settingsOf(given);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

t.test('the defaults are those that the documentation names', async (t) => {
  t.match(settingsOf({}), {
    host: '127.0.0.1',
    port: 8100,
    base_path: '/api/nl43',
    data_dir: 'data',
    key_file: '/home/somebody/.config/slm-gateway/secret.key',
    meter_spacing_ms: 1_000,
    unsafe_spacing: false,
  });
  t.equal(settingsOf({ env: { XDG_CONFIG_HOME: '/xdg' } }).key_file, '/xdg/slm-gateway/secret.key');
});

t.test('a file goes before the defaults, the environment before the file, the command line before all', async (t) => {
  const file = { port: 1, host: '10.0.0.1', data_dir: 'from-file', plugins: ['status'] };
  const env = { SLM_PORT: '2', SLM_HOST: '10.0.0.2', SLM_PLUGINS: 'config, ./mine.ts' };
  const settings = settingsOf({ file, env, argv: ['--port', '3'] });
  t.match(settings, { port: 3, host: '10.0.0.2', data_dir: 'from-file', log_level: 'info' });
  t.strictSame(settings.plugins, ['config', './mine.ts']);
});

t.test('every setting has an environment name, and the names that others rely on work', async (t) => {
  const env = {
    SLM_HOST: '::1',
    SLM_PORT: '0',
    SLM_BASE_PATH: '',
    SLM_DATA_DIR: '/d',
    SLM_KEY_FILE: '/k',
    SLM_SECRET_KEY: 'a secret of some length',
    SLM_UNSAFE_SPACING: 'true',
    SLM_METER_SPACING_MS: '0',
    SLM_PLUGIN_SETTINGS: '{"live":{"streams":3}}',
  };
  const settings = settingsOf({ env: { ...env, PATH: '/bin', SLM_CONFIG: 'usual.json' } });
  t.match(settings, { host: '::1', port: 0, base_path: '', data_dir: '/d', key_file: '/k', meter_spacing_ms: 0 });
  t.strictSame(settings.plugin_settings, { live: { streams: 3 } });
});

t.test('SLM_CONFIG names the file unless --config does', async (t) => {
  const readText = (path: string) => JSON.stringify({ data_dir: path });
  const sources = { env: { SLM_CONFIG: 'env.json' }, home: HOME, readText, usualFile: 'usual.json' };
  t.equal(load({ ...sources, argv: [] }).settings().data_dir, 'env.json');
  t.equal(load({ ...sources, argv: ['--config=argv.json'] }).settings().data_dir, 'argv.json');
  t.equal(load({ ...sources, argv: [], env: {} }).settings().data_dir, 'usual.json');
});

t.test('a wrong setting is named with its value and where it came from', async (t) => {
  const wrong: [Given, RegExp][] = [
    [{ file: { port: 70_000 } }, /^port: 70000 \(from file my\.json\) must be <= 65535$/],
    [{ file: { port: '8100' } }, /^port: "8100" \(from file my\.json\) must be a whole number$/],
    [{ env: { SLM_PORT: 'http' } }, /^port: "http" \(from environment variable SLM_PORT\) must be a whole number$/],
    [{ env: { SLM_PORT: '' } }, /^port: "" .*whole number/],
    [{ env: { SLM_PORT: '0x50' } }, /^port: "0x50"/],
    [{ argv: ['--port=-1'] }, /^port: -1 \(from command line --port\) must be >= 0$/],
    [{ env: { SLM_LOG_LEVEL: 'loud' } }, /^log_level: "loud" .* must be one of debug, info/],
    [{ env: { SLM_UNSAFE_SPACING: 'yes' } }, /^unsafe_spacing: "yes" \(from environment variable SLM_UNSAFE_SPACING\)/],
    [{ argv: ['--base-path', 'api/'] }, /^base_path: "api\/" \(from command line --base-path\)/],
    [{ env: { SLM_PLUGIN_SETTINGS: '{' } }, /^plugin_settings: "\{" \(from environment variable/],
    [{ file: { plugins: ['a', 7] } }, /^plugins\/1: .*my\.json/],
    [{ file: '{' }, /^config: "my\.json" cannot be read/],
    [{ file: '[]' }, /^config: "my\.json" must hold one JSON object/],
    [{ argv: ['--config', 'gone.json'] }, /^config: "gone\.json" cannot be read: no such file/],
    [{ argv: ['--meter-spacing-ms', '999'] }, /^meter_spacing_ms: 999 \(from command line .* at least 1000/],
    [{ file: { ftp_port_first: 5000, ftp_port_last: 4000 } }, /^ftp_port_last: 4000/],
    [{ file: { ftp_port_last: 4000 } }, /^ftp_port_last: 4000/],
    [{ file: { ws_ping_ms: 60_000 } }, /^ws_dead_ms/],
    [{ argv: ['--reconnect-min-ms', '120000'] }, /^reconnect_max_ms: 60000 \(from the defaults\) must/],
  ];
  for (const [given, message] of wrong) {
    const problems = problemsOf(given);
    t.equal(problems.length, 1, JSON.stringify(given));
    t.match(problems[0], message, JSON.stringify(given));
  }
  t.equal(problemsOf({ file: { port: -1, host: 'a b' }, env: { SLM_LOG_LEVEL: 'x' } }).length, 3, 'all at once');
  t.equal(settingsOf({ argv: ['--meter-spacing-ms', '10', '--unsafe-spacing'] }).meter_spacing_ms, 10);
});

t.test('a name that does not exist is refused, with the nearest one', async (t) => {
  t.strictSame(problemsOf({ file: { hots: 'x' } }), ['hots (from file my.json) is not a setting; did you mean host?']);
  t.strictSame(problemsOf({ file: { zzzzzzzzz: 1 } }), ['zzzzzzzzz (from file my.json) is not a setting']);
  t.throws(() => loaded({ argv: ['--prot', '1'] }), {
    message: 'command line: --prot is not an option; did you mean --port?',
  });
  t.throws(() => loaded({ argv: ['start'] }), {
    message: 'command line: "start" is neither an option nor a command; --help shows both',
  });
  t.throws(() => loaded({ argv: ['--port'] }), { message: /^command line: .*--port/ });
});

t.test(
  'an environment variable that is no setting is a warning with the nearest one, and the start goes on',
  async (t) => {
    // What Kubernetes sets in every container beside services named slm-gateway and slm.
    const env = {
      SLM_PROT: '1',
      SLM_port: '2',
      SLM_GATEWAY_SERVICE_HOST: '192.0.2.1',
      SLM_GATEWAY_PORT: 'tcp://192.0.2.1:80',
      SLM_PORT: 'tcp://192.0.2.1:8100',
    };
    const { settings, warnings } = loaded({ env });
    t.equal(settings().port, 8_100);
    t.match(warnings, [
      /^environment variable SLM_PROT is not a setting and is ignored; did you mean SLM_PORT\?$/,
      /^environment variable SLM_port is not a setting and is ignored; did you mean SLM_PORT\?$/,
      /^environment variable SLM_GATEWAY_SERVICE_HOST is not a setting and is ignored/,
      /^environment variable SLM_GATEWAY_PORT is not a setting and is ignored/,
      /^environment variable SLM_PORT is the address of a service and is ignored$/,
    ]);
  },
);

t.test('a file with the mark that programs on Windows put before UTF-8 is read', async (t) => {
  t.equal(settingsOf({ file: '\uFEFF{"port":9}' }).port, 9);
});

t.test('the address of an instance can be used by others', async (t) => {
  for (const instance_address of ['http://192.0.2.10:81000', 'http://[::1', 'https://:8100', 'http://192.0.2.300:8100'])
    t.match(problemsOf({ file: { instance_address } }), [/^instance_address: .* is no address: see host and port$/]);
  t.equal(settingsOf({ file: { instance_address: 'http://[::1]:8100' } }).instance_address, 'http://[::1]:8100');
});

t.test('the error for a wrong form says how a right value looks', async (t) => {
  for (const instance_address of ['192.0.2.10:8100', 'north', 'http://192.0.2.10:8100/', 'ws://192.0.2.10:8100'])
    t.match(problemsOf({ file: { instance_address } }), [
      /^instance_address: ".*" \(from .*\) must be http:\/\/ or https:\/\/ .* such as http:\/\/192\.0\.2\.10:8100$/,
    ]);
  for (const name of SETTING_NAMES) {
    const { type, pattern, items } = propertyOf(name) as {
      type: string;
      pattern?: string;
      items?: { pattern?: string };
    };
    const form = pattern ?? items?.pattern;
    if (form === undefined) continue;
    const [wrong = ''] = problemsOf({ file: { [name]: type === 'array' ? ['?!'] : '?!' } });
    t.match(wrong, / must be .* such as /, name);
    const example = / such as ([^ ,]+)/.exec(wrong)?.[1] ?? '';
    t.match(example, new RegExp(form), `the example of ${name} is one`);
  }
});

t.test('a secret is never shown, and not taken from the command line', async (t) => {
  const secret = 'correct horse battery staple';
  const shown = JSON.stringify(maskedSettings(settingsOf({ env: { SLM_SECRET_KEY: secret } })));
  t.notMatch(shown, secret);
  t.match(shown, '"secret_key":"***"');
  t.notMatch(problemsOf({ file: { secret_key: [secret] } }).join(), secret);
  t.throws(() => loaded({ argv: ['--secret-key', secret] }), { message: /not an option/ });
});

t.test('settings of a plugin with names of secrets are not shown either', async (t) => {
  const plugin_settings = {
    mqtt: { url: 'mqtt://b', password: 'hunter2', password_file: 'p', more: [{ token: 'hunter2' }] },
  };
  t.strictSame(maskedSettings(settingsOf({ file: { plugin_settings } })).plugin_settings, {
    mqtt: { url: 'mqtt://b', password: '***', password_file: 'p', more: [{ token: '***' }] },
  });
});

t.test('the help names every setting, every flag, and the values that a setting may have', async (t) => {
  const help = helpText();
  for (const name of SETTING_NAMES) t.match(help, `SLM_${name.toUpperCase()}`);
  t.match(help, '--print-settings');
  t.match(help, 'Default: auto. Values: auto, required');
  t.match(help, 'Port to listen on. Default: 8100. Values: 0 to 65535');
});

t.test('help and version do not need good settings', async (t) => {
  t.equal(loaded({ env: { SLM_PORT: 'x' }, argv: ['--help'] }).wishes.help, true);
  t.equal(loaded({ env: { SLM_PORT: 'x' }, argv: ['-v'] }).wishes.version, true);
});

t.test('a program that embeds the gateway gets the same checks', async (t) => {
  t.equal(settingsFrom({ port: 0 }, { env: {}, home: HOME }).port, 0);
  t.throws(() => settingsFrom({ port: 70_000 }, { env: {}, home: HOME }), {
    message: /^port: 70000 \(from the caller\)/,
  });
});

t.test(
  'without a time zone it is that of the computer, also for a gateway that is started with settings that were read',
  async (t) => {
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    const settings = settingsOf({});
    t.equal(settings.timezone, timeZone);
    t.equal(maskedSettings(settings).timezone, timeZone, 'as --print-settings shows it');
    t.equal({ ...settings, port: 0 }.timezone, timeZone, 'an instance on PostgreSQL starts with a copy');
    t.equal(settingsFrom({ ...settings, port: 0 }, { env: {}, home: HOME }).timezone, timeZone);
    t.equal(settingsOf({ argv: ['--timezone', 'Asia/Kolkata'] }).timezone, 'Asia/Kolkata');
    const surroundings = { env: {}, home: HOME };
    t.equal(settingsFrom(settings, surroundings), settings, 'settings that were read are not read again');
  },
);

t.test('the file that ships says what the defaults say', async (t) => {
  const { default: shipped } = await import('../../config/default.json', { with: { type: 'json' } });
  t.strictSame({ ...settingsOf({}), ...shipped }, settingsOf({}));
});
