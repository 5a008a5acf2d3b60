export { AlertPage } from './components/alert-page.tsx'
export { AlertsPage } from './components/alerts-page.tsx'
export { ChannelsSection } from './components/channels-section.tsx'
export { DELIVERY_STYLES, SEVERITY_STYLES, STATUS_STYLES as ALERT_STYLES } from './status.ts'
