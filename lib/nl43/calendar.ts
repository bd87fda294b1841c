/** The meter's form of date and time: `2025/12/24 02:10:55`, one blank (field log of an NL-43). Knows no time zone. */
const CLOCK = /^(\d{4})\/(\d{2})\/(\d{2}) (\d{2}):(\d{2}):(\d{2})$/;

const daysIn = (year: number, month: number): number => {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (month === 2) return leap ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
};

/** Whether the text is a moment that exists, in the meter's form. Which years a meter takes is for the meter to say. */
export function isClockText(text: string): boolean {
  const match = CLOCK.exec(text);
  if (!match) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return false;
  return hour <= 23 && minute <= 59 && second <= 59;
}

/** The same for the start and stop of a timer, whose seconds must be 0 (VM manual p.166). */
export const isTimerText = (text: string): boolean => isClockText(text) && text.endsWith(':00');
