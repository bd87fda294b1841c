/**
 * Path of the pages of shares, beside the base path. The rest of the path is a secret, like an API key. Only these
 * pages may be shown in a frame.
 */

/** Before the token of a share. */
export const SHARE_PATH = '/s/';

/** A path with its secret masked, for the log. */
export const withoutToken = (path: string): string => (path.startsWith(SHARE_PATH) ? `${SHARE_PATH}***` : path);

/** Whether a page of another origin may show this path in a frame, if its Content-Security-Policy allows it. */
export const mayBeFramed = (path: string): boolean => path.startsWith(SHARE_PATH);
