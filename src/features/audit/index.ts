export { AuditPage } from './components/audit-page.tsx'
export { ObjectHistory } from './components/object-history.tsx'
