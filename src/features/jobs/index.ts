export { JobPage } from './components/job-page.tsx'
export { JobStatus } from './components/job-status.tsx'
export { JobsPage } from './components/jobs-page.tsx'
