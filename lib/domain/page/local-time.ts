/** Times as the clocks of the place show them. */

export type ShowTime = (ms: number) => string;

/** `2026-11-21 06:00`, with the seconds where there are some. `offset`: with ` UTC+1`, for hours that come twice. */
export function localTime(zone: string, offset = false): ShowTime {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'shortOffset',
  });
  return (ms) => {
    const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const seconds = part.second === '00' ? '' : `:${part.second}`;
    const behind = offset ? ` ${part.timeZoneName?.replace('GMT', 'UTC').replace('+0', '')}` : '';
    return `${part.year}-${part.month}-${part.day} ${part.hour}:${part.minute}${seconds}${behind}`;
  };
}

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
