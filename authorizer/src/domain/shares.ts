/** What a gateway says of a caller whose limit it shares with others. Requests per minute. */
export interface Rate {
  /** `client` or `api_key`, and the id. */
  readonly caller: string;
  readonly perMinute: number;
  /** Admitted there in the last minute. */
  readonly used: number;
  /** The same and, at the present pace, what is refused there. */
  readonly wanted: number;
}

/** A caller's part of a limit at one gateway. Requests per minute. */
export interface Share extends Pick<Rate, 'used' | 'wanted'> {
  readonly gateway: string;
  readonly granted: number;
  /** Epoch milliseconds of the report. */
  readonly at: number;
}

/** A gateway that has not reported for so long is gone: what it was granted is free. Milliseconds. */
export const GATEWAY_MS = 15_000;

const MINUTE_MS = 60_000;

/** What a gateway may have admitted in any minute from its report on: a gateway that is gone only what it has. */
const heldBy = ({ granted, used, at }: Share, now: number): number =>
  now - at > GATEWAY_MS ? used : Math.max(granted, used);

/**
 * The part of a gateway of the limit: what it wants, and an even part of what nobody wants, so that a load that grows or
 * moves is not refused. Where all want more than there is, nobody gets more than it wants while another gets less.
 */
const fairPart = (perMinute: number, gateways: number, own: number, others: readonly number[]): number => {
  const wants = [own, ...others].toSorted((one, other) => one - other);
  let left = perMinute;
  for (const [index, want] of wants.entries()) {
    const part = left / (wants.length - index);
    if (want >= part) return Math.min(own, part);
    left -= want;
  }
  return own + left / gateways;
};

/**
 * The shares after a report: the reporting gateway gets its fair part, but never more than what the others do not hold.
 * So all gateways together admit at most the limit in any minute, however the load moves between them.
 */
export const shared = (
  shares: readonly Share[],
  gateway: string,
  { perMinute, used, wanted }: Rate,
  { gateways, now }: { readonly gateways: number; readonly now: number },
): readonly Share[] => {
  const others = shares.filter((share) => share.gateway !== gateway && now - share.at <= MINUTE_MS);
  const held = others.reduce((sum, share) => sum + heldBy(share, now), 0);
  const present = others.filter(({ at }) => now - at <= GATEWAY_MS);
  const wants = present.map((share) => share.wanted);
  const part = fairPart(perMinute, Math.max(gateways, present.length + 1), wanted, wants);
  const granted = Math.max(0, Math.min(perMinute - held, Math.ceil(part)));
  return used === 0 && wanted === 0 ? others : [...others, { gateway, granted, used, wanted, at: now }];
};
