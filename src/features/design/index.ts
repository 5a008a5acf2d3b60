export { DesignPage } from './components/design-page.tsx'
