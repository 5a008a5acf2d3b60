export { NotePage } from './components/note-page.tsx'
export { NotesPage } from './components/notes-page.tsx'
export { noteHref } from './input.ts'
