export { WorkerPage } from './components/worker-page.tsx'
export { WorkersPage } from './components/workers-page.tsx'
