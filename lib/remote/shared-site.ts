/**
 * The network of every unit's row in the store of a cluster, by the version of the link. An instance that serves sessions to gateways of this
 * version reaches it. One that speaks another version does not, nor one that serves none: neither gets units, and either gives up what it has.
 */
import { LINK_VERSION } from './messages.ts';

const NAME = 'shared';

/** Of gateways and instances of this release. */
export const SHARED_SITE = `${NAME} ${LINK_VERSION}`;

/** The one among these networks that stands for a version of the link, ours or another; undefined: none of them does. */
export const sharedSiteOf = (sites: readonly string[]): string | undefined =>
  sites.find((site) => site === NAME || site.startsWith(`${NAME} `));
