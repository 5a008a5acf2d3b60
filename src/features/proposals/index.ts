export { ProposalsPage } from './components/proposals-page.tsx'
export { UndoTray } from './components/undo-tray.tsx'
export { ZoneProposals } from './components/zone-proposals.tsx'
export { STATUS_STYLES as PROPOSAL_STYLES } from './status.ts'
