/**
 * Why the store could not be opened. The message is one line for the person who starts the gateway: what is wrong and
 * what cures it. It is shown as it is, without a stack.
 */
export type StoreProblem = 'folder' | 'in-use' | 'corrupt' | 'newer' | 'key';

export class StoreError extends Error {
  readonly problem: StoreProblem;

  constructor(problem: StoreProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StoreError';
    this.problem = problem;
  }
}
