export { JobPage } from './components/job-page.tsx'
export { JobStatus } from './components/job-status.tsx'
export { JobsPage } from './components/jobs-page.tsx'
export { LOOK as JOB_LOOK, MAIN_STATES, SIDE_STATES } from './status.ts'
