export { AuditPage } from './components/audit-page.tsx'
export { ObjectHistory } from './components/object-history.tsx'
export { OUTCOME as OUTCOME_STYLES } from './status.ts'
