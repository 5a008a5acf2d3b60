export { SettingsPage } from './components/settings-page.tsx'
export { ACCOUNT as ACCOUNT_LOOK, HEALTH as HEALTH_LOOK } from './status.ts'
