/** Times as the clocks of the place show them, for people. */
import { localText, offsetWords, zoneOffset } from '../zone.ts';

/** From ms since 1970 UTC to a text. */
export type ShowTime = (ms: number) => string;

/** `2026-11-21 06:00`, with seconds if they are not zero. `offset`: with ` UTC+1`, for hours that come twice. */
export const localTime =
  (zone: string, offset = false): ShowTime =>
  (ms) => {
    const ahead = zoneOffset(zone, ms);
    const text = localText(ms + ahead).replace(/:00$/, '');
    return offset ? `${text} ${offsetWords(ahead)}` : text;
  };

/** `25 h 3 min`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor((whole % 86_400) / 3_600), 'h'],
    [Math.floor((whole % 3_600) / 60), 'min'],
    [whole % 60, 's'],
  ] as const;
  return (
    parts
      .flatMap(([count, unit]) => (count > 0 ? `${count} ${unit}` : []))
      .slice(0, 2)
      .join(' ') || '0 s'
  );
}
