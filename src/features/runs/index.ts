export { RunPage } from './components/run-page.tsx'
export { RunStatus } from './components/run-status.tsx'
export { RunsPage } from './components/runs-page.tsx'
export { LOOK as RUN_LOOK, STEP_LOOK } from './status.ts'
