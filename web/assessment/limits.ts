/** Limits by figure as a person writes them: `day:55, night:40`. Pure. */

/** dB by figure. */
export const limitsOf = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    text.split(',').flatMap((part) => {
      const [name = '', number = ''] = part.split(':').map((each) => each.trim());
      return name === '' || number === '' || Number.isNaN(Number(number)) ? [] : [[name, Number(number)]];
    }),
  );

/** The same as a text. */
export const textOfLimits = (limits: Readonly<Record<string, number>>): string =>
  Object.entries(limits)
    .map(([name, level]) => `${name}:${level}`)
    .join(', ');
