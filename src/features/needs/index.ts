export { NeedsYou } from './components/needs-you.tsx'
