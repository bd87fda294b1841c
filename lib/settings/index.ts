/** Public parts of the settings for the rest of the gateway. */
export { maskedSettings, SettingsError } from './check.ts';
export { helpText } from './help.ts';
export { gatewayFlags, type Loaded, load, type Sources, settingsFrom } from './read.ts';
export { isLive, SETTING_NAMES, type SettingName, type Settings } from './schema.ts';
