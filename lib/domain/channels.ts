/** Names of the channels of a meter in configs, in the history and in notes. */

/** The first channel of every meter: live values belong to it, and requests without a channel use it. */
export const MAIN_CHANNEL = 'main';

/** Pattern of such a name. */
export const CHANNEL_PATTERN = '^[a-z][a-z0-9]{0,15}$';

/** The names of the channels of a family (`Family.channels`), in small letters, the main channel first. */
export const channelNames = (channels: readonly string[]): readonly string[] =>
  channels.map((name, place) => (place === 0 ? MAIN_CHANNEL : name.toLowerCase()));
