const handler: ProxyHandler<() => unknown> = {
  // Nothing that awaits or prints it takes it for what it is not.
  get: (_target, name) => (typeof name === 'symbol' || name === 'then' ? undefined : placeholder),
  apply: () => placeholder,
};

/**
 * Stands for every part that a service works with while it is only asked what its operations are: any member of it, called or not, is itself
 * again. No handler ever sees it.
 */
export const placeholder: unknown = new Proxy(() => undefined, handler);
