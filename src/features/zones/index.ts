export { ZonesPage } from './components/zones-page.tsx'
export { LOOK as ZONE_LOOK } from './status.ts'
