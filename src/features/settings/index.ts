export { HealthMessage } from './components/health-section.tsx'
export { SettingsPage } from './components/settings-page.tsx'
export { ACCOUNT as ACCOUNT_STYLES, HEALTH as HEALTH_STYLES } from './status.ts'
