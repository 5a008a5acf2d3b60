export { AgentPage } from './components/agent-page.tsx'
export { AgentsPage } from './components/agents-page.tsx'
