/** One performance of an order. */
export interface CalendarEvent {
  /** Made by {@link eventUid}. */
  readonly uid: string;
  /** ISO 8601. */
  readonly startDate: string;
  /** Null or 0: unknown, and the event has no end. */
  readonly durationMinutes: number | null;
  readonly summary: string;
  readonly location?: string | null;
  readonly description?: string | null;
  /** Absolute. */
  readonly url?: string | null;
  readonly isCancelled?: boolean;
  /** Default 0; a calendar prefers the event with the higher one. */
  readonly sequence?: number;
}

export declare function eventUid(orderId: string, performanceId: string, serviceHost: string): string;
export declare const CALENDAR_TYPE: string;
export declare function calendarOf(events: readonly CalendarEvent[], writtenAt: number): string;
