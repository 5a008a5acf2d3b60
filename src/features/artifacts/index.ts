export { ArtifactPage } from './components/artifact-page.tsx'
export { ArtifactsPage } from './components/artifacts-page.tsx'
export { CompareArtifactsPage } from './components/compare-page.tsx'
export { GROUNDING as GROUNDING_STYLES } from './status.ts'
