export { ConsoleShell } from './components/console-shell.tsx'
export { useHealthSentence } from './components/health-dot.tsx'
