export { LeadershipPage } from './components/leadership-page.tsx'
export { ProjectPage } from './components/project-page.tsx'
