export { ZonePage } from './components/zone-page.tsx'
export { ZonesPage } from './components/zones-page.tsx'
export { STATUS_STYLES as ZONE_STYLES } from './status.ts'
