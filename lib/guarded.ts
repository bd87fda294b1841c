/** Calls functions of others. If one throws or its promise rejects, the error is reported, and the caller continues. */

/** `work` that never throws: `report` gets the error, also that of a promise it returns. */
export function guarded<Args extends readonly unknown[]>(
  work: (...args: Args) => unknown,
  report: (error: unknown) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      const done = work(...args);
      if (done instanceof Promise) done.catch(report);
    } catch (error) {
      report(error);
    }
  };
}

type Listener = Parameters<AbortSignal['addEventListener']>[1];

/**
 * A signal whose listeners may throw. Normally Node passes such an error to the process, and the process ends: one
 * plugin, caller or job would end all the others. Here the error is only reported.
 */
export function guardedSignal(signal: AbortSignal, report: (error: unknown) => void): AbortSignal {
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  const guards = new WeakMap<object, (event: Event) => void>();
  const guardOf = (listener: NonNullable<Listener>) => {
    const known = guards.get(listener);
    if (known) return known;
    const call = (event: Event): unknown =>
      typeof listener === 'function' ? listener(event) : listener.handleEvent(event);
    const guard = guarded(call, report);
    guards.set(listener, guard);
    return guard;
  };
  let handler: AbortSignal['onabort'] = null;
  const own = {
    addEventListener: (type: string, listener: Listener, options?: object | boolean) =>
      listener && add(type, guardOf(listener), options),
    removeEventListener: (type: string, listener: Listener, options?: object | boolean) =>
      listener && remove(type, guardOf(listener), options),
  };
  Object.assign(signal, own);
  return Object.defineProperty(signal, 'onabort', {
    get: () => handler,
    set(next: AbortSignal['onabort']) {
      if (handler) own.removeEventListener('abort', handler as Listener);
      handler = next;
      if (next) own.addEventListener('abort', next as Listener);
    },
  });
}
