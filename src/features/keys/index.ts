export { KeysSection } from './components/keys-section.tsx'
export { KEY_STYLES } from './status.ts'
