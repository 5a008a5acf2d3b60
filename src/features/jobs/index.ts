export { JobPage } from './components/job-page.tsx'
export { JobStatus } from './components/job-status.tsx'
export { JobsPage } from './components/jobs-page.tsx'
export { MAIN_STATES, SIDE_STATES, STATUS_STYLES as JOB_STYLES } from './status.ts'
