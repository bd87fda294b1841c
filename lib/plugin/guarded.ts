/** The same function for somebody who cannot bear that it throws, or that its promise rejects: either ends in a report. */
export function guarded<Args extends readonly unknown[]>(
  work: (...args: Args) => unknown,
  report: (error: unknown) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      Promise.resolve(work(...args)).catch(report);
    } catch (error) {
      report(error);
    }
  };
}
