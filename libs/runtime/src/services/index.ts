// The list of services: what gateway, authorizer, broker and operator know of each service.
export { builtInRows, isBuiltIn, rowsWith } from './built-in.ts';
export { RowsFault } from './check.ts';
export {
  fixedServices,
  followServices,
  presentRows,
  type ServiceList,
  type ServicesFile,
  servicesFile,
  servicesFileOrData,
  serviceUrls,
  urlSettingOf,
  watchServicesFile,
} from './list.ts';
export {
  broadcastsOf,
  type ConsumedQueue,
  callsOf,
  isBelow,
  mayCall,
  queuesOf,
  type ServiceRow,
} from './rows.ts';
