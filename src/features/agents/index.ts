export { AgentPage } from './components/agent-page.tsx'
export { AgentsPage } from './components/agents-page.tsx'
export { RunAgentDialog, useRunRefusal } from './components/run-agent.tsx'
export { STATUS_STYLES as AGENT_STYLES } from './status.ts'
