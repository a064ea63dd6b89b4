import { Fault, failureOf } from '@boxoffice/envelope';
import type { Family } from '@boxoffice/http';
import { type Refuse, requestIdFrom } from '@boxoffice/runtime';

/** The shape of what the HTTP parser refuses, in the service's family. */
export const refuseIn =
  (family: Family | undefined): Refuse =>
  ({ code, details }) => {
    const fault = new Fault(code, details);
    return {
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Request-Id': requestIdFrom(undefined),
      },
      body: JSON.stringify(family ? family.failure(fault).body : failureOf(fault)),
    };
  };
