/** Names of time zones, as the rules inside Node know them. */

/** Whether this is an IANA name (`Europe/Berlin`, `UTC`), not an offset. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

/** The zone of this machine; UTC where it tells none. */
export function machineTimeZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return timeZone && isTimeZone(timeZone) && timeZone !== 'Etc/Unknown' ? timeZone : 'UTC';
}
