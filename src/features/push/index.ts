export { KeepDevice } from './components/keep-device.tsx'
export { NotificationsSection } from './components/notifications-section.tsx'
