export { RunQuestions } from './components/run-questions.tsx'
