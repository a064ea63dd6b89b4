// The list of services: what gateway, authorizer, broker and operator know of each service.

export { RowsFault } from './check.ts';
export {
  builtInRows,
  fixedServices,
  followServices,
  isBuiltIn,
  presentRows,
  rowsWith,
  type ServiceList,
  type ServicesFile,
  servicesFile,
  servicesFileOrData,
  serviceUrls,
  urlSettingOf,
  watchServicesFile,
} from './list.ts';
export { broadcastsOf, type ConsumedQueue, callsOf, isBelow, mayCall, queuesOf, type ServiceRow } from './rows.ts';
