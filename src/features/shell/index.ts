export { ConsoleShell } from './components/console-shell.tsx'
export { DoorFrame } from './components/door-frame.tsx'
export { useHealthSentence } from './components/health-dot.tsx'
export { CrashedPage, LoadingPage, NotFoundPage } from './components/states.tsx'
