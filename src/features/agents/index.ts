export { AgentPage } from './components/agent-page.tsx'
export { AgentsPage } from './components/agents-page.tsx'
export { LOOK as AGENT_LOOK } from './status.ts'
