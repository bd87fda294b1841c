/** The text of `--help`, from the schema. */
import { valuesOf } from './property.ts';
import { environmentName, flagName, GROUPS, hasFlag, isLive, propertyOf, type SettingName } from './schema.ts';

const USAGE = `slm-gateway: REST and WebSocket gateway for sound level meters of the type NL-43/NL-53

Usage: slm-gateway [options]         (in a clone: npm start -- [options])
       slm-gateway keys COMMAND      make, list and revoke API keys
       slm-gateway history COMMAND   export, import and check the history
       slm-gateway audit COMMAND     check the audit log
       (each explains itself with --help)

      --config FILE        read settings from this JSON file instead of config/default.json (also SLM_CONFIG)
      --print-settings     print the settings in force, secrets masked, and exit
  -h, --help               print this and exit
  -v, --version            print the version and exit

Defaults are overridden by the file, the file by the environment, the environment by the command line.
In a file a setting has the name of its flag with _ for -. Those that are marked [reload] are taken up while the gateway runs,
by SIGHUP or 'slm reload'; all others need a restart.`;

/** The text of `slm-gateway --help`. */
export function helpText(): string {
  const groups = Object.entries(GROUPS).map(([title, group]) => {
    const names = Object.keys(group) as SettingName[];
    return [`${title}:`, ...names.map(describe)].join('\n');
  });
  return `${[USAGE, ...groups].join('\n\n')}\n`;
}

function describe(name: SettingName): string {
  const property = propertyOf(name);
  const flag = hasFlag(name) ? `--${flagName(name)}, ` : '';
  const unit = property['x-unit'] ? ` (${property['x-unit']})` : '';
  const lines = [
    `  ${flag}${environmentName(name)}`,
    `      ${property.title}${unit}. ${usual(name)}${isLive(name) ? ' [reload]' : ''}`,
  ];
  if (property.description) lines.push(`      ${property.description}`);
  return lines.join('\n');
}

function usual(name: SettingName): string {
  if (name === 'timezone') return 'Default: the zone of this machine';
  if (name === 'key_file') return 'Default: slm-gateway/secret.key in $XDG_CONFIG_HOME or ~/.config';
  const value = propertyOf(name).default;
  const values = valuesOf(propertyOf(name));
  const text = typeof value === 'string' ? value : Array.isArray(value) ? value.join(',') : JSON.stringify(value);
  return `Default: ${text === '' ? 'none' : text}${values === '' ? '' : `. Values: ${values}`}`;
}
