/** Who holds which lease, by file and name; `until` in milliseconds of the monotonic clock. */
const leases = new Map<string, { readonly holder: object; readonly until: number }>();

/**
 * The leases of one opening of a file. They are in memory, since the services of a directory run in one process: whoever
 * starts next waits for no lease of a dead one.
 */
export const createLeases = (path: string) => {
  const holder = {};
  return {
    /** Takes or renews a lease. */
    lease(name: string, ms: number): boolean {
      const key = `${path} ${name}`;
      const now = performance.now();
      const held = leases.get(key);
      if (held && held.holder !== holder && held.until > now) return false;
      leases.set(key, { holder, until: now + ms });
      return true;
    },
    /** Gives all leases back. */
    releaseAll(): void {
      for (const [key, held] of leases) if (held.holder === holder) leases.delete(key);
    },
  };
};
