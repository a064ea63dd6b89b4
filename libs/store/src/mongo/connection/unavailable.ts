import { MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { StoreUnavailable } from '../../errors.ts';

/** Server codes of transient conditions: shutdown, step-down, lost quorum, exceeded time limit. */
const passing: ReadonlySet<number> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  50, // MaxTimeMSExpired
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  189, // PrimarySteppedDown
  202, // NetworkInterfaceExceededTimeLimit
  262, // ExceededTimeLimit
  9001, // SocketException
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11602, // InterruptedDueToReplStateChange
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
]);

/** The pool had no free connection in time; the driver does not export this class. */
const isCrowded = (error: unknown): boolean => error instanceof Error && error.name === 'MongoWaitQueueTimeoutError';

const isUnavailable = (error: unknown): error is Error =>
  error instanceof MongoNetworkError ||
  error instanceof MongoServerSelectionError ||
  isCrowded(error) ||
  (error instanceof MongoServerError && passing.has(Number(error.code)));

/** StoreUnavailable if the driver's error means that the database is unavailable; otherwise the error itself. */
export const inWordsOfThePort = (error: unknown): unknown =>
  isUnavailable(error) ? new StoreUnavailable(`MongoDB: ${error.message}`, { cause: error }) : error;
