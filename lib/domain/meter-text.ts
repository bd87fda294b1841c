/**
 * Cleans a text from a meter. C1 controls (U+0080 to U+009F) are replaced: JSON writes them as they are, and a terminal
 * obeys them. C0 controls need nothing here: JSON escapes them, values with them are refused, and `slm` and the log in
 * text replace them.
 */
const C1_CONTROLS = /[\u0080-\u009f]/g;

/**
 * The text with U+FFFD for each C1 control. All code that reads bytes of a meter as text (lines, FTP, files of the
 * card) must call it.
 */
export const meterText = (text: string): string => text.replace(C1_CONTROLS, '\ufffd');
