export { AuthFrame } from './components/auth-frame.tsx'
export { ConsoleShell } from './components/console-shell.tsx'
export { CrashedOutside } from './components/crashed-outside.tsx'
export { CrashedPage, LoadingPage, NotFoundPage } from './components/states.tsx'
