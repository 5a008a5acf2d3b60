export { EntryPage } from './components/entry-page.tsx'
export { InboxPage } from './components/inbox-page.tsx'
export { ProposeNote } from './components/propose-note.tsx'
export { LOOK as INBOX_LOOK } from './status.ts'
