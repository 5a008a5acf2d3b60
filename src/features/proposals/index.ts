export { ProposalStatus } from './components/proposal-status.tsx'
export { ProposalsPage } from './components/proposals-page.tsx'
export { ZoneProposals } from './components/zone-proposals.tsx'
export { LOOK as PROPOSAL_LOOK } from './status.ts'
