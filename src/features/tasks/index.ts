export { LeaseLeft, LeaseStatus } from './components/lease-time.tsx'
export { SelectionView } from './components/selection-view.tsx'
export { TaskPage } from './components/task-page.tsx'
export { TasksPage } from './components/tasks-page.tsx'
