/**
 * Bytes and times of the line protocol. Facts only.
 * Source: the field log of an NL-43 and the VM-55/56 manual's description of the same language.
 */

/** Ends every command and every reply line. Captured. */
export const LINE_END = '\r\n';

/** Ends a DRD stream. Sent alone, without a line end. Code (public readers of the meter). */
export const SUB = 0x1a;

/** Between a name and its parameter. Captured. */
export const SEPARATOR = ',';

/** Ends the name of a request. Captured. */
export const REQUEST_MARK = '?';

/** Control port in all field work; a summary of the guide has 80. Captured. */
export const CONTROL_PORT = 2255;

/** Manual of the SV series. */
export const FTP_PORT = 21;
