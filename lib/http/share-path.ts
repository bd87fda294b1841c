/** Where the pages of shares are, beside the base path. What follows is a secret, as an API key is, and these pages alone may stand in a frame. */

/** Before the token of a share. */
export const SHARE_PATH = '/s/';

/** A path as it may stand in a log. */
export const withoutToken = (path: string): string => (path.startsWith(SHARE_PATH) ? `${SHARE_PATH}***` : path);

/** Whether a page of another origin may show what is at this path in a frame, where its Content-Security-Policy allows it. */
export const mayBeFramed = (path: string): boolean => path.startsWith(SHARE_PATH);
