/** How channels of a meter are named in configs, in the history and in notes. */

/** The first channel of every meter: live values, and what is asked for without a channel, are of it. */
export const MAIN_CHANNEL = 'main';

/** What such a name looks like. */
export const CHANNEL_PATTERN = '^[a-z][a-z0-9]{0,15}$';

/** The names of the channels of a family (`Family.channels`), in small letters, the main one first. */
export const channelNames = (channels: readonly string[]): readonly string[] =>
  channels.map((name, place) => (place === 0 ? MAIN_CHANNEL : name.toLowerCase()));
