import type { Documents } from '@boxoffice/store';
import type { TicketDocument } from '../store.ts';

interface GateCount {
  readonly gate: string | null;
  readonly controlled: number;
}

/** Counts the controlled tickets of each gate; reads an index only, one step per gate. */
const gatesOf = async (tickets: Documents<TicketDocument>, performanceId: string): Promise<GateCount[]> => {
  const controlled = { performanceId, status: 'controlled' } as const;
  const gates: GateCount[] = [];
  const unnamed = await tickets.count({ ...controlled, gate: null });
  if (unnamed > 0) gates.push({ gate: null, controlled: unnamed });
  for (let last = ''; ; ) {
    const where = { ...controlled, gate: { gt: last } };
    const [next] = await tickets.find({ where, orderBy: 'gate', limit: 1 });
    if (!next || next.gate === null) return gates;
    last = next.gate;
    gates.push({ gate: last, controlled: await tickets.count({ ...controlled, gate: last }) });
  }
};

/** How many tickets of a performance are in force, open the door, and are controlled. */
export const admissionsOf = async (tickets: Documents<TicketDocument>, performanceId: string) => {
  const countOf = (status: string) => tickets.count({ performanceId, status });
  const [waiting, printed, gates] = await Promise.all([
    countOf('not_printed'),
    countOf('printed'),
    gatesOf(tickets, performanceId),
  ]);
  const controlled = gates.reduce((sum, gate) => sum + gate.controlled, 0);
  return { performanceId, issued: waiting + printed + controlled, printed: printed + controlled, controlled, gates };
};
