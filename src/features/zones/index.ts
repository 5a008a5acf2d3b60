export { ZonesPage } from './components/zones-page.tsx'
