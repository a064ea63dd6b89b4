/** Epoch milliseconds as ISO 8601 in UTC. */
export const instant = (epochMs: number): string => new Date(epochMs).toISOString();

export const instantOrNull = (epochMs: number | null | undefined): string | null =>
  epochMs === null || epochMs === undefined ? null : instant(epochMs);
