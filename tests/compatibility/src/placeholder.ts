const handler: ProxyHandler<() => unknown> = {
  // Not a thenable and not printable, so that awaiting or logging it is safe.
  get: (_target, name) => (typeof name === 'symbol' || name === 'then' ? undefined : placeholder),
  apply: () => placeholder,
};

/**
 * Placeholder for every part of a service while only its operations are read: any member of it, called or not, is the
 * placeholder itself. No handler ever receives it.
 */
export const placeholder: unknown = new Proxy(() => undefined, handler);
