export { RunPage } from './components/run-page.tsx'
export { RunStatus } from './components/run-status.tsx'
export { RunsPage } from './components/runs-page.tsx'
export { STATUS_STYLES as RUN_STYLES, STEP_STYLES } from './status.ts'
