/** The channel of the meter whose levels a page shows, as its address says. */
import { search } from './address.ts';

/** Channel of answers and rules that name no channel. */
export const MAIN = 'main';

/** Its name, as the config has it. Whether the meter has such a channel is checked by the gateway. */
export const shownChannel = (): string => search.value.get('channel') || MAIN;

/** Whether the page shows the main channel. */
export const isOfMain = (): boolean => shownChannel() === MAIN;

/** For the query of a request or of an address: nothing for the main channel. */
export const ofChannel = (): { readonly channel?: string } => (isOfMain() ? {} : { channel: shownChannel() });

/** Whether something about these channels is about the shown one, too; null: about all. */
export const concernsShown = (channels: readonly string[] | null): boolean =>
  channels === null || channels.includes(shownChannel());
