export { ArtifactPage } from './components/artifact-page.tsx'
export { ArtifactsPage } from './components/artifacts-page.tsx'
